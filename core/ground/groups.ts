// Values by key: maps of lists that grow in place.

/** Appends to the list of a key in constant time. A new list for each value would make a group of n values cost n squared. */
export function addToGroup<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
