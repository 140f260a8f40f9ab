// Ascending whole numbers as the gaps between them.

import { ByteReader, ByteWriter } from "./bytes.ts";
import type { Codec } from "./codec.ts";

const writer = new ByteWriter();

export function readAscending(bytes: ByteReader): number[] {
  const count = bytes.whole();
  const values: number[] = [];
  let value = 0;
  for (let i = 0; i < count; i++) {
    value += bytes.whole();
    values.push(value);
  }
  return values;
}

export const ascendingCodec: Codec<number[]> = {
  encode(values) {
    writer.ascending(values);
    return writer.finish();
  },
  decode: (bytes) => readAscending(new ByteReader(bytes)),
  copy: (values) => values.slice(),
  weigh: (values) => 32 + values.length * 8,
};
