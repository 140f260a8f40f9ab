// A listening `node:http` server in front of an endpoint: requests, WebSockets, limits and closing.

import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import { type KernelEndpoint, type Listening, type ListenOptions, putOffTurns } from "../../core/transport.ts";
import { addressError, urlOf } from "./address.ts";
import { defaultStallMs } from "./body-sender.ts";
import { RequestHandler } from "./request-handler.ts";
import { readTlsFiles, type TlsOptions, watchTlsFiles } from "./tls.ts";
import { refuseUnreadable } from "./unreadable.ts";
import { WebSockets } from "./web-sockets.ts";

/** Limits of the server. The defaults leave well-behaved clients room. */
export interface HttpServerOptions {
  /** Bytes of the request line and all headers, so also of a query in a URL; more is answered 431. Default: 65,536. */
  readonly maxHeaderBytes?: number;
  /** How long the headers of a request may take to arrive, in milliseconds. Default: 20,000. */
  readonly headersTimeoutMs?: number;
  /** How long a complete request may take to arrive, in milliseconds. Default: 300,000. */
  readonly requestTimeoutMs?: number;
  /** How long an idle connection stays open, in milliseconds. Default: 65,000, a little longer than proxies keep theirs. */
  readonly keepAliveMs?: number;
  /** How long a client may read nothing of an answer, an event stream or a WebSocket message, in milliseconds. Default: `limits.stallMs`. */
  readonly stalledClientMs?: number;
  /** Serves `https` and `wss` instead of `http` and `ws`. The files are read again when they change. */
  readonly tls?: TlsOptions | undefined;
}

const checkEveryMs = 5_000;

/** Listens and serves `endpoint`. Resolves when the server accepts requests. Errors: `ADDRESS_IN_USE`, `ADDRESS_UNAVAILABLE`. */
export async function listenHttp(endpoint: KernelEndpoint, where: ListenOptions, options: HttpServerOptions = {}): Promise<Listening> {
  const stalledClientMs = options.stalledClientMs ?? endpoint.stallMs ?? defaultStallMs;
  const handler = new RequestHandler(endpoint, stalledClientMs);
  const webSockets = new WebSockets(endpoint, { stalledClientMs }, handler.starts);
  const { server, scheme, stopWatching } = await created(endpoint, options);
  server.on("request", (request, response) => handler.handle(request, response));
  server.on("checkContinue", (request, response) => handler.handleExpecting(request, response));
  server.on("clientError", (error, socket) => void refuseUnreadable(error, socket, handler.answered(socket)));
  server.on("upgrade", ({ socket }) => handler.detach(socket));
  webSockets.attach(server);
  const sockets = trackSockets(server);
  server.on("connection", () => {
    putOffTurns();
    handler.starts.accepted();
  });
  await started(server, where, endpoint).catch((error: unknown) => {
    stopWatching();
    throw error;
  });
  return {
    url: urlOf(where.host, server.address(), scheme),
    close(graceMs) {
      stopWatching();
      return close({ server, handler, webSockets, sockets }, graceMs);
    },
  };
}

interface Created {
  readonly server: Server;
  readonly scheme: "http" | "https";
  readonly stopWatching: () => void;
}

async function created(endpoint: KernelEndpoint, options: HttpServerOptions): Promise<Created> {
  const limits = {
    maxHeaderSize: options.maxHeaderBytes ?? 65_536,
    headersTimeout: options.headersTimeoutMs ?? 20_000,
    requestTimeout: options.requestTimeoutMs ?? 300_000,
    keepAliveTimeout: options.keepAliveMs ?? 65_000,
    connectionsCheckingInterval: Math.min(checkEveryMs, options.headersTimeoutMs ?? checkEveryMs),
    joinDuplicateHeaders: true,
    noDelay: true,
  };
  const { tls } = options;
  if (tls === undefined) return { server: createServer(limits), scheme: "http", stopWatching: () => undefined };
  const server = createSecureServer({ ...limits, ...(await readTlsFiles(tls)), handshakeTimeout: limits.headersTimeout });
  const stopWatching = await watchTlsFiles(tls, {
    changed: (files) => server.setSecureContext(files),
    failed: (thrown) => endpoint.fault?.(thrown),
  });
  return { server, scheme: "https", stopWatching };
}

interface Running {
  readonly server: Server;
  readonly handler: RequestHandler;
  readonly webSockets: WebSockets;
  readonly sockets: ReadonlySet<Socket>;
}

/** All open connections. `node:http` does not count a connection that has sent nothing as idle. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", track);
  // After the handshake the encrypted socket stands for its connection: requests and WebSockets know only that one.
  server.on("secureConnection", (socket: Socket) => {
    const isSame = (other: Socket) => other.remotePort === socket.remotePort && other.remoteAddress === socket.remoteAddress;
    for (const other of sockets) if (isSame(other)) sockets.delete(other);
    track(socket);
  });
  return sockets;
}

function started(server: Server, where: ListenOptions, endpoint: KernelEndpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(addressError(error, where));
    server.once("error", failed);
    server.listen({ host: where.host, port: where.port }, () => {
      server.off("error", failed);
      // A connection that could not be accepted (too many open files) does not affect the others.
      server.on("error", (error) => endpoint.fault?.(error));
      resolve();
    });
  });
}

function close({ server, handler, webSockets, sockets }: Running, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    const busy = handler.stopKeepingAlive();
    for (const socket of sockets) if (!busy.has(socket) && !webSockets.has(socket)) socket.destroySoon();
    webSockets.leave();
  });
}
