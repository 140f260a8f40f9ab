// What carries requests to the kernel. A transport moves bytes: it owns listening, body limits while reading, sockets and
// closing. What a request means, its encodings, its headers, its wording and the states of WebSocket protocols are the kernel's.

import type { MaybePromise } from "../ground/values/value.ts";

export interface Transport {
  /** A word for logs: `ws`, `yoga`. */
  readonly name: string;
  /** Starts to listen. Errors: `ADDRESS_IN_USE`, `ADDRESS_UNAVAILABLE`. */
  listen(endpoint: KernelEndpoint, options: ListenOptions): Promise<Listening>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface Listening {
  /** Where clients go, `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Takes no new requests, lets running ones finish for `graceMs` at most, then closes every socket. */
  close(graceMs: number): Promise<void>;
}

/** The kernel as a transport sees it. */
export interface KernelEndpoint {
  /** Never rejects: a fault is an answer too. */
  http(request: HttpRequest): MaybePromise<HttpResponse>;
  /** Bytes of a body as sent, before it is unpacked; a longer one is answered by `bodyTooLarge` without being read. */
  readonly maxBodyBytes: number;
  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse;
  /** A client asks for a WebSocket: who speaks on it, or the answer that refuses it. Never rejects. A transport without WebSockets never asks. */
  upgrade(request: Omit<HttpRequest, "body">): MaybePromise<HttpResponse | SocketAcceptance>;
  /** Takes a fault that belongs to no answer, for the log. */
  fault?(thrown: unknown): void;
}

/** Plain data: tests need no port. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as sent: `/graphql?query=...`. */
  readonly url: string;
  /** Names in lower case; a name sent twice is joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent, still packed. */
  readonly body: Uint8Array;
  /** The peer's address, which decides whether the request is from this machine. Undefined or empty where it has none: then it is not. */
  readonly remoteAddress?: string;
  /** Calls `listener` when the client has gone. Asked for only by long work. */
  readonly onGone?: (listener: () => void) => void;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. `content-length` is the transport's. */
  readonly headers: Readonly<Record<string, string>>;
  /** A finished text, or bytes that are packed already. Empty when there is a `stream`. */
  readonly body: string | Uint8Array;
  /** Called once the head is sent: the body comes piece by piece, without a length. */
  readonly stream?: (outlet: Outlet) => OutletListener;
}

/** Where the kernel writes to a client that stays: the body of a response, or a WebSocket. Nothing here throws; after the end all of it is ignored. */
export interface Outlet {
  /** Whole characters: a piece of the body, or one text frame. */
  send(text: string): void;
  /** Bytes handed over that the client's connection has not taken yet. The kernel sends nothing that can wait while there are some. */
  readonly waiting: number;
  /** Ends the body after what is sent; on a WebSocket `close(1000, "")`. */
  end(): void;
}

/** What the transport tells of an outlet. */
export interface OutletListener {
  /** `waiting` was above 0 and is 0 again. */
  drained(): void;
  /** The transport is closing: say what is left to say and end. What stays is cut after the grace time. */
  leaving(): void;
  /** It is over, whoever ended it. Called once; nothing else is called after it. */
  closed(): void;
}

export interface SocketAcceptance {
  /** The subprotocol to name in the handshake's answer; undefined: none is named. */
  readonly protocol: string | undefined;
  /** A longer message ends the connection with 1009, without being held in memory. */
  readonly maxMessageBytes: number;
  /** Called once, when the WebSocket is open. */
  open(socket: Socket): SocketListener;
}

export interface Socket extends Outlet {
  /** The client's WebSocket library answers by itself, and `pong` tells. */
  ping(): void;
  /** Sends a close frame after what is sent. The transport drops a peer that does not answer it in a few seconds. */
  close(code: number, reason: string): void;
  /** Drops the connection without a word. */
  terminate(): void;
}

export interface SocketListener extends OutletListener {
  /** One whole message, text or binary alike, as UTF-8. */
  message(text: string): void;
  pong(): void;
}
