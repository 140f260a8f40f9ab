// The number of the store's format, and the notes of the store about itself. The number lies under a key of its own as plain JSON, without a checksum:
// every version, older or newer, can read it and refuse a store that it does not know.

import { QuernError } from "../../../core/storage.ts";
import type { OrderedStore, StoreOperation } from "../ground/store.ts";
import type { Companion } from "./keyspace.ts";

/**
 * 1: values have no checksum; notes under `h/` and `c/`. 2: a checksum behind every value; notes under `a/`. 3: edits may lie beside the blocks of ordered
 * indexes and the chunks of columns and of posting lists. 4: the head of a posting list may hold what its chunks have lost and gained. All that formats 2 and 3
 * have is read as it is.
 */
const formatVersion = 4;

export type KnownFormat = 1 | 2 | 3 | typeof formatVersion;

/** Format 1 kept its catalog here, whose property `format` older programs read first. */
export const formatKey = "c/";
/** Format 1 kept its newest commit and next uid here. */
export const formerHeadKey = "h/";

export const notes = { head: "a/h", catalog: "a/c", upgrade: "a/u" } as const;

export const formatEntry: StoreOperation = { type: "put", key: formatKey, value: Buffer.from(JSON.stringify({ format: formatVersion })) };

/**
 * The format of an open store; undefined: it is empty.
 *
 * @throws QuernError `STORE_CORRUPT` when it is no format that this version knows
 */
export function formatOf(store: OrderedStore): KnownFormat | undefined {
  const bytes = store.getSync(formatKey);
  if (bytes === undefined) {
    if (store.getSync(formerHeadKey) !== undefined) return 1;
    if (store.getSync(notes.head) === undefined) return undefined;
    throw damagedNotes();
  }
  const format = formatIn(bytes);
  if (format === 1) return format;
  const isKnown = format === 2 || format === 3 || format === formatVersion;
  if (isKnown && store.getSync(notes.head) !== undefined) return format;
  if (typeof format !== "number" || isKnown) throw damagedNotes();
  throw new QuernError("STORE_CORRUPT", `the store has format ${format}, this version reads formats 1 to ${formatVersion}`, {
    hint: "A newer version wrote it: start that version again.",
  });
}

function formatIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")).format;
  } catch (cause) {
    throw damagedNotes(cause);
  }
}

export function damagedNotes(cause?: unknown): QuernError {
  return new QuernError("STORE_CORRUPT", "the store's own notes cannot be read", { cause, hint: "Restore a backup." });
}

/** Puts the format's number into the first batch of an empty store. */
export class FormatNote implements Companion {
  #isSaved = false;

  append(operations: StoreOperation[]): void {
    if (!this.#isSaved) operations.push(formatEntry);
  }

  saved(): void {
    this.#isSaved = true;
  }
}
