// Packs answers and unpacks request bodies, the latter never beyond a given size.

import { gunzip, gzip, gzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse, MaybePromise } from "../../../core/index.ts";

/** Up to here packing takes less time than a turn of the thread pool is worth. */
const packAtOnceBytes = 16 * 1024;

/** Fast rather than small: level 1 packs JSON at four times the speed of the default level and keeps most of the gain. */
const packing = { level: 1 };

export function acceptsGzip(request: Pick<HttpRequest, "headers">): boolean {
  return request.headers["accept-encoding"]?.includes("gzip") ?? false;
}

/** The answer with its body packed, where there is a body and it is not packed already. */
export function pack(response: HttpResponse): MaybePromise<HttpResponse> {
  const { body } = response;
  if (body.length === 0 || response.headers["content-encoding"] !== undefined) return response;
  const packed = (bytes: Uint8Array): HttpResponse => ({ ...response, headers: { ...response.headers, "content-encoding": "gzip" }, body: bytes });
  if (body.length <= packAtOnceBytes) return packed(gzipSync(body, packing));
  return new Promise((resolve, reject) => {
    gzip(body, packing, (error, bytes) => (error ? reject(error) : resolve(packed(bytes))));
  });
}

/** Why bytes could not be unpacked: they would grow beyond the limit, or they are not gzip. */
export type UnpackFault = { readonly kind: "tooLarge" } | { readonly kind: "corrupt"; readonly reason: string };

/** The unpacked bytes; stops as soon as they are more than `maxBytes`. */
export function unpack(body: Uint8Array, maxBytes: number): Promise<Uint8Array | UnpackFault> {
  if (body.length === 0) return Promise.resolve({ kind: "corrupt", reason: "EOF" });
  return new Promise((resolve) => {
    gunzip(body, { maxOutputLength: maxBytes }, (error: NodeJS.ErrnoException | null, bytes) => {
      if (error === null) resolve(bytes);
      else resolve(error.code === "ERR_BUFFER_TOO_LARGE" ? { kind: "tooLarge" } : { kind: "corrupt", reason: error.message });
    });
  });
}

export function isUnpackFault(value: Uint8Array | UnpackFault): value is UnpackFault {
  return "kind" in value;
}
