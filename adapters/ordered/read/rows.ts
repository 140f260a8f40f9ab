// Fills batches: types and columns of rows that are already chosen.

import type { Batch, Column as BatchColumn, EndName, FieldName, Stored, TypeName, Uid, Work } from "../../../core/storage.ts";
import type { EndRuntime, FieldRuntime } from "../layout/layout-runtime.ts";
import { blockRows, type Reader } from "./reader.ts";

/** The batch of these nodes, in their order. All of them exist. */
export function* rowsOf(reader: Reader, uids: readonly Uid[], names: readonly (FieldName | EndName)[]): Work<Batch> {
  const types: TypeName[] = [];
  const columns: (Stored | undefined)[][] = names.map(() => []);
  const fields = names.map((name) => reader.schema.fields.get(name));
  const ends = names.map((name) => reader.schema.ends.get(name));
  const readsRecords = fields.some((field) => field !== undefined);
  for (let start = 0; start < uids.length; start += blockRows) {
    const block = start === 0 && uids.length <= blockRows ? uids : uids.slice(start, start + blockRows);
    if (start > 0) yield* reader.spend(0);
    if (readsRecords) yield* reader.prefetch(block);
    for (const uid of block) types.push(reader.typeOf(uid) ?? "");
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c];
      const field = fields[c];
      const end = ends[c];
      if (column === undefined) continue;
      if (field !== undefined) fillField(reader, { block, field, column });
      else if (end !== undefined) fillEnd(reader, { block, end, column });
      else throw new TypeError(`no field or end ${names[c]} in the layout`);
    }
  }
  return { uids, types, columns: columns satisfies BatchColumn[] };
}

/** The same for a few nodes, in one go. */
export function fewRows(reader: Reader, uids: readonly Uid[], names: readonly (FieldName | EndName)[]): Batch {
  const types = uids.map((uid) => reader.typeOf(uid) ?? "");
  return { uids, types, columns: names.map((name) => columnOf(reader, uids, name)) };
}

function columnOf(reader: Reader, uids: readonly Uid[], name: FieldName | EndName): BatchColumn {
  const field = reader.schema.fields.get(name);
  const end = reader.schema.ends.get(name);
  // Arrays of the exact size: one that grows has room for seventeen.
  if (field !== undefined) return uids.map((uid) => storedOf(reader, field, uid));
  if (end !== undefined) return uids.map((uid) => partnerOf(reader, end, uid));
  throw new TypeError(`no field or end ${name} in the layout`);
}

function storedOf(reader: Reader, field: FieldRuntime, uid: Uid): Stored | undefined {
  const record = reader.record(uid);
  return record && field.read(record);
}

function fillField(
  reader: Reader,
  { block, field, column }: { readonly block: readonly Uid[]; readonly field: FieldRuntime; readonly column: (Stored | undefined)[] },
): void {
  for (const uid of block) column.push(storedOf(reader, field, uid));
}

function fillEnd(
  reader: Reader,
  { block, end, column }: { readonly block: readonly Uid[]; readonly end: EndRuntime; readonly column: (Stored | undefined)[] },
): void {
  for (const uid of block) column.push(partnerOf(reader, end, uid));
}

/** The node at the other side of a single end. */
export function partnerOf(reader: Reader, end: EndRuntime, uid: Uid): Uid | undefined {
  if (end.guarded && !end.types.has(reader.typeOf(uid) ?? "")) return undefined;
  const partners = end.lists.short(uid, reader.view) ?? end.lists.open(uid, reader.view).all();
  return end.showsAll ? partners[0] : partners.find((partner) => end.partners.has(reader.typeOf(partner) ?? ""));
}
