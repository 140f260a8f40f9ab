// Decides whether a write changes a field.

import { isGeometry } from "./compare.ts";
import type { Stored, Value } from "./value.ts";
import { equalVectors, isVector } from "./vector.ts";

/** Whether a client reads both the same: equal texts, numbers or geometries, or lists of these in the same order. Two spellings of one instant differ. */
export function sameStored(a: Stored | undefined, b: Stored | undefined): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((value, i) => sameValue(value, b[i]));
  return !isList(b) && sameValue(a, b);
}

function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a !== "object" || typeof b !== "object") return Object.is(a, b);
  if (isVector(a) && isVector(b)) return equalVectors(a, b);
  return isGeometry(a) && isGeometry(b) && a.type === b.type && JSON.stringify(a.coordinates) === JSON.stringify(b.coordinates);
}

function isList(stored: Stored | undefined): stored is readonly Value[] {
  return Array.isArray(stored);
}
