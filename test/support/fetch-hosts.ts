// `fetchHandler` on hosts of the Fetch API, each as a transport, so that the transport kit can judge it: what a host owes is written here, and nowhere in the
// handler.

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createServerAdapter } from "@whatwg-node/server";
import { type Context, Hono } from "hono";
import { type FetchHandler, fetchHandler } from "../../adapters/fetch/index.ts";
import { webSockets } from "../../adapters/node-http/index.ts";
import { type HttpResponse, type KernelEndpoint, type OutletListener, QuernError, type Transport } from "../../core/transport.ts";

type Handler = FetchHandler<[IncomingMessage]>;

/** As an application with routes of its own would mount it. */
function honoListener(handler: Handler): RequestListener {
  const app = new Hono<{ Bindings: { readonly incoming: IncomingMessage } }>();
  app.all("*", (c: Context<{ Bindings: { readonly incoming: IncomingMessage } }>) => handler(c.req.raw, c.env.incoming));
  return getRequestListener((request, env) => app.fetch(request, env));
}

function whatwgListener(handler: Handler): RequestListener {
  return createServerAdapter<{ readonly req: IncomingMessage }>((request, { req }) => handler(request, req));
}

export const fetchHosts: Readonly<Record<string, () => Transport>> = {
  hono: () => hosted("hono", honoListener),
  "@whatwg-node/server": () => hosted("whatwg", whatwgListener),
};

function hosted(name: string, listenerOf: (handler: Handler) => RequestListener): Transport {
  return {
    name,
    async listen(endpoint, { host, port }) {
      const streams = new OpenStreams();
      const remoteAddress = (_request: Request, { socket }: IncomingMessage) => socket.remoteAddress;
      const handler = fetchHandler<[IncomingMessage]>(streams.watched(endpoint), { remoteAddress });
      const server = createServer({ keepAliveTimeout: 60_000 }, listenerOf(handler));
      const sockets = webSockets(endpoint);
      sockets.attach(server);
      const connections = new Connections(server, (socket) => sockets.has(socket));
      await listening(server, port, host);
      const address = server.address();
      return {
        url: `http://${host}:${typeof address === "object" ? address?.port : port}`,
        async close(graceMs) {
          sockets.leave();
          streams.leave();
          await closed(server, connections, graceMs);
        },
      };
    },
  };
}

/** Streams that a host does not know as such: with a kernel, `kernel.close` ends them. */
class OpenStreams {
  readonly #open = new Set<OutletListener>();
  #leaving = false;

  watched(endpoint: KernelEndpoint): KernelEndpoint {
    const { maxBodyBytes, bodies, overloaded, unsent, stallMs } = endpoint;
    return {
      http: async (request) => this.#watch(await endpoint.http(request)),
      maxBodyBytes,
      bodies,
      unsent,
      stallMs,
      overloaded: overloaded && ((request) => overloaded.call(endpoint, request)),
      bodyLimit: endpoint.bodyLimit && ((request) => endpoint.bodyLimit?.(request) ?? maxBodyBytes),
      streams: endpoint.streams && ((request) => endpoint.streams?.(request) ?? false),
      bodyTooLarge: (request) => endpoint.bodyTooLarge(request),
      upgrade: (request) => endpoint.upgrade(request),
      fault: (thrown) => endpoint.fault?.(thrown),
    };
  }

  leave(): void {
    this.#leaving = true;
    for (const each of [...this.#open]) each.leaving();
  }

  #watch(answer: HttpResponse): HttpResponse {
    const { stream } = answer;
    if (stream === undefined) return answer;
    return {
      ...answer,
      stream: (outlet) => {
        const inner = stream(outlet);
        const listener: OutletListener = {
          drained: () => inner.drained(),
          leaving: () => inner.leaving(),
          closed: () => {
            this.#open.delete(listener);
            inner.closed();
          },
        };
        this.#open.add(listener);
        if (this.#leaving) inner.leaving();
        return listener;
      },
    };
  }
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    if (!isTaken) throw cause;
    throw new QuernError("ADDRESS_IN_USE", `Another process listens on port ${port}.`, { cause });
  }
}

/** The connections of a server, as far as closing needs them. */
class Connections {
  readonly #running = new Map<Socket, number>();
  readonly #isOther: (socket: Socket) => boolean;
  #leaving = false;

  /** @param isOther of a connection that ends by itself, such as a WebSocket */
  constructor(server: Server, isOther: (socket: Socket) => boolean) {
    this.#isOther = isOther;
    server.on("connection", (socket: Socket) => {
      this.#running.set(socket, 0);
      socket.once("close", () => this.#running.delete(socket));
    });
    server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#count(socket, 1);
      response.once("close", () => this.#count(socket, -1));
    });
  }

  /** Ends those that are idle, and each other one after its answer. */
  leave(): void {
    this.#leaving = true;
    for (const socket of this.#running.keys()) this.#count(socket, 0);
  }

  cut(): void {
    for (const socket of this.#running.keys()) socket.destroy();
  }

  #count(socket: Socket, more: number): void {
    const running = (this.#running.get(socket) ?? 0) + more;
    if (this.#running.has(socket)) this.#running.set(socket, running);
    if (this.#leaving && running === 0 && !this.#isOther(socket)) socket.destroySoon();
  }
}

async function closed(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const over = once(server, "close");
  server.close();
  connections.leave();
  const late = setTimeout(() => connections.cut(), graceMs);
  await over;
  clearTimeout(late);
}
