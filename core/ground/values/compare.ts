// The order of stored values. Every storage uses these functions, so that all of them answer alike.

import { compareInstants, parseDateTime } from "./date-time.ts";
import type { Geometry, Value, ValueKind } from "./value.ts";
import { equalVectors, isVector } from "./vector.ts";

/** Compares by UTF-8 bytes: below 0, 0 or above 0. JavaScript's `<` compares UTF-16 units, which puts characters above U+FFFF before U+E000 to U+FFFF. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates encode characters above U+FFFF, so they rank above all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * Compares two values of `kind`: below 0, 0 or above 0. The result is `NaN` for values of another kind, which an earlier schema left: every
 * comparison with them is false.
 */
export function compareValues(kind: ValueKind, a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (typeof a === "string" && typeof b === "string") return kind === "dateTime" ? compareDateTimes(a, b) : compareText(a, b);
  if (kind === "geo" && isGeometry(a) && isGeometry(b)) return equalGeometries(a, b) ? 0 : Number.NaN;
  if (kind === "vector" && isVector(a) && isVector(b)) return equalVectors(a, b) ? 0 : Number.NaN;
  return Number.NaN;
}

/** Whether two values are equal by the order of `kind`: two spellings of one instant are equal. */
export function equalValues(kind: ValueKind, a: Value, b: Value): boolean {
  return compareValues(kind, a, b) === 0;
}

function compareDateTimes(a: string, b: string): number {
  if (a === b) return 0;
  const x = parseDateTime(a);
  const y = parseDateTime(b);
  return x === undefined || y === undefined ? Number.NaN : compareInstants(x, y);
}

/** Whether a value is a geometry. */
export function isGeometry(value: Value): value is Geometry {
  return typeof value === "object" && "coordinates" in value;
}

function equalGeometries(a: Geometry, b: Geometry): boolean {
  return a.type === b.type && JSON.stringify(a.coordinates) === JSON.stringify(b.coordinates);
}
