// What only one node may hold, and no unique index of its documents can see to: an entry for each node in a collection of its own, whose unique index refuses
// a second one. These are keys over several types; in a sharded database they are all keys, and links of which each partner leads back to one node at most.

import type { EdgeName, TypeName, Uid } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";

/** An entry is `{ _id: uid, k: text, type }`. */
export interface UniqueEntries {
  readonly collection: string;
  /** The label in messages: `key Author.name`. */
  readonly what: string;
  /** As people know it. */
  readonly name: string;
  readonly types: ReadonlySet<TypeName>;
  /** Of links that are a part of it, with the ids of their stores. */
  readonly edges: ReadonlyMap<EdgeName, number>;
  /** Undefined: the node has no entry. */
  textOf(type: TypeName, doc: Doc): string | undefined;
}

/** The entry of a node that leads to a partner. Uids ascend, and so would the texts: the last digit first spreads them over all shards. */
export function backText(partner: Uid, type: TypeName): string {
  return `${reversed(String(partner))} ${type}`;
}

export function partnerOfBack(text: string): Uid {
  return Number(reversed(text.slice(0, text.indexOf(" "))));
}

function reversed(digits: string): string {
  return [...digits].reverse().join("");
}
