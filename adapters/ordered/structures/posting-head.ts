// The head of a posting list: a short list as a whole, or the count and the tail of one with chunks, and what its chunks have lost and gained since they
// were written.

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
  /** Uids that lie in the chunks and are no longer of the list. */
  readonly lost: readonly number[];
  /** Uids of the list that belong into the chunks, and are not there yet. */
  readonly gained: readonly number[];
}

const kinds = { inline: 0, chunked: 1, chunkedWithTail: 2, edited: 3, changed: 4, changedAndEdited: 5 } as const;

const writer = new ByteWriter();
export const headCodec: Codec<Head> = {
  encode(head) {
    if (head.inline !== undefined) {
      writer.byte(kinds.inline);
      writer.ascending(head.inline);
      return writer.finish();
    }
    const kind = kindOf(head);
    writer.byte(kind);
    writer.whole(head.count);
    if (kind !== kinds.chunked) writer.ascending(head.tail);
    if (kind >= kinds.changed) {
      writer.ascending(head.lost);
      writer.ascending(head.gained);
    }
    return writer.finish();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const kind = reader.byte();
    const inline = kind === kinds.inline ? readAscending(reader) : undefined;
    const count = inline?.length ?? reader.whole();
    const edited = kind === kinds.edited || kind === kinds.changedAndEdited;
    const tail = kind >= kinds.chunkedWithTail ? readAscending(reader) : noUids;
    const lost = kind >= kinds.changed ? readAscending(reader) : noUids;
    const gained = kind >= kinds.changed ? readAscending(reader) : noUids;
    reader.end();
    return { count, inline, tail, edited, lost, gained };
  },
  copy: (head) => ({ ...head }),
  weigh: ({ inline, tail, lost, gained }) => 96 + (inline?.length ?? tail.length + lost.length + gained.length) * 8,
};

function kindOf({ tail, edited, lost, gained }: Head): number {
  if (lost.length + gained.length > 0) return edited ? kinds.changedAndEdited : kinds.changed;
  if (edited) return kinds.edited;
  return tail.length > 0 ? kinds.chunkedWithTail : kinds.chunked;
}

export function shortHead(inline: readonly number[]): Head {
  return { count: inline.length, inline, tail: noUids, edited: false, lost: noUids, gained: noUids };
}

/** Of a list whose chunks have lost and gained nothing. */
export function longHead({ count, tail, edited }: Pick<Head, "count" | "tail" | "edited">): Head {
  return { count, inline: undefined, tail, edited, lost: noUids, gained: noUids };
}

/** A head with other changes of its chunks. Member by member: spreads took a twentieth of the time of a deletion. */
export function changedHead({ tail, edited }: Head, { count, lost, gained }: Pick<Head, "count" | "lost" | "gained">): Head {
  return { count, inline: undefined, tail, edited, lost, gained };
}
