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
