// A listening `node:http` server in front of a endpoint: what transports for Node have in common, limits and closing included.

import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { KernelEndpoint, Listening, ListenOptions } from "../../core/index.ts";
import { addressError, urlOf } from "./address.ts";
import { RequestHandler } from "./request-handler.ts";
import { refuseUnreadable } from "./unreadable.ts";
import { WebSockets } from "./web-sockets.ts";

/** Each with a default that honest clients never meet. */
export interface HttpServerOptions {
  /** Bytes of all headers and the request line together, so also of a query in a URL. Default: 65,536. */
  readonly maxHeaderBytes?: number;
  /** Until when the headers of a request must have come. Default: 20,000. */
  readonly headersTimeoutMs?: number;
  /** Until when a request must have come whole. Default: 300,000. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may wait for its next request. Default: 65,000, a little more than proxies keep theirs. */
  readonly keepAliveMs?: number;
  /** How long a client may take no byte of an answer, an event stream or a WebSocket's message that waits for it. Default: 60,000. */
  readonly stalledClientMs?: number;
}

const checkEveryMs = 5_000;

/** Resolves when requests are answered. Errors: `ADDRESS_IN_USE`, `ADDRESS_UNAVAILABLE`. */
export async function listenHttp(endpoint: KernelEndpoint, where: ListenOptions, options: HttpServerOptions = {}): Promise<Listening> {
  const stalledClientMs = options.stalledClientMs ?? 60_000;
  const handler = new RequestHandler(endpoint, stalledClientMs);
  const webSockets = new WebSockets(endpoint, { stalledClientMs });
  const server = createServer({
    maxHeaderSize: options.maxHeaderBytes ?? 65_536,
    headersTimeout: options.headersTimeoutMs ?? 20_000,
    requestTimeout: options.requestTimeoutMs ?? 300_000,
    keepAliveTimeout: options.keepAliveMs ?? 65_000,
    connectionsCheckingInterval: Math.min(checkEveryMs, options.headersTimeoutMs ?? checkEveryMs),
    joinDuplicateHeaders: true,
    noDelay: true,
  });
  server.on("request", (request, response) => handler.handle(request, response));
  server.on("checkContinue", (request, response) => handler.handleExpecting(request, response));
  server.on("clientError", (error, socket) => void refuseUnreadable(error, socket, handler.answered(socket)));
  webSockets.attach(server);
  const sockets = trackSockets(server);
  await started(server, where, endpoint);
  return { url: urlOf(where.host, server.address()), close: (graceMs) => close({ server, handler, webSockets, sockets }, graceMs) };
}

interface Running {
  readonly server: Server;
  readonly handler: RequestHandler;
  readonly webSockets: WebSockets;
  readonly sockets: ReadonlySet<Socket>;
}

/** Every open connection, those that never sent a byte included: `node:http` does not count these as idle. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function started(server: Server, where: ListenOptions, endpoint: KernelEndpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(addressError(error, where));
    server.once("error", failed);
    server.listen({ host: where.host, port: where.port }, () => {
      server.off("error", failed);
      // A connection that could not be accepted (too many open files) concerns nobody else.
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
