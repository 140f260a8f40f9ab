// Finds nodes: scans the candidates, sorts them, and stops when the page is full.

import {
  type Batch,
  type FindRequest,
  type Order,
  type Page,
  type Place,
  type Predicate,
  QuernError,
  type TypeName,
  type Uid,
  type Work,
} from "../../../core/storage.ts";
import { type Candidates, planCandidates } from "./candidates.ts";
import { findNearest } from "./nearest.ts";
import { orderedUids } from "./order.ts";
import type { Reader } from "./reader.ts";
import { rowsOf } from "./rows.ts";
import { gather, gatherLast } from "./scan.ts";

export function* find(reader: Reader, request: FindRequest): Work<Batch> {
  if (request.nearest !== undefined) return yield* findNearest(reader, { ...request, nearest: request.nearest });
  return yield* rowsOf(reader, yield* findUids(reader, request), request.fields);
}

function* findUids(reader: Reader, { types, where, order, after, page }: Omit<FindRequest, "fields">): Work<readonly Uid[]> {
  if (order !== undefined && order.length > 0) return yield* ordered(reader, { types, where, order, after, page });
  const planned = yield* planCandidates(reader, types, where);
  const candidates = after === undefined ? planned : { ...planned, after: Math.max(planned.after, after.uid) };
  if (page !== undefined && "last" in page)
    return candidates.after === 0 ? yield* gatherLast(reader, candidates.driven, page.last) : (yield* allOf(reader, candidates)).slice(-page.last);
  const offset = page?.offset ?? 0;
  const limit = page?.first === undefined ? Number.POSITIVE_INFINITY : offset + page.first;
  const found = yield* gather(reader, candidates.driven, { limit, after: candidates.after });
  return offset === 0 ? found : found.slice(offset);
}

interface OrderedFind {
  readonly types: readonly TypeName[];
  readonly where: Predicate | undefined;
  readonly order: Order;
  readonly after: Place | undefined;
  readonly page: Page | undefined;
}

function* ordered(reader: Reader, { types, where, order, after, page }: OrderedFind): Work<readonly Uid[]> {
  if (page !== undefined && "last" in page)
    throw new QuernError("REQUEST_INVALID", "the last nodes of an ordered list: turn the order round and take the first");
  const offset = page?.offset ?? 0;
  const wanted = page?.first === undefined ? Number.POSITIVE_INFINITY : offset + page.first;
  const uids = yield* orderedUids(reader, { types, where, order, after, wanted });
  return uids.slice(offset, wanted);
}

function allOf(reader: Reader, candidates: Candidates): Work<Uid[]> {
  return gather(reader, candidates.driven, { limit: Number.POSITIVE_INFINITY, after: candidates.after });
}
