// The entries of a record in an index, and its text in a key.

import {
  type ChangedEntry,
  isVector,
  runAtOnce,
  type Stored,
  type Token,
  type TypeName,
  type Uid,
  type Value,
  type Vector,
  type Work,
} from "../../../core/storage.ts";
import { isList, type KeyParts } from "../../storage-kit/index.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import { compoundList } from "../layout/compound-list.ts";
import type {
  CompoundIndexRuntime,
  EndRuntime,
  FieldRuntime,
  IndexRuntime,
  KeyRuntime,
  ListIndexRuntime,
  NearestRuntime,
  OrderedIndexRuntime,
  TokenIndexRuntime,
} from "../layout/layout-runtime.ts";
import type { CompoundEntry } from "../structures/compound-index.ts";
import { type NodeRecord, typeIdOf } from "../structures/records.ts";
import { equalityText, type SortKey, sortKey } from "../structures/sort-keys.ts";
import { compoundEntry, compoundText } from "./compound-text.ts";

/** Distinct entries by their text or sort key in the index, each with its name in the change record. */
export type Entries = ReadonlyMap<SortKey, Token | Value>;

const noEntries: Entries = new Map();

export function* entriesOf(index: IndexRuntime, record: NodeRecord | undefined): Work<Entries> {
  if (record === undefined || (index.by !== "compound" && record[index.field.property] === undefined)) return noEntries;
  const entries = new Map<SortKey, Token | Value>();
  const left = eachEntry(index, record, (key, name) => entries.set(key, name));
  if (left !== undefined) yield* left;
  return entries;
}

/** Entries of one step: less than a millisecond also where each changes a list. */
export const stepEntries = 64;

type VisitEntry = (key: SortKey, name: Token | Value) => void;

/** A text of as many characters has entries for one step, about. */
const shortText = 2 * stepEntries;

/**
 * Calls `visit` with each entry; one may come again.
 *
 * @returns what is left to do for a long value. Most are short: a generator takes longer than their entries
 */
export function eachEntry(index: IndexRuntime, record: NodeRecord, visit: VisitEntry): Work<void> | undefined {
  if (index.by === "compound") {
    visitCompound(index, record, visit);
    return undefined;
  }
  const values = index.field.values(record);
  const [value] = values;
  if (values.length > 1 || (index.by === "tokens" && typeof value === "string" && value.length > shortText))
    return entriesInSteps(index, values, visit);
  if (value === undefined) return undefined;
  if (index.by === "tokens") for (const token of tokensOf(index, value)) visit(token, token);
  else visitKey(index, value, visit);
  return undefined;
}

function* entriesInSteps(index: Exclude<IndexRuntime, CompoundIndexRuntime>, values: readonly Value[], visit: VisitEntry): Work<void> {
  let count = 0;
  for (const value of values) {
    if (index.by !== "tokens") {
      visitKey(index, value, visit);
      if (++count % stepEntries === 0) yield;
      continue;
    }
    for (const token of tokensOf(index, value)) {
      visit(token, token);
      if (++count % stepEntries === 0) yield;
    }
  }
}

function visitCompound(index: CompoundIndexRuntime, record: NodeRecord, visit: VisitEntry): void {
  const entry = compoundEntryOf(index, record);
  if (entry === undefined) return;
  const text = compoundText(entry);
  visit(text, text);
}

/** Undefined: a node that lacks a leading value is not in the index, and neither is one of a type that has not all of the fields. */
export function compoundEntryOf(index: CompoundIndexRuntime, record: NodeRecord): CompoundEntry | undefined {
  if (!index.typeIds.has(typeIdOf(record))) return undefined;
  const list = compoundList(
    index,
    index.within.map((field) => single(field.read(record))),
  );
  if (list === undefined) return undefined;
  const value = single(index.field.read(record));
  return { list, key: value === undefined ? undefined : sortKey(index.field.kind, value) };
}

function single(stored: Stored | undefined): Value | undefined {
  return stored === undefined || isList(stored) ? undefined : stored;
}

/** The place of an entry that `eachEntry` gave. */
export function entryIn(index: CompoundIndexRuntime, key: SortKey): CompoundEntry {
  return compoundEntry(String(key), index.field.kind);
}

/** A value that the field's kind cannot represent has no tokens. */
function tokensOf({ field, tokens }: TokenIndexRuntime, value: Value): Iterable<Token> {
  return field.converted && equalityText(field.kind, value) === undefined ? [] : tokens(value);
}

