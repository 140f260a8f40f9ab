// `api.Dgraph` over gRPC, in front of the paths of the HTTP surface: what holds there for callers, limits and rights holds here.

import { createServer, type Server as NetServer, type Socket } from "node:net";
import { experimental, Server, ServerCredentials } from "@grpc/grpc-js";
import type { KernelEndpoint, Listening, ListenOptions, Transport } from "../../core/transport.ts";
import { addressError, type TlsOptions, urlOf } from "../node-http/index.ts";
import { admitting } from "./admission.ts";
import { Calls } from "./calls/calls.ts";
import { type WatchedCertificate, watchCertificate } from "./certificate.ts";
import { apiDefinition } from "./wire/api-definition.ts";
import { measured } from "./wire/measured-messages.ts";

/** Options of `grpcTransport`. */
export interface GrpcTransportOptions {
  /** Default: the one that the server gives it, after those of the transports before it. Dgraph's is 9080. */
  readonly port?: number | undefined;
  /** Encrypts connections. The files are read again when they change. */
  readonly tls?: TlsOptions | undefined;
  /** The longest message of a client, in bytes. Default: `limits.maxBodyBytes`. */
  readonly maxMessageBytes?: number | undefined;
  /** Calls that one connection has open; a client keeps others back. Default: 32. */
  readonly maxConcurrentCalls?: number | undefined;
}

/** Of the memory that HTTP/2 needs for one connection, in megabytes. */
const sessionMegabytes = 32;
const idleMs = 30 * 60_000;
const keepaliveMs = 60_000;

/**
 * A transport for clients that speak gRPC with Dgraph.
 *
 *     transports: [wsTransport(), grpcTransport({ port: 9080 })]
 */
export function grpcTransport(options: GrpcTransportOptions = {}): Transport {
  return { name: "grpc", listen: (endpoint, { host, port }) => listen(endpoint, { host, port: options.port ?? port }, options) };
}

async function listen(endpoint: KernelEndpoint, where: ListenOptions, options: GrpcTransportOptions): Promise<Listening> {
  const { tls, maxMessageBytes = endpoint.maxBodyBytes, maxConcurrentCalls = 32 } = options;
  const definition = apiDefinition();
  const { service, sizes } = measured(definition.service);
  const sockets = new Map<string, Socket>();
  const grpc = new Server({
    interceptors: [admitting(endpoint, { sizes, maxMessageBytes, socketOf: (call) => sockets.get(call.getPeer()) })],
    "grpc.max_receive_message_length": maxMessageBytes,
    // Answers are bounded where they are made.
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": maxConcurrentCalls,
    "grpc-node.max_session_memory": sessionMegabytes,
    "grpc.max_connection_idle_ms": idleMs,
    "grpc.keepalive_time_ms": keepaliveMs,
  });
  grpc.addService(service, new Calls(endpoint, definition).handlers());
  const certificate = tls && (await watchCertificate(tls, endpoint));
  const injector = grpc.createConnectionInjector(credentialsOf(certificate));
  const server = createServer({ noDelay: true }, (socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    sockets.set(peer, socket);
    socket.once("close", () => sockets.delete(peer)).on("error", () => socket.destroy());
    injector.injectConnection(socket);
  });
  await started(server, where, endpoint).catch((thrown: unknown) => {
    certificate?.stop();
    grpc.forceShutdown();
    throw thrown;
  });
  return {
    url: urlOf(where.host, server.address()).replace("http", tls ? "grpcs" : "grpc"),
    close: (graceMs) => close({ server, grpc, sockets }, graceMs).finally(() => certificate?.stop()),
  };
}

function credentialsOf(certificate: WatchedCertificate | undefined): ServerCredentials {
  return certificate
    ? experimental.createCertificateProviderServerCredentials(certificate.provider, null, false)
    : ServerCredentials.createInsecure();
}

function started(server: NetServer, where: ListenOptions, endpoint: KernelEndpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(addressError(error, where));
    server.once("error", failed);
    server.listen(where, () => {
      server.off("error", failed);
      server.on("error", (error) => endpoint.fault?.(error));
      resolve();
    });
  });
}

interface Running {
  readonly server: NetServer;
  readonly grpc: Server;
  /** By peer. */
  readonly sockets: ReadonlyMap<string, Socket>;
}

/** Clients learn that no further calls are taken; the open ones are answered within `graceMs`. */
function close({ server, grpc, sockets }: Running, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      grpc.forceShutdown();
      for (const socket of sockets.values()) socket.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    grpc.tryShutdown(() => {
      for (const socket of sockets.values()) socket.destroySoon();
    });
  });
}
