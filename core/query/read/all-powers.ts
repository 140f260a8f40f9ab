// Adds to a snapshot the powers that its storage lacks and plans need.

import type { Layout } from "../../contracts/layout.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { AggregateRequest, FindRequest, FollowRequest, GroupRequest } from "../../contracts/storage/requests.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { Powers } from "../../contracts/storage/storage.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Turns } from "../../ground/work.ts";
import { placeAsCondition } from "../evaluate/place.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import { withoutLinked } from "./linked-as-uids.ts";
import { findSorted, followSorted, type KindOf, ordersByLanguage, type SortContext } from "./sort-by-language.ts";

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
  const inPlace = <R extends { readonly where?: Predicate }>(request: R): MaybePromise<R> => {
    if (supports.linked || !request.where) return request;
    return andThen(withoutLinked(request.where, snapshot, index.edges), (where) => ({ ...request, where }));
  };
  const kindOf: KindOf = (field) => index.kindOf(field);
  const sorting: Sorting = { snapshot, supports, kindOf, budget };
  return {
    at: snapshot.at,
    find: (request: FindRequest) => andThen(inPlace(request), (plain) => findPlain(plain, sorting)),
    follow: (request: FollowRequest) => andThen(inPlace(request), (plain) => followPlain(plain, sorting)),
    aggregate: ({ over, measures }: AggregateRequest) => andThen(inPlace(over), (plain) => snapshot.aggregate({ over: plain, measures })),
    ...(snapshot.group && {
      group: (request: GroupRequest) => andThen(inPlace(request.over), (over) => snapshot.group?.({ ...request, over }) ?? []),
    }),
    load: (request) => snapshot.load(request),
    meta: (name) => snapshot.meta(name),
    close: () => snapshot.close(),
  };
}

interface Sorting extends SortContext {
  readonly supports: Powers;
}

function findPlain(request: FindRequest, sorting: Sorting) {
  const { order } = request;
  return sortsHere(request, sorting.supports) && ordersByLanguage(order)
    ? findSorted({ ...request, order }, sorting)
    : sorting.snapshot.find(sought(request, sorting.supports));
}

function followPlain(request: FollowRequest, sorting: Sorting) {
  const { order } = request;
  return sortsHere(request, sorting.supports) && ordersByLanguage(order)
    ? followSorted({ ...request, order }, sorting)
    : sorting.snapshot.follow(sought(request, sorting.supports));
}

/** Of an order by language. A place in it is no comparison of values. */
function sortsHere({ after }: Pick<FindRequest, "after">, { collation, seek }: Powers): boolean {
  return !collation || (after !== undefined && !seek);
}

function sought<R extends Pick<FindRequest, "where" | "order" | "after">>(request: R, { seek }: Powers): R {
  return seek ? request : placeAsCondition(request);
}
