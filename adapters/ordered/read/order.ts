// Sorts candidates: by walking a list of a compound index or an ordered index until enough are found, by a top-k scan of a column, or by reading records. Estimates decide.

import type { OrderKey, Predicate, TypeName, Uid, Work } from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import { type Candidates, planCandidates } from "./candidates.ts";
import { compoundMatch } from "./compound.ts";
import { topByColumn } from "./order-by-column.ts";
import { walkCompound } from "./order-by-compound.ts";
import { about, sortText, walkWhenQuicker } from "./order-by-index.ts";
import { topByRecord } from "./order-by-record.ts";
import type { Reader } from "./reader.ts";
import type { Wanted } from "./sort-rows.ts";
import { later, startBehind, walkStart } from "./walk-start.ts";

export interface OrderedRequest extends Wanted {
  readonly types: readonly TypeName[];
  readonly where: Predicate | undefined;
}

/** The first `wanted` nodes of these types that satisfy the conditions and are behind the place, in order. */
export function* orderedUids(reader: Reader, { types, where, order, after, wanted }: OrderedRequest): Work<readonly Uid[]> {
  const [first] = order;
  if (first === undefined || wanted <= 0) return [];
  const field = reader.field(first.field);
  const walked = { field, by: first };
  const behind = after === undefined ? "beginning" : startBehind(after, walked);
  const match = behind === undefined || first.collation !== undefined ? undefined : compoundMatch(reader, { types, where }, field);
  if (match !== undefined && behind !== undefined) {
    const start = later(walkStart(where, walked), behind, walked);
    const found = yield* walkCompound(reader, { match, types, where, order, after, wanted, start });
    if (found !== undefined) {
      reader.chose(() => `${sortText({ order, wanted })} of ${match.lists.length} lists of the index ${match.index.name}`);
      return found;
    }
  }
  return yield* orderedAmong(reader, yield* planCandidates(reader, types, where), { where, order, after, wanted });
}

/** The first `wanted` of the candidates that are behind the place, and perhaps some that follow them, in order. @param where a condition that holds for all of them */
export function* orderedAmong(
  reader: Reader,
  candidates: Candidates,
  { where, order, after, wanted }: Omit<OrderedRequest, "types">,
): Work<readonly Uid[]> {
  const [first] = order;
  if (first === undefined || wanted <= 0) return [];
  const field = reader.field(first.field);
  const walked = { field, by: first };
  const behind = after === undefined ? "beginning" : startBehind(after, walked);
  if (isWalkable(field, first) && behind !== undefined) {
    const start = later(walkStart(where, walked), behind, walked);
    const found = yield* walkWhenQuicker(reader, candidates, { order, after, wanted, field, start });
    if (found !== undefined) return found;
  }
  if (order.length === 1 && field.column !== undefined && first.collation === undefined && !field.converted) {
    reader.chose(() => `${sortText({ order, wanted })} of about ${about(candidates.driven.stream.count)} candidates, by its column`);
    return yield* topByColumn(reader, candidates, { column: field.column, descending: first.direction === "desc", after, wanted });
  }
  reader.chose(() => `${sortText({ order, wanted })} of about ${about(candidates.driven.stream.count)} candidates, by their records`);
  return yield* topByRecord(reader, candidates, { order, after, wanted });
}

/** A field that changed its type sorts by its converted values. Values that cannot be converted are not in the index. */
function isWalkable(field: FieldRuntime, key: OrderKey): boolean {
  return field.ordered !== undefined && !field.list && !field.converted && key.collation === undefined;
}
