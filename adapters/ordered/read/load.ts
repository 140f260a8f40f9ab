// Loads nodes by their uids.

import type { Batch, LoadRequest, Uid, Work } from "../../../core/storage.ts";
import { blockRows, type Reader } from "./reader.ts";
import { rowsOf } from "./rows.ts";

export function* load(reader: Reader, { uids, types, fields }: LoadRequest): Work<Batch> {
  const wanted = new Set(types);
  const there: Uid[] = [];
  let spent = 0;
  for (let i = 0; i < uids.length; i++) {
    const uid = uids[i] ?? 0;
    const type = reader.typeOf(uid);
    if (type !== undefined && wanted.has(type)) there.push(uid);
    if (i % blockRows !== blockRows - 1) continue;
    yield* reader.spend(there.length - spent);
    spent = there.length;
  }
  yield* reader.spend(there.length - spent);
  return yield* rowsOf(reader, there, fields);
}
