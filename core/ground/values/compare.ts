// The order of values: one function a kind, the same everywhere, so that every storage answers alike.

import { compareInstants, parseDateTime } from "./date-time.ts";
import type { Geometry, Value, ValueKind } from "./value.ts";

/** By UTF-8 bytes. JavaScript's `<` compares UTF-16 units, which puts astral characters before U+E000 to U+FFFF. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates, halves of characters above U+FFFF, rank above all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * Below 0, 0 or above 0 as `a` orders before, with or after `b`. Values that are not of `kind` (left by an earlier schema) compare
 * as `NaN`: before, with and after nothing.
 */
export function compareValues(kind: ValueKind, a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (typeof a === "string" && typeof b === "string") return kind === "dateTime" ? compareDateTimes(a, b) : compareText(a, b);
  if (kind === "geo" && isGeometry(a) && isGeometry(b)) return equalGeometries(a, b) ? 0 : Number.NaN;
  return Number.NaN;
}

/** Equal as the kind compares: two spellings of one instant are equal. */
export function equalValues(kind: ValueKind, a: Value, b: Value): boolean {
  return compareValues(kind, a, b) === 0;
}

function compareDateTimes(a: string, b: string): number {
  if (a === b) return 0;
  const x = parseDateTime(a);
  const y = parseDateTime(b);
  return x === undefined || y === undefined ? Number.NaN : compareInstants(x, y);
}

function isGeometry(value: Value): value is Geometry {
  return typeof value === "object";
}

function equalGeometries(a: Geometry, b: Geometry): boolean {
  return a.type === b.type && JSON.stringify(a.coordinates) === JSON.stringify(b.coordinates);
}
