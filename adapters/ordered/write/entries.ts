// Which entries a record has in an index, and which text it has in a key.

import type { Token, Value } from "../../../core/index.ts";
import type { CellView } from "../cells/family.ts";
import { boundedText } from "../cells/keys.ts";
import type { IndexRuntime, KeyRuntime, TokenIndexRuntime } from "../deploy/schema.ts";
import type { NodeRecord } from "../structures/records.ts";
import { equalityText, type SortKey, sortKey } from "../structures/sort-keys.ts";

/** Distinct entries by the text or sort key under which the index holds them, each with what the change record calls it. */
export type Entries = ReadonlyMap<SortKey, Token | Value>;

const noEntries: Entries = new Map();

export function entriesOf(index: IndexRuntime, record: NodeRecord | undefined): Entries {
  const values = record === undefined ? [] : index.field.values(record);
  if (values.length === 0) return noEntries;
  const entries = new Map<SortKey, Token | Value>();
  for (const value of values) {
    if (index.by === "tokens") addTokens(index, value, entries);
    else {
      const key = index.by === "ordered" ? sortKey(index.field.kind, value) : equalityText(index.field.kind, value);
      if (key !== undefined) entries.set(key, value);
    }
  }
  return entries;
}

/** A value that is nothing in the field's kind has no tokens. */
function addTokens(index: TokenIndexRuntime, value: Value, entries: Map<SortKey, Token | Value>): void {
  if (index.field.converted && equalityText(index.field.kind, value) === undefined) return;
  for (const token of index.tokens(value)) entries.set(token, token);
}

export function hasEntry(index: IndexRuntime, key: SortKey, uid: number, view: CellView): boolean {
  return index.by === "ordered" ? index.entries.has(key, uid, view) : index.lists.open(boundedText(String(key)), view).contains(uid);
}

/** @returns false when it was there */
export function addEntry(index: IndexRuntime, key: SortKey, uid: number, view: CellView): boolean {
  return index.by === "ordered" ? index.entries.add(key, uid, view) : index.lists.add(boundedText(String(key)), uid, view);
}

/** @returns false when it was not there */
export function removeEntry(index: IndexRuntime, key: SortKey, uid: number, view: CellView): boolean {
  return index.by === "ordered" ? index.entries.remove(key, uid, view) : index.lists.remove(boundedText(String(key)), uid, view);
}

/** The bounded text of a node's key; undefined where it lacks a part and so is free. */
export function keyTextOf(key: KeyRuntime, record: NodeRecord): string | undefined {
  const parts: string[] = [];
  for (const field of key.fields) {
    const texts = field.values(record).map((value) => equalityText(field.kind, value));
    const known = texts.filter((text) => text !== undefined);
    if (known.length === 0 || known.length < texts.length) return undefined;
    parts.push(known.length === 1 ? (known[0] ?? "") : JSON.stringify(known));
  }
  if (parts.length === 0) return undefined;
  return boundedText(parts.length === 1 ? (parts[0] ?? "") : JSON.stringify(parts));
}
