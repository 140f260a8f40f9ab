// Compresses answers and decompresses request bodies, the latter up to a given size.

import { Readable } from "node:stream";
import { createGzip, gunzip, gzip, gzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse, MaybePromise } from "../../../core/transport.ts";
import { inPieces } from "./respond.ts";

/** Up to this size compressing on the main thread is faster than a turn through the thread pool. */
const maxSyncBytes = 16 * 1024;

/** Level 1 compresses JSON four times as fast as the default level and is nearly as small. */
const gzipOptions = { level: 1 };

export function acceptsGzip(request: Pick<HttpRequest, "headers">): boolean {
  return request.headers["accept-encoding"]?.includes("gzip") ?? false;
}

/** Compresses the body, unless it is empty, already encoded, or read as the client takes it: ranges of it count bytes as they are. */
export function compress(response: HttpResponse): MaybePromise<HttpResponse> {
  if (response.source !== undefined) return response;
  if (response.pieces !== undefined) return compressPieces(response, response.pieces);
  const { body } = response;
  if (body.length === 0 || response.headers["content-encoding"] !== undefined) return response;
  const withBody = (bytes: Uint8Array): HttpResponse => ({ ...response, headers: { ...response.headers, "content-encoding": "gzip" }, body: bytes });
  if (body.length <= maxSyncBytes) return withBody(gzipSync(body, gzipOptions));
  return new Promise((resolve, reject) => {
    gzip(body, gzipOptions, (error, bytes) => (error ? reject(error) : resolve(withBody(bytes))));
  });
}

/** The thread pool compresses piece by piece; what is compressed is forgotten only with the answer. */
async function compressPieces({ status, headers }: HttpResponse, pieces: readonly Uint8Array[]): Promise<HttpResponse> {
  const compressed: Uint8Array[] = [];
  for await (const chunk of Readable.from(pieces).pipe(createGzip(gzipOptions))) compressed.push(chunk);
  return inPieces(status, { ...headers, "content-encoding": "gzip" }, compressed);
}

/** Why bytes could not be decompressed: they exceed the limit, or they are not gzip. */
export type GunzipFault = { readonly kind: "tooLarge" } | { readonly kind: "corrupt"; readonly reason: string };

/** Decompresses `body`; stops as soon as the result exceeds `maxBytes`. */
export function decompress(body: Uint8Array, maxBytes: number): Promise<Uint8Array | GunzipFault> {
  if (body.length === 0) return Promise.resolve({ kind: "corrupt", reason: "EOF" });
  return new Promise((resolve) => {
    gunzip(body, { maxOutputLength: maxBytes }, (error: NodeJS.ErrnoException | null, bytes) => {
      if (error === null) resolve(bytes);
      else resolve(error.code === "ERR_BUFFER_TOO_LARGE" ? { kind: "tooLarge" } : { kind: "corrupt", reason: error.message });
    });
  });
}

export function isGunzipFault(value: Uint8Array | GunzipFault): value is GunzipFault {
  return "kind" in value;
}
