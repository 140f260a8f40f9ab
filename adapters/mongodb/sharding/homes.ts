// On which shard a document lies that belongs to a node and is none: on that of the node, so that a transaction that writes both needs one shard.

import type { Uid } from "../../../core/storage.ts";

/** Empty where a replica set has all documents. */
export interface Home {
  readonly home?: Uid;
}

/** The part of a filter that leads to the shards of some nodes. */
export interface AmongHomes {
  readonly home?: { readonly $in: readonly Uid[] };
}

export class Homes {
  readonly #sharded: boolean;

  constructor({ sharded }: { readonly sharded: boolean }) {
    this.#sharded = sharded;
  }

  /** Of a document that belongs to this node; in the document, and in each filter that finds it. */
  of(uid: Uid): Home {
    return this.#sharded ? { home: uid } : {};
  }

  among(uids: Iterable<Uid>): AmongHomes {
    return this.#sharded ? { home: { $in: [...new Set(uids)] } } : {};
  }

  /** Of a document that belongs to no node: they are spread. */
  any(): Uid {
    return Math.floor(Math.random() * 2 ** 31);
  }
}
