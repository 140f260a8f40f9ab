// Variables to which a request gives no value. They count as null; plugins may distinguish the two.

import type { Variables } from "./selection.ts";

const absent = new WeakMap<object, readonly string[]>();

/** Remembers which of `values` are null only because the request gives no value. */
export function markAbsent(values: Variables, names: readonly string[]): void {
  if (names.length > 0) absent.set(values, names);
}

/** The values that the request gives, or that have a default. */
export function givenVariables(values: Variables): Variables {
  const names = absent.get(values);
  return names === undefined ? values : Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
