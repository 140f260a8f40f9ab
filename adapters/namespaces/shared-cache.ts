// One bound for the caches of all namespaces: namespace 0 has all of it while it is alone, otherwise half, and the others share the rest.

import type { StorageCache } from "../../core/storage.ts";

interface Cached {
  readonly storage: { readonly cache?: StorageCache };
}

export class SharedCache {
  readonly #zero: StorageCache | undefined;
  #bytes: number;
  /** What the cache of namespace 0 was set to. */
  #set: number;

  /** @param zero what its cache may hold is the bound */
  constructor(zero: Cached) {
    this.#zero = zero.storage.cache;
    this.#bytes = this.#zero?.maxBytes ?? 0;
    this.#set = this.#bytes;
  }

  /** @param others those of open namespaces */
  share(others: readonly Cached[]): void {
    const zero = this.#zero;
    if (zero === undefined) return;
    // An administrator has set another bound.
    if (zero.maxBytes !== this.#set) this.#bytes = zero.maxBytes;
    this.#set = others.length === 0 ? this.#bytes : this.#bytes / 2;
    zero.resize(this.#set);
    for (const { storage } of others) storage.cache?.resize(Math.floor(this.#bytes / 2 / others.length));
  }
}
