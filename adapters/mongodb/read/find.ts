// Finds nodes: semi-joins first, then their rows.

import type { FindRequest } from "../../../core/storage.ts";
import { findRows } from "./find-rows.ts";
import type { Reader } from "./reader.ts";
import { batchOf } from "./rows.ts";
import { joinAll } from "./semi-joins.ts";
import { orderedBy } from "./sorted.ts";

export async function find(reader: Reader, request: FindRequest) {
  const joined = await joinAll(reader, request.where);
  return batchOf(reader, await findRows(reader, { ...request, ...orderedBy(reader.schema, request), joined }), request.fields);
}
