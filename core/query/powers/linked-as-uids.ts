// Semi-joins for storages without them: an inner `linked` becomes the uids that it holds for.

import { and, type Linked, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { EndName, TypeName, Uid } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import type { EdgeIndex } from "../layout-index/edge-index.ts";

/** The same condition without `linked`. Holds the pairs that it finds in memory; the budget bounds them. */
export function* withoutLinked(predicate: Predicate, snapshot: Snapshot, edges: EdgeIndex): Work<Predicate> {
  switch (predicate.kind) {
    case "and":
      return and(...(yield* together(predicate.of.map((each) => withoutLinked(each, snapshot, edges)))));
    case "or":
      return or(...(yield* together(predicate.of.map((each) => withoutLinked(each, snapshot, edges)))));
    case "not":
      return not(yield* withoutLinked(predicate.of, snapshot, edges));
    case "linked":
      return yield* holders({ ...predicate, where: yield* withoutLinked(predicate.where, snapshot, edges) }, snapshot, edges);
    default:
      return predicate;
  }
}

function* holders(linked: Linked, snapshot: Snapshot, edges: EdgeIndex): Work<Predicate> {
  const end = edges.end(linked.end);
  if (!end) return { kind: "none" };
  const back = edges.opposite(linked.end);
  const isCovered = end.types.every((type) => back.some((each) => each.partners.includes(type)));
  const counts = isCovered
    ? yield* countFromPartners(linked, { types: end.partners, back: back.map((each) => each.name) }, snapshot)
    : yield* countFromSources(linked, end.types, snapshot);
  const uids = [...counts].flatMap(([uid, count]) => (count >= linked.atLeast ? [uid] : [])).sort((a, b) => a - b);
  return uids.length === 0 ? { kind: "none" } : { kind: "uids", uids };
}

interface Partners {
  readonly types: readonly TypeName[];
  readonly back: readonly EndName[];
}

/** From the nodes that satisfy the condition, back along the edge. */
function* countFromPartners({ where }: Linked, { types, back }: Partners, snapshot: Snapshot): Work<ReadonlyMap<Uid, number>> {
  const { uids } = yield* wait(snapshot.find({ types, where, fields: [] }));
  if (uids.length === 0) return new Map();
  return countPairs(uids, yield* together(back.map((end) => wait(snapshot.follow({ from: uids, end, fields: [] })))));
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
function* countFromSources({ end, where, atLeast }: Linked, types: readonly TypeName[], snapshot: Snapshot): Work<ReadonlyMap<Uid, number>> {
  const { uids } = yield* wait(snapshot.find({ types, fields: [] }));
  const { starts } = yield* wait(snapshot.follow({ from: uids, end, where, page: { first: atLeast }, fields: [] }));
  return new Map(uids.map((uid, i) => [uid, (starts[i + 1] ?? 0) - (starts[i] ?? 0)]));
}
