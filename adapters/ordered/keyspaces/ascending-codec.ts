// Ascending whole numbers as the gaps between them.

import { ByteReader, ByteWriter } from "./bytes.ts";
import type { Codec } from "./codec.ts";

const writer = new ByteWriter();

/** A buffer that is copied at the end: an array that grows keeps spare room. */
const gathered: number[] = [];

export function readAscending(bytes: ByteReader): number[] {
  const count = bytes.whole();
  let value = 0;
  for (let i = 0; i < count; i++) {
    value += bytes.whole();
    gathered[i] = value;
  }
  return gathered.slice(0, count);
}

export const ascendingCodec: Codec<number[]> = {
  encode(values) {
    writer.ascending(values);
    return writer.finish();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const values = readAscending(reader);
    reader.end();
    return values;
  },
  copy: (values) => values.slice(),
  weigh: (values) => 32 + values.length * 8,
};
