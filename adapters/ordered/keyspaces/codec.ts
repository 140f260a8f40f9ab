// How the values of one cell keyspace turn into bytes and back.

import type { Json } from "../../../core/index.ts";

export interface Codec<V> {
  encode(value: V): Uint8Array;
  decode(bytes: Uint8Array): V;
  /** A copy that may be changed in place while the original stays. */
  copy(value: V): V;
  /** Bytes in memory, roughly; `size` are those on disk where known. */
  weigh(value: V): number;
}

export const jsonCodec: Codec<Json> = {
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString("utf8")),
  copy: (value) => structuredClone(value),
  weigh: (value) => 100 + JSON.stringify(value).length * 3,
};
