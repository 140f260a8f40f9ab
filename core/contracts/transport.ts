// The contract between the kernel and a transport (an HTTP server). A transport moves bytes: it listens, limits bodies while it reads them,
// owns sockets, and closes. The kernel owns the meaning: content encodings, headers, error texts, and the WebSocket subprotocols.

import type { MaybePromise } from "../ground/values/value.ts";

/**
 * An HTTP server that passes requests to the kernel. The smallest one, without body limits and WebSockets:
 *
 *     const transport: Transport = {
 *       name: "tiny",
 *       listen: async (endpoint, { host, port }) => {
 *         const server = createServer(async (request, response) => {
 *           const { method = "GET", url = "/", headers } = request;
 *           const body = await buffer(request);
 *           const answer = await endpoint.http({ method, url, headers: joined(headers), body, remoteAddress: request.socket.remoteAddress ?? "" });
 *           response.writeHead(answer.status, answer.headers).end(answer.body);
 *         });
 *         await once(server.listen(port, host), "listening");
 *         return { url: urlOf(server), close: async () => void server.close() };
 *       },
 *     };
 *
 * A transport on `node:http` uses `listenHttp`, which does all of it. `transportConformance` of `quern/conformance` tests a transport.
 */
export interface Transport {
  /** The transport's name in logs, one word: `ws`, `yoga`. */
  readonly name: string;
  /**
   * Starts to listen.
   *
   * @throws `ADDRESS_IN_USE` when another process listens on the port, `ADDRESS_UNAVAILABLE` when the host or port cannot be used
   */
  listen(endpoint: KernelEndpoint, options: ListenOptions): Promise<Listening>;
}

