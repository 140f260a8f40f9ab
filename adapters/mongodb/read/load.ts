// Loads nodes by uid, in the order asked, each as often as asked.

import type { Batch, LoadRequest } from "../../../core/storage.ts";
import { readUnion } from "./find-rows.ts";
import type { Reader } from "./reader.ts";
import { batchOf, projectionOf, type Row } from "./rows.ts";
import { slices } from "./slices.ts";

export async function load(reader: Reader, { uids, types, fields }: LoadRequest): Promise<Batch> {
  const byUid = new Map<number, Row>();
  for (const slice of slices([...new Set(uids)])) {
    const queries = types.map((type) => ({
      type,
      stages: [{ $match: { _id: slice.length === 1 ? slice[0] : { $in: slice } } }, { $project: projectionOf(reader.schema, type, fields) }],
    }));
    for (const row of await readUnion(reader, queries)) byUid.set(row.uid, row);
  }
  return batchOf(
    reader,
    uids.flatMap((uid) => byUid.get(uid) ?? []),
    fields,
  );
}
