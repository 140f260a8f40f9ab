// Checks the data that follow from each record: its type, index entries, column values and keys.

import { formatUid, run, type Work } from "../../../core/storage.ts";
import { misfitText } from "../../storage-kit/index.ts";
import { boundedText, uidFromText } from "../keyspaces/keys.ts";
import type { IndexRuntime } from "../layout/layout-runtime.ts";
import type { NodeRecord, OpenRecord } from "../structures/records.ts";
import { typeIdOf } from "../structures/records.ts";
import { sortKey } from "../structures/sort-keys.ts";
import { addEntry, entriesOf, hasEntry, keyTextOf, type PartnerAt, partnersIn, stepEntries, vectorOf } from "../write/entries.ts";
import { derive } from "../write/maintenance.ts";
import type { Checking } from "./checking.ts";

const tickRows = 256;

/**
 * The number of entries that the records have in each index, all of them found. An index that lacks one gets no count, and each of its entries
 * is checked.
 */
export type Expected = ReadonlyMap<IndexRuntime, number>;

export async function checkNodes(checking: Checking): Promise<Expected> {
  const expected = new Map<IndexRuntime, number>();
  const { database, view, findings } = checking;
  const { nodes } = database.schema;
  const total = [...database.schema.typeNames.keys()].reduce((sum, id) => sum + nodes.byType.count(id, view), 0);
  for await (const [text, record] of nodes.records.keyspace.scan(view)) {
    const uid = uidFromText(text);
    // Reported where it was read first.
    if (record === undefined && nodes.records.keyspace.read(uid, view) === undefined) continue;
    if (record === undefined || !database.schema.typeNames.has(typeIdOf(record))) {
      findings.fault("record", `the record of ${formatUid(uid)} cannot be read`, () => nodes.records.keyspace.put(uid, undefined));
      continue;
    }
    findings.nodes++;
    await run(checkNode(checking, uid, record, expected));
    if (findings.nodes % tickRows === 0) await checking.tick("nodes", findings.nodes, total);
  }
  // The scan has counted the entries; the counters may be wrong.
  if (findings.nodes > 0) await checking.tick("nodes", findings.nodes, findings.nodes);
  return expected;
}

function* checkNode(checking: Checking, uid: number, stored: NodeRecord, counts: Map<IndexRuntime, number>): Work<void> {
  const { database, view, findings } = checking;
  const { nodes, typeNames, indexes, nearest, keys } = database.schema;
  const typeId = typeIdOf(stored);
  const type = typeNames.get(typeId) ?? "";
  if (uid >= database.nextUid) findings.fault("counter", `${formatUid(uid)} is in use and not yet given out`, () => database.claimUid(uid));
  if (nodes.types.of(uid, view) !== typeId)
    findings.fault("type", `${formatUid(uid)} is a ${type} by its record and not by its type`, () => nodes.types.set(uid, typeId, view));
  if (!nodes.byType.open(typeId, view).contains(uid))
    findings.fault("type", `${formatUid(uid)} is missing among the nodes of type ${type}`, () => nodes.byType.add(typeId, uid, view));
  checkValues(checking, uid, stored);
  const record = checkDerived(checking, uid, type, stored);
  for (const index of indexes.values()) {
    const entries = yield* entriesOf(index, record);
    // Two tokens that differ in a lone surrogate are one entry.
    const texts = new Set<string>();
    let missing = 0;
    let looked = 0;
    for (const key of entries.keys()) {
      if (++looked % stepEntries === 0) yield;
      if (!isOrdered(index)) texts.add(boundedText(String(key)));
      if (hasEntry(index, key, uid, view)) continue;
      missing++;
      findings.fault("index", `${index.name}: ${formatUid(uid)} is missing under ${shown(key)}`, () => addEntry(index, key, uid, view));
    }
    const count = missing > 0 ? Number.NaN : isOrdered(index) ? entries.size : texts.size;
    counts.set(index, (counts.get(index) ?? 0) + count);
    if (index.by !== "ordered" || index.column === undefined) continue;
    const { column, field } = index;
    const [value] = field.values(record);
    const expected = value === undefined ? undefined : sortKey(field.kind, value);
    if (column.keyOf(uid, view) !== expected)
      findings.fault("column", `${index.name}: the column has another value for ${formatUid(uid)}`, () => column.set(uid, value, view));
  }
  for (const index of nearest) {
    const vector = vectorOf(index, record);
    if (index.graph.has(uid, vector, view)) continue;
    findings.fault("index", `${index.name}: ${formatUid(uid)} has another vector there`, () => index.graph.set(uid, vector, view));
  }
  for (const key of keys) {
    const text = key.types.has(type) ? keyTextOf(key, record, partnersOf(checking, uid)) : undefined;
    if (text === undefined || key.lists.open(text, view).contains(uid)) continue;
    findings.fault("key", `${key.layout.name}: ${formatUid(uid)} is missing under ${shown(text.slice(1))}`, () => key.lists.add(text, uid, view));
  }
}

function isOrdered({ by }: IndexRuntime): boolean {
  return by === "ordered" || by === "compound";
}

/** Nothing says what a value of a wrong kind should be, so no repair changes it. */
function checkValues({ database, findings }: Checking, uid: number, record: NodeRecord): void {
  const { fieldsByProperty } = database.schema;
  for (const property in record) {
    const field = fieldsByProperty.get(property);
    if (field?.isMisfit(record[property])) findings.fault("value", misfitText(field, formatUid(uid)));
  }
}

export function partnersOf({ database, view }: Checking, uid: number): PartnerAt {
  const { nodes, typeNames } = database.schema;
  return partnersIn(view, uid, (partner) => typeNames.get(nodes.types.of(partner, view)));
}

function checkDerived({ database, findings }: Checking, uid: number, type: string, record: NodeRecord): NodeRecord {
  if (database.maintenance.derivations.length === 0) return record;
  const derived: OpenRecord = { ...record };
  derive(database.maintenance, type, derived);
  // Values of an earlier derivation are removed when the node is next written.
  for (const { property } of database.maintenance.derivations) {
    if (record[property] === derived[property] || sameText(record[property], derived[property])) continue;
    findings.fault("record", `${formatUid(uid)} has another value in a derived field than follows from the others`, () =>
      database.schema.nodes.records.keyspace.put(uid, derived),
    );
    return derived;
  }
  return record;
}

function sameText(a: unknown, b: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each));
  return text(a) === text(b);
}

const shownUnits = 60;

export function shown(key: string | number | bigint): string {
  const text = typeof key === "string" ? JSON.stringify(key) : String(key);
  return text.length > shownUnits ? `${text.slice(0, shownUnits)}...` : text;
}
