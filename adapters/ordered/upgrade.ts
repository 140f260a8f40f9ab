// Upgrades a store in place before it is served. Format 1: gives every value its checksum. Each slice is one synced batch that also notes where it
// ended, so that an interrupted upgrade goes on from there. Formats 2 and 3: only the number changes. The first batch writes the new number: from then on older
// programs refuse the store.

import type { MigrationStep } from "../../core/storage.ts";
import type { OrderedStore, StoreOperation } from "./ground/store.ts";
import { seal, unseal } from "./keyspaces/checksum.ts";
import { jsonCodec } from "./keyspaces/codec.ts";
import { damagedNotes, formatEntry, formatKey, formatOf, formerHeadKey, notes } from "./keyspaces/format.ts";

const entriesAtOnce = 256;
/** Some thousand syncs for a store of gigabytes. */
const defaultSliceBytes = 1 << 20;
/** Every key of data sorts between: the notes and the number come before. */
const data = { from: `${formatKey}\0`, to: "\u{10ffff}" };

export interface UpgradeOptions {
  readonly progress?: ((step: MigrationStep) => void) | undefined;
  /** What one batch holds at least, but for the last. */
  readonly sliceBytes?: number;
}

/** Brings an open store to the format of this version; does nothing when it has it. */
export async function upgrade(store: OrderedStore, { progress, sliceBytes = defaultSliceBytes }: UpgradeOptions = {}): Promise<void> {
  const format = formatOf(store);
  if (format === 1) await store.batch(beginning(store), { sync: true });
  if (format === 2 || format === 3) await store.batch([formatEntry], { sync: true });
  let from = markOf(store);
  if (from === undefined) return;
  const total = await store.approximateSize({ from, to: data.to });
  for (let done = 0; from !== undefined; ) {
    const slice = await sliceFrom(store, from, sliceBytes);
    from = slice.next;
    await store.batch([...slice.operations, markAt(from)], { sync: true });
    done += slice.bytes;
    progress?.({ what: "upgrade of the store", done: from === undefined ? Math.max(done, total) : done, total: Math.max(done, total) });
  }
}

/** The new number, and the notes in their new places. */
function beginning(store: OrderedStore): StoreOperation[] {
  const head = store.getSync(formerHeadKey);
  const catalog = store.getSync(formatKey);
  if (head === undefined) throw damagedNotes();
  return [
    { type: "put", key: notes.head, value: seal(notes.head, head) },
    ...(catalog === undefined ? [] : [{ type: "put" as const, key: notes.catalog, value: seal(notes.catalog, catalog) }]),
    { type: "del", key: formerHeadKey },
    markAt(data.from),
    formatEntry,
  ];
}

/** Where an upgrade goes on; undefined: none is under way. */
function markOf(store: OrderedStore): string | undefined {
  const sealed = store.getSync(notes.upgrade);
  if (sealed === undefined) return undefined;
  try {
    return String(jsonCodec.decode(unseal(notes.upgrade, sealed)));
  } catch (cause) {
    throw damagedNotes(cause);
  }
}

function markAt(next: string | undefined): StoreOperation {
  if (next === undefined) return { type: "del", key: notes.upgrade };
  return { type: "put", key: notes.upgrade, value: seal(notes.upgrade, jsonCodec.encode(next)) };
}

interface Slice {
  readonly operations: StoreOperation[];
  readonly bytes: number;
  /** The key to go on from; undefined at the end of the store. */
  readonly next: string | undefined;
}

/** A cursor for each slice: not every store lets one read on while it is written. */
async function sliceFrom(store: OrderedStore, from: string, sliceBytes: number): Promise<Slice> {
  const operations: StoreOperation[] = [];
  const cursor = store.cursor({ from, to: data.to });
  let bytes = 0;
  let last: string | undefined;
  try {
    while (bytes < sliceBytes) {
      const entries = await cursor.next(entriesAtOnce);
      if (entries.length === 0) return { operations, bytes, next: undefined };
      for (const [key, value] of entries) {
        operations.push({ type: "put", key, value: seal(key, value) });
        bytes += key.length + value.byteLength;
        last = key;
      }
    }
  } finally {
    await cursor.close();
  }
  return { operations, bytes, next: `${last}\0` };
}
