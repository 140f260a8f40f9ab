// Loads nodes by their uids.

import type { Batch, LoadRequest, Uid } from "../../../core/index.ts";
import type { Reader } from "./reader.ts";
import { rowsOf } from "./rows.ts";
import { Pace, type Work } from "./work.ts";

export function* load(reader: Reader, { uids, types, fields }: LoadRequest): Work<Batch> {
  const wanted = new Set(types);
  const there: Uid[] = [];
  for (const uid of uids) {
    const type = reader.typeOf(uid);
    if (type !== undefined && wanted.has(type)) there.push(uid);
  }
  yield* reader.spend(there.length, new Pace());
  return yield* rowsOf(reader, there, fields);
}
