// Opens the transport that --transport names.

import { QuernError, type Transport } from "../../../core/transport.ts";
import type { TlsOptions } from "../../node-http/index.ts";
import { wsTransport } from "../../ws/index.ts";

export type TransportName = "ws" | "yoga";

export interface TlsChoice {
  /** Paths of PEM files. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Errors: `CONFIG_INVALID` if the transport's package is not installed. */
export async function namedTransport(name: TransportName, tls?: TlsOptions): Promise<Transport> {
  return name === "ws" ? wsTransport({ tls }) : (await yoga()).yogaTransport({ tls });
}

/** The options of the command line; undefined: no TLS. Errors: `CONFIG_INVALID` if only one file is given. */
export function tlsOptions({ tlsCert, tlsKey }: TlsChoice): TlsOptions | undefined {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  throw new QuernError("CONFIG_INVALID", "TLS needs both a certificate and its key: --tls-cert <file> --tls-key <file>.");
}

/** A transport for clients of Dgraph's gRPC protocol. Errors: `CONFIG_INVALID` if its packages are not installed. */
export async function grpcOn(port: number, tls?: TlsOptions): Promise<Transport> {
  const needed = "--grpc needs packages that are not installed. Run: npm install @grpc/grpc-js @grpc/proto-loader";
  return (await installed(() => import("../../grpc/index.ts"), needed)).grpcTransport({ port, tls });
}

async function yoga() {
  return await installed(
    () => import("../../yoga/index.ts"),
    "The transport yoga needs a package that is not installed. Run: npm install graphql-yoga",
  );
}

/** Imports on demand what needs optional peer dependencies. @param otherwise what to do without them */
async function installed<T>(imported: () => Promise<T>, otherwise: string): Promise<T> {
  try {
    return await imported();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new QuernError("CONFIG_INVALID", otherwise, { cause: error });
  }
}
