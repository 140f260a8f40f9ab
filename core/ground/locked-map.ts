// Maps and sets that cannot be changed: `Object.freeze` does not reach their entries.

/** Locks `map` in place, and returns it: a later change throws a TypeError that says `what` it is. */
export function lockMap<M extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>>(map: M, what: string): M {
  const refuse = (): never => {
    throw new TypeError(`${what} cannot be changed`);
  };
  return Object.freeze(
    Object.assign(map, "get" in map ? { set: refuse, delete: refuse, clear: refuse } : { add: refuse, delete: refuse, clear: refuse }),
  );
}

/** A copy of a map that cannot be changed: made in less time than another copy is locked. */
export class LockedMap<K, V> extends Map<K, V> {
  readonly #what: string;

  constructor(entries: ReadonlyMap<K, V>, what: string) {
    super();
    this.#what = what;
    for (const [key, value] of entries) super.set(key, value);
  }

  override set(): never {
    return this.#refuse();
  }

  override delete(): never {
    return this.#refuse();
  }

  override clear(): never {
    return this.#refuse();
  }

  #refuse(): never {
    throw new TypeError(`${this.#what} cannot be changed`);
  }
}
