// A cache for pure functions that evicts the older half when it is full.

/** Holds at most `limit` entries, always including those of the last `limit / 2` distinct keys. */
export function boundedCache<V extends NonNullable<unknown>>(limit: number, make: (key: string) => V): (key: string) => V {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const value = old.get(key) ?? make(key);
    if (young.size >= limit / 2) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    return value;
  };
}
