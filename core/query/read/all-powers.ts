// Adds to a snapshot the powers that its storage lacks and plans need.

import type { Layout } from "../../contracts/layout.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { AggregateRequest, FindRequest, FollowRequest, GroupRequest, Powers, Snapshot } from "../../contracts/storage.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { placeAsCondition } from "../evaluate/place.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import { withoutLinked } from "./linked-as-uids.ts";
import { findSorted, followSorted, type KindOf, ordersByLanguage } from "./sort-by-language.ts";

export interface PowersRequest {
  readonly supports: Powers;
  readonly layout: Layout;
}

/** `snapshot` itself when its storage lacks nothing. */
export function withAllPowers(snapshot: Snapshot, { supports, layout }: PowersRequest): Snapshot {
  if (supports.linked && supports.collation && supports.seek) return snapshot;
  const index = layoutIndexOf(layout);
  const inPlace = <R extends { readonly where?: Predicate }>(request: R): MaybePromise<R> => {
    if (supports.linked || !request.where) return request;
    return andThen(withoutLinked(request.where, snapshot, index.edges), (where) => ({ ...request, where }));
  };
  const kindOf: KindOf = (field) => index.kindOf(field);
  return {
    at: snapshot.at,
    find: (request: FindRequest) => andThen(inPlace(request), (plain) => findPlain(plain, { snapshot, supports, kindOf })),
    follow: (request: FollowRequest) => andThen(inPlace(request), (plain) => followPlain(plain, { snapshot, supports, kindOf })),
    aggregate: ({ over, measures }: AggregateRequest) => andThen(inPlace(over), (plain) => snapshot.aggregate({ over: plain, measures })),
    ...(snapshot.group && {
      group: (request: GroupRequest) => andThen(inPlace(request.over), (over) => snapshot.group?.({ ...request, over }) ?? []),
    }),
    load: (request) => snapshot.load(request),
    meta: (name) => snapshot.meta(name),
    close: () => snapshot.close(),
  };
}

interface Sorting {
  readonly snapshot: Snapshot;
  readonly supports: Powers;
  readonly kindOf: KindOf;
}

function findPlain(request: FindRequest, { snapshot, supports, kindOf }: Sorting) {
  const { order } = request;
  return sortsHere(request, supports) && ordersByLanguage(order)
    ? findSorted({ ...request, order }, snapshot, kindOf)
    : snapshot.find(sought(request, supports));
}

function followPlain(request: FollowRequest, { snapshot, supports, kindOf }: Sorting) {
  const { order } = request;
  return sortsHere(request, supports) && ordersByLanguage(order)
    ? followSorted({ ...request, order }, snapshot, kindOf)
    : snapshot.follow(sought(request, supports));
}

/** Of an order by language. A place in it is no comparison of values. */
function sortsHere({ after }: Pick<FindRequest, "after">, { collation, seek }: Powers): boolean {
  return !collation || (after !== undefined && !seek);
}

function sought<R extends Pick<FindRequest, "where" | "order" | "after">>(request: R, { seek }: Powers): R {
  return seek ? request : placeAsCondition(request);
}
