// Loads nodes by uid, in the order asked, each as often as asked.

import type { Batch, LoadRequest, Uid } from "../../../core/storage.ts";
import { readUnion, wholeRows } from "./find-rows.ts";
import { isFew } from "./kept-documents.ts";
import { keptRows } from "./kept-rows.ts";
import type { Reader } from "./reader.ts";
import { batchOf, projectionOf, type Row } from "./rows.ts";
import { slices } from "./slices.ts";

export async function load(reader: Reader, { uids, types, fields }: LoadRequest): Promise<Batch> {
  const byUid = keptRows(reader, uids, types) ?? (await readRows(reader, { uids, types, fields }));
  return batchOf(
    reader,
    uids.flatMap((uid) => byUid.get(uid) ?? []),
    fields,
  );
}

async function readRows(reader: Reader, { uids, types, fields }: LoadRequest): Promise<ReadonlyMap<Uid, Row>> {
  const byUid = new Map<Uid, Row>();
  for (const slice of slices([...new Set(uids)])) {
    const queries = types.map((type) => ({
      type,
      stages: [{ $match: { _id: slice.length === 1 ? slice[0] : { $in: slice } } }, { $project: projectionOf(reader.schema, type, fields) }],
    }));
    const rows = reader.documents?.keeps && isFew(slice) ? await wholeRows(reader, queries, reader.documents) : await readUnion(reader, queries);
    for (const row of rows) byUid.set(row.uid, row);
  }
  return byUid;
}
