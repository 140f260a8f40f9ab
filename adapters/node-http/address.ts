// The URL of a listening server, and the error of one that cannot listen.

import { type AddressInfo, isIPv6 } from "node:net";
import { type ListenOptions, QuernError } from "../../core/transport.ts";

/** The URL for clients on this machine, also where the server listens on every interface. */
export function urlOf(host: string, address: AddressInfo | string | null, scheme: "http" | "https" = "http"): string {
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const name = host === "" || host === "0.0.0.0" || host === "::" ? "localhost" : isIPv6(host) ? `[${host}]` : host;
  return `${scheme}://${name}:${port}`;
}

/** Why a server cannot listen: `ADDRESS_IN_USE`, `ADDRESS_UNAVAILABLE`. */
export function addressError(error: NodeJS.ErrnoException, { host, port }: ListenOptions): QuernError {
  const at = `Port ${port} of ${host}`;
  switch (error.code) {
    case "EADDRINUSE":
      return new QuernError(
        "ADDRESS_IN_USE",
        `${at} is in use by another process. Stop that process, or choose another port (0 takes any free one).`,
        {
          cause: error,
        },
      );
    case "EACCES":
    case "EPERM":
      return new QuernError("ADDRESS_UNAVAILABLE", `${at} needs rights that this process does not have. Choose a port from 1024 upwards.`, {
        cause: error,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new QuernError(
        "ADDRESS_UNAVAILABLE",
        `No interface of this machine is called ${host}. Use 127.0.0.1 for this machine only, 0.0.0.0 for all.`,
        {
          cause: error,
        },
      );
    default:
      return new QuernError("ADDRESS_UNAVAILABLE", `${at} cannot be listened on: ${error.message}.`, { cause: error });
  }
}
