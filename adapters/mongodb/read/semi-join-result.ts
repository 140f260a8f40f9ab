// The result of a semi-join, or of a look-up in a key's own collection.

import type { Predicate, TypeName, Uid } from "../../../core/storage.ts";

/**
 * The nodes for which a condition holds. `uid`: by uid. `partner`: by the partner that their link leads to. `key`: by uid, in each type that has the key.
 * `probe`: the condition is decided by properties that the pipeline has added to the document. Uids are ascending.
 */
export type SemiJoinResult =
  | { readonly by: "uid"; readonly uids: readonly Uid[] }
  | { readonly by: "partner"; readonly partners: readonly Uid[] | "any" }
  | { readonly by: "key"; readonly types: ReadonlySet<TypeName>; readonly uids: ReadonlyMap<TypeName, readonly Uid[]> }
  | { readonly by: "probe"; readonly properties: readonly string[]; readonly atLeast: number };

/** What was found for the semi-joins and the comparisons with keys inside a condition. */
export type Joined = ReadonlyMap<Predicate, SemiJoinResult>;
