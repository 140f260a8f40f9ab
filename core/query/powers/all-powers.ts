// Adds to a snapshot the powers that its storage lacks and plans need.

import type { Layout } from "../../contracts/layout.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { AggregateRequest, FindRequest, FollowRequest, GroupRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Group, Links, MeasureRow } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { Powers } from "../../contracts/storage/storage.ts";
import { run, type Turns, type Work, wait } from "../../ground/work.ts";
import { placeAsCondition } from "../evaluate/place.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import { forwardingSnapshot } from "./forwarding-snapshot.ts";
import { withoutLinked } from "./linked-as-uids.ts";
import { findSorted, followSorted, ordersByLanguage, type SortContext } from "./sort-by-language.ts";

export interface PowersRequest {
  readonly supports: Powers;
  readonly layout: Layout;
  /** Rows that are sorted here are sorted in its turns. */
  readonly budget: Turns;
}

/** `snapshot` itself when its storage lacks nothing. */
export function withAllPowers(snapshot: Snapshot, { supports, layout, budget }: PowersRequest): Snapshot {
  if (supports.linked && supports.collation && supports.seek) return snapshot;
  const index = layoutIndexOf(layout);
  const inPlace = function* <R extends { readonly where?: Predicate }>(request: R): Work<R> {
    if (supports.linked || !request.where) return request;
    return { ...request, where: yield* withoutLinked(request.where, snapshot, index.edges) };
  };
  const sorting: Sorting = { snapshot, supports, kindOf: (field) => index.kindOf(field) };
  const answered = <T>(work: Work<T>) => run(work, budget);
  return forwardingSnapshot(snapshot, {
    find: (request) => answered(findPlain(inPlace(request), sorting)),
    follow: (request) => answered(followPlain(inPlace(request), sorting)),
    aggregate: ({ over, measures }) => answered(aggregatePlain(inPlace(over), measures, snapshot)),
    ...(snapshot.group && { group: (request: GroupRequest) => answered(groupPlain(inPlace(request.over), request, snapshot)) }),
  });
}

function* aggregatePlain(
  over: Work<AggregateRequest["over"]>,
  measures: AggregateRequest["measures"],
  snapshot: Snapshot,
): Work<readonly MeasureRow[]> {
  return yield* wait(snapshot.aggregate({ over: yield* over, measures }));
}

function* groupPlain(over: Work<GroupRequest["over"]>, request: GroupRequest, snapshot: Snapshot): Work<readonly Group[]> {
  const plain = { ...request, over: yield* over };
  return yield* wait<readonly Group[]>(snapshot.group?.(plain) ?? []);
}

interface Sorting extends SortContext {
  readonly supports: Powers;
}

function* findPlain(inPlace: Work<FindRequest>, sorting: Sorting): Work<Batch> {
  const request = yield* inPlace;
  const { order } = request;
  if (sortsHere(request, sorting.supports) && ordersByLanguage(order)) return yield* findSorted({ ...request, order }, sorting);
  return yield* wait(sorting.snapshot.find(sought(request, sorting.supports)));
}

function* followPlain(inPlace: Work<FollowRequest>, sorting: Sorting): Work<Links> {
  const request = yield* inPlace;
  const { order } = request;
  if (sortsHere(request, sorting.supports) && ordersByLanguage(order)) return yield* followSorted({ ...request, order }, sorting);
  return yield* wait(sorting.snapshot.follow(sought(request, sorting.supports)));
}

/** Of an order by language. A place in it is no comparison of values. */
function sortsHere({ after }: Pick<FindRequest, "after">, { collation, seek }: Powers): boolean {
  return !collation || (after !== undefined && !seek);
}

function sought<R extends Pick<FindRequest, "where" | "order" | "after">>(request: R, { seek }: Powers): R {
  return seek ? request : placeAsCondition(request);
}
