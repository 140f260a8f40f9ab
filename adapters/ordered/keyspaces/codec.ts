// Encodes and decodes the values of one keyspace.

import type { Json } from "../../../core/storage.ts";

export interface Codec<V> {
  /** Valid until the next value is encoded. */
  encode(value: V): Uint8Array;
  decode(bytes: Uint8Array): V;
  /** A copy that may be changed in place; the original does not change. */
  copy(value: V): V;
  /** Bytes in memory, roughly; `size` is the size on disk where it is known. */
  weigh(value: V): number;
}

export const jsonCodec: Codec<Json> = {
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString("utf8")),
  copy: (value) => structuredClone(value),
  weigh: (value) => 100 + JSON.stringify(value).length * 3,
};