function visitKey(index: ListIndexRuntime | OrderedIndexRuntime, value: Value, visit: VisitEntry): void {
  const { kind } = index.field;
  const key = index.by === "ordered" ? sortKey(kind, value) : equalityText(kind, value);
  if (key !== undefined) visit(key, value);
}

/** The vector of a record in an index for nearest nodes. */
export function vectorOf({ field }: NearestRuntime, record: NodeRecord | undefined): Vector | undefined {
  const stored = record && field.read(record);
  return stored !== undefined && isVector(stored) ? stored : undefined;
}

/** The entries of a record that came or went, as a change record names them. Those of compound indexes say nothing that others do not. */
export function namedEntries(uid: Uid, record: NodeRecord, indexes: readonly IndexRuntime[], { on }: { readonly on: boolean }): ChangedEntry[] {
  return indexes
    .filter(({ by }) => by !== "compound")
    .flatMap((index) => Array.from(runAtOnce(entriesOf(index, record)).values(), (key) => ({ index: index.name, key, uid, on })));
}

export function hasEntry(index: IndexRuntime, key: SortKey, uid: number, view: EntryView): boolean {
  if (index.by === "compound") return index.compound.has(entryIn(index, key), uid, view);
  return index.by === "ordered" ? index.entries.has(key, uid, view) : index.lists.open(boundedText(String(key)), view).contains(uid);
}

/** @returns false when it was there */
export function addEntry(index: IndexRuntime, key: SortKey, uid: number, view: EntryView): boolean {
  if (index.by === "compound") return index.compound.add(entryIn(index, key), uid, view);
  return index.by === "ordered" ? index.entries.add(key, uid, view) : index.lists.add(boundedText(String(key)), uid, view);
}

/** @returns false when it was not there */
export function removeEntry(index: IndexRuntime, key: SortKey, uid: number, view: EntryView): boolean {
  if (index.by === "compound") return index.compound.remove(entryIn(index, key), uid, view);
  return index.by === "ordered" ? index.entries.remove(key, uid, view) : index.lists.remove(boundedText(String(key)), uid, view);
}

/** The partner of the node at a single end; undefined: it has none. */
export type PartnerAt = (end: EndRuntime) => Uid | undefined;

/** The partners of a node as its links are in `view`. */
export function partnersIn(view: EntryView, uid: Uid, typeOf: (uid: Uid) => TypeName | undefined): PartnerAt {
  return (end) => {
    const partners = end.lists.short(uid, view) ?? end.lists.open(uid, view).all();
    return end.showsAll ? partners[0] : partners.find((each) => end.partners.has(typeOf(each) ?? ""));
  };
}

/** What a node holds of a key, as errors print it. */
export function keyPartsOf(key: KeyRuntime, record: NodeRecord, partnerAt: PartnerAt): KeyParts {
  return { values: key.fields.map((field) => field.read(record)), partners: key.ends.map(partnerAt) };
}

/**
 * The bounded text of a node's key; undefined when a part is missing: such a node takes no key.
 *
 * @param partnerAt asked for keys with ends only
 */
export function keyTextOf(key: KeyRuntime, record: NodeRecord, partnerAt: PartnerAt): string | undefined {
  const [only] = key.fields;
  if (only !== undefined && key.fields.length === 1 && key.ends.length === 0) {
    const text = partTextOf(only, record);
    return text === undefined ? undefined : boundedText(text);
  }
  const parts: string[] = [];
  for (const field of key.fields) {
    const text = partTextOf(field, record);
    if (text === undefined) return undefined;
    parts.push(text);
  }
  for (const end of key.ends) {
    const partner = partnerAt(end);
    if (partner === undefined) return undefined;
    parts.push(String(partner));
  }
  if (parts.length === 0) return undefined;
  return boundedText(parts.length === 1 ? (parts[0] ?? "") : JSON.stringify(parts));
}

/** Undefined: the record has no value of the field, or one without a text. */
function partTextOf(field: FieldRuntime, record: NodeRecord): string | undefined {
  const stored = field.read(record);
  if (stored === undefined) return undefined;
  if (!isList(stored)) return equalityText(field.kind, stored);
  const texts = stored.map((value) => equalityText(field.kind, value));
  const known = texts.filter((text) => text !== undefined);
  if (known.length === 0 || known.length < texts.length) return undefined;
  return known.length === 1 ? known[0] : JSON.stringify(known);
}

/** Removes an entry that is there: the record of its node says so, and no index is being built. */
export function removeKnownEntry(index: IndexRuntime, key: SortKey, uid: number, view: EntryView): void {
  if (index.by === "tokens" || index.by === "value") index.lists.removeKnown(boundedText(String(key)), uid, view);
  else removeEntry(index, key, uid, view);
}
