// Loads nodes by uid, in the order asked, each as often as asked.

import type { Batch, LoadRequest, TypeName, Uid } from "../../../core/storage.ts";
import { wholeRows } from "./find-rows.ts";
import { isFew } from "./kept-documents.ts";
import { keptRows } from "./kept-rows.ts";
import type { Reader } from "./reader.ts";
import { readUnion } from "./row-queries.ts";
import { batchOf, projectionOf, Row } from "./rows.ts";
import { slices } from "./slices.ts";

export async function load(reader: Reader, { uids, types, fields }: LoadRequest): Promise<Batch> {
  const known = fields.length === 0 ? partnerRows(reader, uids, types) : undefined;
  const byUid = known ?? keptRows(reader, uids, types) ?? (await readRows(reader, { uids, types, fields }));
  const rows: Row[] = [];
  await reader.turns.each(uids, (uid) => {
    const row = byUid.get(uid);
    if (row !== undefined) rows.push(row);
  });
  return await batchOf(reader, rows, fields);
}

/** The rows of nodes to which links have led; undefined: some must be read. */
function partnerRows(reader: Reader, uids: readonly Uid[], types: readonly TypeName[]): ReadonlyMap<Uid, Row> | undefined {
  const known = reader.partners.typesOf(uids);
  if (known === undefined) return undefined;
  const rows = new Map<Uid, Row>();
  for (const [i, type] of known.entries()) {
    const uid = uids[i] ?? 0;
    if (types.includes(type)) rows.set(uid, new Row(reader.schema, type, { _id: uid }));
  }
  reader.budget?.spend(rows.size);
  return rows;
}

async function readRows(reader: Reader, { uids, types, fields }: LoadRequest): Promise<ReadonlyMap<Uid, Row>> {
  const byUid = new Map<Uid, Row>();
  for (const slice of slices(await reader.turns.distinct(uids))) {
    const queries = types.map((type) => ({
      type,
      stages: [{ $match: { _id: slice.length === 1 ? slice[0] : { $in: slice } } }, { $project: projectionOf(reader.schema, type, fields) }],
    }));
    const rows = reader.documents?.keeps && isFew(slice) ? await wholeRows(reader, queries, reader.documents) : await readUnion(reader, queries);
    await reader.turns.each(rows, (row) => void byUid.set(row.uid, row));
  }
  return byUid;
}
