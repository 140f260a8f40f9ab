// What carries requests to the kernel. A transport moves bytes: it owns listening, body limits while reading, sockets and
// closing. What a request means, its encodings, its headers and its wording are the kernel's.

import type { MaybePromise } from "./values.ts";

export interface Transport {
  /** A word for logs: `ws`, `yoga`. */
  readonly name: string;
  /** Starts to listen. Errors: `ADDRESS_IN_USE`, `ADDRESS_UNAVAILABLE`. */
  listen(door: Door, options: ListenOptions): Promise<Listening>;
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
export interface Door {
  /** Never rejects: a fault is an answer too. */
  http(request: HttpRequest): MaybePromise<HttpResponse>;
  /** Bytes of a body as sent, before it is unpacked; a longer one is answered by `bodyTooLarge` without being read. */
  readonly maxBodyBytes: number;
  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse;
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
  /** The peer's address, for allow-lists; undefined inside a process. */
  readonly remoteAddress?: string;
  /** Calls `listener` when the client has gone. Asked for only by long work. */
  readonly onGone?: (listener: () => void) => void;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. `content-length` is the transport's. */
  readonly headers: Readonly<Record<string, string>>;
  /** A finished text, or bytes that are packed already. */
  readonly body: string | Uint8Array;
}
