// WebSockets on a server of Node: the handshake, and who is open. The listening server of our transports uses it, and whoever mounts
// the kernel in a server of their own.

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Socket as NetSocket } from "node:net";
import { WebSocketServer } from "ws";
import { type HttpResponse, isPromise, type KernelEndpoint, type SocketAcceptance } from "../../core/index.ts";
import { headOf } from "./plain-request.ts";
import { afterAnswers, ignoreUpgrade } from "./upgrades.ts";
import { WireSocket } from "./wire-socket.ts";

export interface WebSocketsOptions {
  /** What stands before `/graphql` in the URL: `/api`. Default: "". */
  readonly basePath?: string;
  /** How long a client may take no byte of what waits for it. Default: 60,000. */
  readonly stalledClientMs?: number;
}

/** How long a peer may take to answer a close frame. */
const closeTimeoutMs = 5_000;

/** The largest that the library counts. */
const mostBytes = 2 ** 31 - 1;

/** For clients that offer it. Each message for itself, small tables: 80 kB for each connection that gets long messages, not 300. */
const packing = {
  threshold: 1_024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  serverMaxWindowBits: 13,
  zlibDeflateOptions: { level: 1, memLevel: 6 },
};

/** For a server that is not ours: `webSockets(kernel).attach(server)`. Closing the kernel ends all of them. */
export function webSockets(endpoint: KernelEndpoint, options: WebSocketsOptions = {}): WebSockets {
  return new WebSockets(endpoint, options);
}

export class WebSockets {
  readonly #endpoint: KernelEndpoint;
  readonly #basePath: string;
  readonly #stalledClientMs: number;
  /** Undefined while the kernel is asked. */
  readonly #open = new Map<NetSocket, WireSocket | undefined>();
  #leaving = false;

  constructor(endpoint: KernelEndpoint, { basePath = "", stalledClientMs = 60_000 }: WebSocketsOptions) {
    this.#endpoint = endpoint;
    this.#basePath = basePath;
    this.#stalledClientMs = stalledClientMs;
  }

  /**
   * Takes over each connection of `server` whose client asks for a WebSocket. A request that asks for another protocol, such as the `h2c`
   * of Java's clients, is answered as if it did not. For a server on which nobody else listens for upgrades.
   */
  attach(server: Server): void {
    server.on("upgrade", (request, _socket, head) => {
      afterAnswers(request.socket, () => {
        if (isWebSocketUpgrade(request)) this.upgrade(request, head);
        else ignoreUpgrade(server, request, head);
      });
    });
  }

  /** Takes over the connection of a request that asks for a WebSocket. @param head what was read of the connection beyond the request */
  upgrade(request: IncomingMessage, head: Buffer): void {
    const { socket } = request;
    if (socket.destroyed) return;
    this.#open.set(socket, undefined);
    socket.once("close", () => this.#open.delete(socket));
    socket.on("error", drop);
    const answer = this.#endpoint.upgrade(this.#plain(request));
    if (isPromise(answer)) answer.then((value) => this.#answer(value, request, head));
    else this.#answer(answer, request, head);
  }

  has(socket: NetSocket): boolean {
    return this.#open.has(socket);
  }

  /** Everyone is told that the server is closing; those who come later, too. */
  leave(): void {
    this.#leaving = true;
    for (const each of this.#open.values()) each?.leave();
  }

  #plain(request: IncomingMessage) {
    const head = headOf(request);
    const prefixed = this.#basePath !== "" && head.url.startsWith(`${this.#basePath}/`);
    return prefixed ? { ...head, url: head.url.slice(this.#basePath.length) } : head;
  }

  #answer(answer: HttpResponse | SocketAcceptance, request: IncomingMessage, head: Buffer): void {
    if ("open" in answer) this.#accept(answer, request, head);
    else refuse(answer, request.socket);
  }

  #accept(acceptance: SocketAcceptance, request: IncomingMessage, head: Buffer): void {
    const { socket } = request;
    handshake(acceptance).handleUpgrade(request, socket, head, (ws) => {
      socket.off("error", drop);
      try {
        const opened = new WireSocket(ws, socket, { stalledClientMs: this.#stalledClientMs, acceptance });
        this.#open.set(socket, opened);
        if (this.#leaving) opened.leave();
      } catch (fault) {
        // Nobody else's connection may suffer from it.
        this.#endpoint.fault?.(fault);
        ws.terminate();
      }
    });
  }
}

function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** Answers this one request: 400 where it is no handshake, as the library judges it. */
function handshake({ protocol, maxMessageBytes }: SocketAcceptance): WebSocketServer {
  // The library's types do not know `closeTimeout` yet.
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload: Math.min(maxMessageBytes, mostBytes),
    perMessageDeflate: packing,
    handleProtocols: () => protocol ?? false,
    closeTimeout: closeTimeoutMs,
  };
  return new WebSocketServer(options);
}

function refuse({ status, headers, body }: HttpResponse, socket: NetSocket): void {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ ...headers, "content-length": String(bytes.length), connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`);
  socket.write(bytes);
  socket.destroySoon();
}

function drop(this: NetSocket): void {
  this.destroy();
}
