// WebSockets on a `node:http` server: the handshake and the open connections. `listenHttp` uses it, and so do applications that mount the
// kernel in a server of their own.

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Socket as NetSocket } from "node:net";
import { WebSocketServer } from "ws";
import { type HttpResponse, isPromise, type KernelEndpoint, type SocketAcceptance } from "../../core/transport.ts";
import { defaultStallMs, type SendOptions } from "./body-sender.ts";
import { GatheredFrames } from "./gathered-frames.ts";
import { headOf } from "./plain-request.ts";
import { Starts } from "./starts.ts";
import { afterAnswers, ignoreUpgrade } from "./upgrades.ts";
import { WireSocket } from "./wire-socket.ts";

/** Where WebSockets are accepted, and how long a slow client is waited for. */
export interface WebSocketsOptions {
  /** The path before `/graphql` in the URL, such as `/api`. Default: "". */
  readonly basePath?: string;
  /** How long a client may read nothing of buffered messages, in milliseconds. Default: `limits.stallMs`. */
  readonly stalledClientMs?: number;
}

/** How long a peer may take to answer a close frame. */
const closeTimeoutMs = 5_000;

/** The largest `maxPayload` of the library. */
const maxPayloadBytes = 2 ** 31 - 1;

/** Compression for clients that offer it. No shared context and small windows: 80 kB for each connection with long messages instead of 300. */
const deflateOptions = {
  threshold: 1_024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  serverMaxWindowBits: 13,
  zlibDeflateOptions: { level: 1, memLevel: 6 },
};

/**
 * WebSockets for a server of the application: `webSockets(kernel).attach(server)`. `leave` closes all of them:
 *
 *     const sockets = webSockets(kernel);
 *     sockets.attach(server);
 *     // When the application stops:
 *     server.close();
 *     sockets.leave();
 */
export function webSockets(endpoint: KernelEndpoint, options: WebSocketsOptions = {}): WebSockets {
  return new WebSockets(endpoint, options);
}

/** The WebSockets of an endpoint, on any `node:http` server. */
export class WebSockets {
  readonly #endpoint: KernelEndpoint;
  readonly #basePath: string;
  readonly #sending: SendOptions;
  readonly #starts: Starts;
  readonly #gathered = new GatheredFrames();
  /** Undefined: the kernel has not accepted the WebSocket yet. */
  readonly #open = new Map<NetSocket, WireSocket | undefined>();
  #leaving = false;

  /** @param starts where all that clients of the server ask for begins */
  constructor(
    endpoint: KernelEndpoint,
    { basePath = "", stalledClientMs = endpoint.stallMs ?? defaultStallMs }: WebSocketsOptions,
    starts: Starts = new Starts(),
  ) {
    this.#endpoint = endpoint;
    this.#starts = starts;
    this.#basePath = basePath;
    this.#sending = { stalledClientMs, unsent: endpoint.unsent };
  }

  /**
   * Accepts the WebSockets of `server`. A request to upgrade to another protocol, such as the `h2c` of Java's clients, is answered as plain
   * HTTP. Use it on a server without another listener for upgrades.
   */
  attach(server: Server): void {
    server.on("upgrade", (request, _socket, head) => {
      afterAnswers(request.socket, () => {
        if (isWebSocketUpgrade(request)) this.upgrade(request, head);
        else ignoreUpgrade(server, request, head);
      });
    });
  }

  /** Accepts one WebSocket. @param head the bytes that were read after the request */
  upgrade(request: IncomingMessage, head: Buffer): void {
    const { socket } = request;
    if (socket.destroyed) return;
    this.#open.set(socket, undefined);
    socket.once("close", () => this.#open.delete(socket));
    socket.on("error", drop);
    // Handshakes wait for one another: they take longer than a request by key, and a crowd of them keeps no request waiting.
    this.#starts.add({ caller: () => `${this.#callerOf(request)} socket`, begin: () => this.#ask(request, head) });
  }

  #ask(request: IncomingMessage, head: Buffer): void {
    if (request.socket.destroyed) return;
    const answer = this.#endpoint.upgrade(this.#plain(request));
    if (isPromise(answer)) answer.then((value) => this.#answer(value, request, head));
    else this.#answer(answer, request, head);
  }

  #callerOf(request: IncomingMessage): string {
    return this.#endpoint.callerOf?.(headOf(request)) ?? request.socket.remoteAddress ?? "";
  }

  /** Whether `socket` is a WebSocket, open or in its handshake. */
  has(socket: NetSocket): boolean {
    return this.#open.has(socket);
  }

  /**
   * Closes all WebSockets gracefully, also those that open later: operations without a result get it, then each connection ends with 1012, so that clients
   * subscribe again. Does not wait for them. Call it beside `server.close()`, which waits for open WebSockets and ends none.
   */
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
        const [starts, gathered] = [this.#starts, this.#gathered];
        const opened = new WireSocket(ws, socket, { ...this.#sending, acceptance, starts, gathered, caller: () => this.#callerOf(request) });
        this.#open.set(socket, opened);
        if (this.#leaving) opened.leave();
      } catch (fault) {
        // The fault ends this connection and no other.
        this.#endpoint.fault?.(fault);
        ws.terminate();
      }
    });
  }
}

function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/** Completes one handshake; the library answers 400 if it is malformed. */
function handshake({ protocol, maxMessageBytes }: SocketAcceptance): WebSocketServer {
  // The library's types lack `closeTimeout`.
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload: Math.min(maxMessageBytes, maxPayloadBytes),
    perMessageDeflate: deflateOptions,
    handleProtocols: () => protocol ?? false,
    closeTimeout: closeTimeoutMs,
  };
  return new WebSocketServer(options);
}

function refuse({ status, headers, body }: HttpResponse, socket: NetSocket): void {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ ...headers, "content-length": String(bytes.length), connection: "close" }).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`);
  socket.write(bytes);
  socket.destroySoon();
}

function drop(this: NetSocket): void {
  this.destroy();
}
