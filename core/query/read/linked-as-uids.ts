// Semi-joins for storages without them: an inner `linked` becomes the uids that it holds for.

import { and, type Linked, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import type { EdgeIndex } from "../layout-index/edge-index.ts";
import { concurrently } from "../level/concurrently.ts";

/** The same condition without `linked`. Holds the pairs that it finds in memory; the budget bounds them. */
export function withoutLinked(predicate: Predicate, snapshot: Snapshot, edges: EdgeIndex): MaybePromise<Predicate> {
  switch (predicate.kind) {
    case "and":
      return andThen(all(predicate.of, snapshot, edges), (of) => and(...of));
    case "or":
      return andThen(all(predicate.of, snapshot, edges), (of) => or(...of));
    case "not":
      return andThen(withoutLinked(predicate.of, snapshot, edges), not);
    case "linked":
      return andThen(withoutLinked(predicate.where, snapshot, edges), (where) => holders({ ...predicate, where }, snapshot, edges));
    default:
      return predicate;
  }
}

function all(of: readonly Predicate[], snapshot: Snapshot, edges: EdgeIndex): MaybePromise<readonly Predicate[]> {
  return concurrently(of.map((each) => () => withoutLinked(each, snapshot, edges)));
}

function holders(linked: Linked, snapshot: Snapshot, edges: EdgeIndex): MaybePromise<Predicate> {
  const end = edges.end(linked.end);
  if (!end) return { kind: "none" };
  const back = edges.opposite(linked.end);
  const isCovered = end.types.every((type) => back.some((each) => each.partners.includes(type)));
  const counted = isCovered
    ? countFromPartners(linked, { types: end.partners, back: back.map((each) => each.name) }, snapshot)
    : countFromSources(linked, end.types, snapshot);
  return andThen(counted, (counts) => {
    const uids = [...counts].flatMap(([uid, count]) => (count >= linked.atLeast ? [uid] : [])).sort((a, b) => a - b);
    return uids.length === 0 ? { kind: "none" } : { kind: "uids", uids };
  });
}

interface Partners {
  readonly types: readonly TypeName[];
  readonly back: readonly EndName[];
}

/** From the nodes that satisfy the condition, back along the edge. */
function countFromPartners({ where }: Linked, { types, back }: Partners, snapshot: Snapshot): MaybePromise<ReadonlyMap<Uid, number>> {
  return andThen(snapshot.find({ types, where, fields: [] }), ({ uids }) => {
    if (uids.length === 0) return new Map<Uid, number>();
    return andThen(concurrently(back.map((end) => () => snapshot.follow({ from: uids, end, fields: [] }))), (followed) => countPairs(uids, followed));
  });
}

/** Several ends may show the same link, which counts once. */
function countPairs(partners: readonly Uid[], followed: readonly Links[]): ReadonlyMap<Uid, number> {
  const pairs = new Map<Uid, Set<Uid>>();
  for (const { starts, rows, nodes } of followed) {
    partners.forEach((partner, i) => {
      for (const row of rows.slice(starts[i], starts[i + 1])) {
        const source = nodes.uids[row] ?? 0;
        const found = pairs.get(source) ?? new Set();
        pairs.set(source, found.add(partner));
      }
    });
  }
  return new Map([...pairs].map(([source, found]) => [source, found.size]));
}

/** No end leads back to some of the sources: all of them are looked at. */
function countFromSources({ end, where, atLeast }: Linked, types: readonly TypeName[], snapshot: Snapshot): MaybePromise<ReadonlyMap<Uid, number>> {
  return andThen(snapshot.find({ types, fields: [] }), ({ uids }) =>
    andThen(snapshot.follow({ from: uids, end, where, page: { first: atLeast }, fields: [] }), ({ starts }) => {
      return new Map(uids.map((uid, i) => [uid, (starts[i + 1] ?? 0) - (starts[i] ?? 0)]));
    }),
  );
}
