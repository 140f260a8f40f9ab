// The head of a posting list: a short list as a whole, or the count and the tail of one with chunks.

import { readAscending } from "../keyspaces/ascending-codec.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
import { noUids } from "./posting-list.ts";

/** Never changed in place: each change makes arrays of the exact size, where one that grows in a copy is copied twice. */
export interface Head {
  readonly count: number;
  /** All uids of a short list; undefined for a list with chunks. */
  readonly inline: readonly number[] | undefined;
  /** Of a list with chunks. */
  readonly tail: readonly number[];
  /** Edits may lie beside the chunks. Without them a chunk takes one read of the store. */
  readonly edited: boolean;
}

const kinds = { inline: 0, chunked: 1, chunkedWithTail: 2, edited: 3 } as const;

const writer = new ByteWriter();
export const headCodec: Codec<Head> = {
  encode(head) {
    if (head.inline !== undefined) {
      writer.byte(kinds.inline);
      writer.ascending(head.inline);
      return writer.finish();
    }
    const hasTail = head.tail.length > 0;
    writer.byte(head.edited ? kinds.edited : hasTail ? kinds.chunkedWithTail : kinds.chunked);
    writer.whole(head.count);
    if (hasTail || head.edited) writer.ascending(head.tail);
    return writer.finish();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const kind = reader.byte();
    const inline = kind === kinds.inline ? readAscending(reader) : undefined;
    const count = inline?.length ?? reader.whole();
    const edited = kind === kinds.edited;
    const tail = edited || kind === kinds.chunkedWithTail ? readAscending(reader) : noUids;
    reader.end();
    return { count, inline, tail, edited };
  },
  copy: (head) => ({ ...head }),
  weigh: (head) => 80 + (head.inline?.length ?? head.tail.length) * 8,
};

export function shortHead(inline: readonly number[]): Head {
  return { count: inline.length, inline, tail: noUids, edited: false };
}

export function longHead({ count, tail, edited }: Omit<Head, "inline">): Head {
  return { count, inline: undefined, tail, edited };
}
