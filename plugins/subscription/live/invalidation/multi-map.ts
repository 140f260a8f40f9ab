// Collections that the dependency index is made of.

/** Sets by key. A set of one is stored as its only entry, which saves memory where most keys have one. */
export class MultiMap<K, T extends object> {
  readonly #map = new Map<K, T | Set<T>>();

  get isEmpty(): boolean {
    return this.#map.size === 0;
  }

  /** How many entries `key` has. */
  count(key: K): number {
    const found = this.#map.get(key);
    return found === undefined ? 0 : found instanceof Set ? found.size : 1;
  }

  add(key: K, entry: T): void {
    const found = this.#map.get(key);
    if (found instanceof Set) found.add(entry);
    else if (found === undefined) this.#map.set(key, entry);
    else if (found !== entry) this.#map.set(key, new Set([found, entry]));
  }

  delete(key: K, entry: T): void {
    const found = this.#map.get(key);
    if (found === entry) this.#map.delete(key);
    else if (found instanceof Set && found.delete(entry) && found.size === 0) this.#map.delete(key);
  }

  get(key: K): Iterable<T> {
    const found = this.#map.get(key);
    return found === undefined ? [] : found instanceof Set ? found : [found];
  }

  visit(key: K, visit: (entry: T) => void): void {
    const found = this.#map.get(key);
    if (found === undefined) return;
    if (found instanceof Set) for (const each of found) visit(each);
    else visit(found);
  }

  visitAll(visit: (entry: T) => void): void {
    for (const key of this.#map.keys()) this.visit(key, visit);
  }
}

/** Names with the number of their users. */
export class RefCounts {
  readonly #counts = new Map<string, number>();

  retain(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  release(name: string): void {
    const count = (this.#counts.get(name) ?? 0) - 1;
    if (count <= 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }

  names(): Iterable<string> {
    return this.#counts.keys();
  }
}
