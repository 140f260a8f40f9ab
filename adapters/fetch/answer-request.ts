// Asks the kernel with what is in a `Request`: its body within the limits, and in memory that is reserved for it.

import type { BodyLease, HttpRequest, HttpResponse, KernelEndpoint } from "../../core/transport.ts";

/** A request without its body. */
export type RequestHead = Omit<HttpRequest, "body">;

/** Bodies of this size are read at once: their number is bounded as that of requests is. */
const smallBodyBytes = 64 * 1024;

/** Where an endpoint sets none. */
export const defaultStallMs = 30_000;

/** The kernel's answer to `request`, whose head is `head`. Never rejects. */
export async function answerRequest(endpoint: KernelEndpoint, request: Pick<Request, "body">, head: RequestHead): Promise<HttpResponse> {
  const reading = new BodyReading(endpoint, head);
  try {
    if (endpoint.streams?.(head) === true) return await endpoint.http({ ...head, body: new Uint8Array(0), incoming: reading.arriving(request.body) });
    const body = await reading.read(request.body);
    return isAnswer(body) ? body : await endpoint.http({ ...head, body });
  } catch (thrown) {
    endpoint.fault?.(thrown);
    return { status: 500, headers: { "content-type": "text/plain; charset=utf-8" }, body: "Internal error\n" };
  } finally {
    reading.release();
  }
}

class BodyReading {
  readonly #endpoint: KernelEndpoint;
  readonly #head: RequestHead;
  readonly #limit: number;
  #lease: BodyLease | undefined;

  constructor(endpoint: KernelEndpoint, head: RequestHead) {
    this.#endpoint = endpoint;
    this.#head = head;
    this.#limit = endpoint.bodyLimit?.(head) ?? endpoint.maxBodyBytes;
  }

  /** The body, or the answer to one that is not taken. */
  async read(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | HttpResponse> {
    if (body === null) return new Uint8Array(0);
    const announced = Number(this.#head.headers["content-length"] ?? 0);
    const refusal = announced > this.#limit ? this.#endpoint.bodyTooLarge(this.#head) : await this.#reserve(announced, announced);
    return refusal ?? (await this.#readPieces(body.getReader()));
  }

  /** The body as it arrives. */
  async *arriving(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
    const reader = body?.getReader();
    while (reader !== undefined) {
      const piece = await this.#next(reader);
      if (piece === "end") return;
      if (piece === "broken") throw new Error("The client has broken off the body of its request.");
      yield piece;
    }
  }

  release(): void {
    this.#lease?.release();
  }

  async #readPieces(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | HttpResponse> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const piece = await this.#next(reader);
      if (piece === "end") break;
      if (piece === "broken") {
        reader.cancel().catch(() => undefined);
        return broken;
      }
      bytes += piece.byteLength;
      const refusal = bytes > this.#limit ? this.#endpoint.bodyTooLarge(this.#head) : await this.#reserve(bytes, this.#limit);
      if (refusal !== undefined) {
        // Not cancelled: hosts would cut the connection before the client has read the answer. They drop what is left.
        reader.releaseLock();
        return refusal;
      }
      pieces.push(piece);
    }
    this.#lease?.shrink(bytes);
    return Buffer.concat(pieces, bytes);
  }

  /** The next piece of a sender that sends: who holds memory for a body may not hold it for good. */
  async #next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | "end" | "broken"> {
    let late: NodeJS.Timeout | undefined;
    const stalled = new Promise<"broken">((resolve) => {
      late = setTimeout(() => resolve("broken"), this.#endpoint.stallMs ?? defaultStallMs).unref();
    });
    try {
      const read = reader.read().then(
        ({ done, value }) => (done ? "end" : value),
        () => "broken" as const,
      );
      return await Promise.race([read, stalled]);
    } finally {
      clearTimeout(late);
    }
  }

  /** @param bytes how many there are by now; `most`: how many to reserve. @returns the answer when there is no room */
  async #reserve(bytes: number, most: number): Promise<HttpResponse | undefined> {
    const { bodies } = this.#endpoint;
    if (bodies === undefined || this.#lease !== undefined || bytes <= smallBodyBytes) return undefined;
    this.#lease = await bodies.reserve(most);
    return this.#lease === undefined ? (this.#endpoint.overloaded?.(this.#head) ?? this.#endpoint.bodyTooLarge(this.#head)) : undefined;
  }
}

/** For a client that is slow, and not gone. */
const broken: HttpResponse = Object.freeze({
  status: 408,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "The body of this request did not come whole.\n",
});

function isAnswer(value: Uint8Array | HttpResponse): value is HttpResponse {
  return "status" in value;
}
