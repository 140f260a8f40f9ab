// A `Response` from an answer of the kernel.

import { STATUS_CODES } from "node:http";
import type { HttpResponse } from "../../core/transport.ts";
import { type HoldOptions, readableBody, readablePieces, readableSource } from "./readable-body.ts";

/** What the answer is for. */
export interface ResponseOptions {
  readonly method: string;
  readonly hold: HoldOptions;
}

export function responseOf(answer: HttpResponse, { method, hold }: ResponseOptions): Response {
  const { status } = answer;
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headers)) for (const value of [values].flat()) headers.append(name, value);
  if (answer.stream === undefined && answer.source === undefined && !bodyless.has(status)) headers.set("content-length", String(lengthOf(answer)));
  const body = method === "HEAD" || bodyless.has(status) ? null : bodyOf(answer, hold);
  return new Response(body, { status, statusText: STATUS_CODES[status] ?? "", headers });
}

/** Statuses with which a `Response` takes no body, not even an empty one. */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

function bodyOf({ body, pieces, source, stream }: HttpResponse, hold: HoldOptions): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (source !== undefined) return readableSource(source, hold);
  if (stream !== undefined) return readableBody(stream, hold);
  if (pieces !== undefined) return readablePieces(pieces, hold);
  if (typeof body === "string") return body;
  // A `Response` takes no shared or resizable memory.
  return isPlain(body) ? body : Uint8Array.from(body);
}

function isPlain(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && !("resizable" in bytes.buffer && bytes.buffer.resizable);
}

function lengthOf({ body, pieces }: HttpResponse): number {
  if (pieces !== undefined) return pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}
