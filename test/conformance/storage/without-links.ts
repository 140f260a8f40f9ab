// Asks a storage without semi-joins as the kernel does: an inner `linked` is turned into uids first.

import type { GroupRequest, Powers, Predicate, Snapshot } from "../../../core/storage.ts";
import type { Oracle } from "./oracle.ts";

/** The snapshot itself where the storage has the power. */
export function asKernelAsks(snapshot: Snapshot, { linked }: Powers, oracle: Oracle): Snapshot {
  if (linked) return snapshot;
  const plain = <R extends { readonly where?: Predicate }>(request: R): R =>
    request.where === undefined ? request : { ...request, where: withoutLinks(request.where, oracle) };
  return {
    at: snapshot.at,
    find: (request) => snapshot.find(plain(request)),
    follow: (request) => snapshot.follow(plain(request)),
    load: (request) => snapshot.load(request),
    aggregate: ({ over, measures }) => snapshot.aggregate({ over: plain(over), measures }),
    ...(snapshot.group && { group: (request: GroupRequest) => snapshot.group?.({ ...request, over: plain(request.over) }) ?? [] }),
    meta: (name) => snapshot.meta(name),
    close: () => snapshot.close(),
  };
}

function withoutLinks(where: Predicate, oracle: Oracle): Predicate {
  switch (where.kind) {
    case "and":
    case "or":
      return { ...where, of: where.of.map((each) => withoutLinks(each, oracle)) };
    case "not":
      return { ...where, of: withoutLinks(where.of, oracle) };
    case "linked":
      return { kind: "uids", uids: oracle.find({ types: oracle.types, where }) };
    default:
      return where;
  }
}
