// The transports that --transport can name.

import { QuernError, type Transport } from "../../core/index.ts";
import { wsTransport } from "../ws/index.ts";

export const transportNames = ["ws", "yoga"] as const;
export type TransportName = (typeof transportNames)[number];

/** Errors: `CONFIG_INVALID` if the transport's package is not installed. */
export async function namedTransport(name: TransportName): Promise<Transport> {
  return name === "ws" ? wsTransport() : (await yoga()).yogaTransport();
}

/** Imported on demand, because its package is an optional peer dependency. */
async function yoga() {
  try {
    return await import("../yoga/index.ts");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new QuernError("CONFIG_INVALID", "The transport yoga needs a package that is not installed. Run: npm install graphql-yoga", {
      cause: error,
    });
  }
}