/** Where to listen. */
export interface ListenOptions {
  /** A host name or an IP address. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** A server that listens. */
export interface Listening {
  /** The address for clients, without a path: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Accepts no new requests, waits up to `graceMs` milliseconds for running ones, then closes every socket. */
  close(graceMs: number): Promise<void>;
}

/**
 * The kernel, as a transport sees it. Of each request: `bodyTooLarge` if its body is too long, `overloaded` if there is no room for it, otherwise `http`.
 * Of each handshake: `upgrade`.
 */
export interface KernelEndpoint {
  /** Answers one request. Never rejects: an internal error is a response too. */
  http(request: HttpRequest): MaybePromise<HttpResponse>;
  /** The limit on a body as sent (before decompression), in bytes. A transport stops reading a longer one and answers with `bodyTooLarge`. */
  readonly maxBodyBytes: number;
  /** The limit on the body of this request, never below `maxBodyBytes`: administrators may send more. Undefined: `maxBodyBytes` is that of all. */
  readonly bodyLimit?: ((request: Omit<HttpRequest, "body">) => number) | undefined;
  /**
   * Whether the body of this request, however long, is handed over as it arrives (`HttpRequest.incoming`) instead of whole: an upload. Undefined: none is. A transport
   * that does not ask reads the whole body within its limit.
   */
  readonly streams?: ((request: Omit<HttpRequest, "body">) => boolean) | undefined;
  /** The response to a request whose body exceeds its limit. */
  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse;
  /**
   * Answers a WebSocket handshake: accepts it, or refuses it with a response. Never rejects. A transport without WebSockets never calls it.
   */
  upgrade(request: Omit<HttpRequest, "body">): MaybePromise<HttpResponse | SocketAcceptance>;
  /** Logs an internal error that belongs to no response. */
  fault?(thrown: unknown): void;
  /** Room for bodies. A transport reserves it before it reads a body of more than 64 KiB, and releases it with the response. */
  readonly bodies?: BodyRoom | undefined;
  /** The response to a request for whose body there is no room. */
  readonly overloaded?: ((request: Omit<HttpRequest, "body">) => HttpResponse) | undefined;
  /** Counts what the transport holds for clients. Undefined: nobody counts. */
  readonly unsent?: Unsent | undefined;
  /** How long a client may take nothing of what the transport sends to it, in milliseconds; then the transport cuts its connection. */
  readonly stallMs?: number | undefined;
  /** Requests of one connection that begin before the client has the answers to earlier ones. Undefined: a transport has a number of its own. */
  readonly maxStarting?: number | undefined;
  /** For whom a request counts where many wait: callers begin one after the other. Undefined: for its address. */
  readonly callerOf?: ((request: Omit<HttpRequest, "body">) => string | undefined) | undefined;
}

/**
 * Bounds the memory that bodies take over all connections.
 *
 *     const lease = await endpoint.bodies?.reserve(endpoint.maxBodyBytes);
 *     if (lease === undefined) return endpoint.overloaded?.(request);
 *     const body = await buffer(incoming);
 *     lease.shrink(body.length);
 *     try {
 *       return await endpoint.http({ ...request, body });
 *     } finally {
 *       lease.release();
 *     }
 */
export interface BodyRoom {
  /** Undefined: there was no room in time. */
  reserve(bytes: number): MaybePromise<BodyLease | undefined>;
}

/** Reserved memory. */
export interface BodyLease {
  /** Fewer bytes are needed. */
  shrink(bytes: number): void;
  /** The body is no longer held. */
  release(): void;
}

/**
 * Bytes that a transport holds for clients that have not taken them. The kernel bounds them over all connections.
 *
 *     const held = endpoint.unsent?.open(() => socket.destroy());
 *     held?.update(response.writableLength); // after each write, and each time that the client has taken some
 *     held?.update(0); // when the connection ends
 */
export interface Unsent {
  /** What all connections hold together. */
  readonly bytes: number;
  /** @param cut called when the server holds too much, and this connection has waited longest for its client: the transport ends it */
  open(cut: () => void): HeldBytes;
}

/** What a transport holds for one connection. */
export interface HeldBytes {
  /** @param bytes how many it holds now */
  update(bytes: number): void;
}

/**
 * A request as plain data, so that tests need no port:
 *
 *     await endpoint.http({
 *       method: "POST",
 *       url: "/graphql",
 *       headers: { "content-type": "application/json" },
 *       body: Buffer.from(JSON.stringify({ query: "{ queryAuthor { name } }" })),
 *     });
 */
export interface HttpRequest {
  /** In upper case: `POST`. */
  readonly method: string;
  /** Path and query as sent: `/graphql?query=...`. */
  readonly url: string;
  /** By lower-case name. The values of a repeated header are joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent, with its content encoding. */
  readonly body: Uint8Array;
  /**
   * The body as it arrives, where `KernelEndpoint.streams` wants it so; `body` is empty then. It is read once, and who reads it sets the pace. It throws when the client
   * breaks off. When the answer comes before its end, the transport drops the rest and ends the connection.
   */
  readonly incoming?: AsyncIterable<Uint8Array>;
  /** The peer's IP address. The kernel treats a loopback address as this machine. Undefined or empty: unknown, and not this machine. */
  readonly remoteAddress?: string;
  /** Calls `listener` when the client disconnects before the response is complete. */
  readonly onGone?: (listener: () => void) => void;
}

/**
 * A response as plain data:
 *
 *     { status: 200, headers: { "content-type": "application/json" }, body: '{"data":{"queryAuthor":[]}}' }
 */
export interface HttpResponse {
  readonly status: number;
  /**
   * By lower-case name. A list is sent as so many lines of the same name: `{ "set-cookie": ["a=1; HttpOnly", "b=2; HttpOnly"] }`. The transport adds
   * `content-length`.
   */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** A string, or bytes that have their content encoding. Empty when `stream` is set. */
  readonly body: string | Uint8Array;
  /**
   * The bytes of a long body, to be sent one after the other as the client takes them. `body` holds the same, put together when it is read. A piece may lie
   * in a resizable `ArrayBuffer`: sockets and streams take it, but `new Response(piece)` does not.
   */
  readonly pieces?: readonly Uint8Array[];
  /**
   * The bytes of a body that is read as the client takes them, such as a file; `body` is empty then. `headers` may have its `content-length`. The transport reads it
   * once, not for `HEAD`, and ends it early when the client goes. What it throws cuts the connection.
   */
  readonly source?: AsyncIterable<Uint8Array>;
  /** Set for a streamed body. The transport sends the head without a length, then calls it. */
  readonly stream?: (outlet: Outlet) => OutletListener;
}

/** Where the kernel writes a stream: a response body or a WebSocket. No method throws. After the end every call is ignored. */
export interface Outlet {
  /** Writes whole characters: a chunk of the body, or one text frame. */
  send(text: string): void;
  /** Backpressure: bytes written that the client's connection has not accepted yet. The kernel delays what can wait while it is above 0. */
  readonly waiting: number;
  /** Ends the body after everything that was written. On a WebSocket: `close(1000, "")`. */
  end(): void;
}

/** Events of an outlet, which the transport reports to the kernel. */
export interface OutletListener {
  /** `waiting` has returned to 0. */
  drained(): void;
  /** The transport is closing. The kernel writes its last messages and ends; after the grace period the transport cuts the connection. */
  leaving(): void;
  /** The connection has ended, from either side. Called exactly once and last. */
  closed(): void;
}

/**
 * The answer to an accepted WebSocket handshake. It has `open`, a refusal has `status`:
 *
 *     const answer = await endpoint.upgrade(request);
 *     if ("open" in answer) accept(request, answer);
 *     else refuse(request, answer);
 */
export interface SocketAcceptance {
  /** The subprotocol to name in the handshake's response. Undefined: none. */
  readonly protocol: string | undefined;
  /** The limit on one message in bytes. The transport closes with 1009 on a longer one, and does not buffer it. */
  readonly maxMessageBytes: number;
  /** Called once, when the WebSocket is open. */
  open(socket: Socket): SocketListener;
}

/** An open WebSocket, as the kernel sees it. */
export interface Socket extends Outlet {
  /** Reads no more messages of the client until `resume`. */
  pause?(): void;
  /** Reads messages again. Called after `pause` alone. */
  resume?(): void;
  /** Sends a ping frame. The transport calls `pong` of the listener when the answer arrives. */
  ping(): void;
  /** Sends a close frame after everything that was written. The transport cuts a peer that does not answer it within a few seconds. */
  close(code: number, reason: string): void;
  /** Cuts the connection without a close frame. */
  terminate(): void;
}

/**
 * Events of a WebSocket, which the transport reports to the kernel. With the package `ws`:
 *
 *     const listener = acceptance.open(socketOf(ws));
 *     ws.on("message", (data) => listener.message(data.toString()));
 *     ws.on("pong", () => listener.pong());
 *     ws.on("close", () => listener.closed());
 */
export interface SocketListener extends OutletListener {
  /** One complete message. A binary message is decoded as UTF-8. */
  message(text: string): void;
  /** The peer has answered a ping. */
  pong(): void;
}
