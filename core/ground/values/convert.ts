// Conversion of values that were stored before a deploy changed their field's type.

import { isGeometry } from "./compare.ts";
import { normalizeDateTime, parseDateTime } from "./date-time.ts";
import type { Value, ValueKind } from "./value.ts";
import { isVector } from "./vector.ts";

const smallestInt = -2_147_483_648;
const largestInt = 2_147_483_647;
const smallestInt64 = -(2n ** 63n);
const largestInt64 = 2n ** 63n - 1n;
const wholeNumber = /^[+-]?\d+$/;

/** Whether `value` can be stored in a field of `kind` without conversion. */
export function fitsKind(kind: ValueKind, value: Value): boolean {
  switch (kind) {
    case "string":
    case "password":
      return typeof value === "string";
    case "int":
      return typeof value === "number" && Number.isInteger(value) && value >= smallestInt && value <= largestInt;
    case "int64":
      return typeof value === "bigint" && value >= smallestInt64 && value <= largestInt64;
    case "float":
      return typeof value === "number" && Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    case "dateTime":
      return typeof value === "string" && normalizeDateTime(value) === value;
    case "geo":
      return isGeometry(value);
    case "vector":
      return isVector(value) && value.length > 0 && value.every(Number.isFinite);
  }
}

/**
 * Converts a stored value to another kind: `"12"` to 12, 2.5 to 2, true to `"true"`. Undefined when it cannot be converted: such a value is
 * returned as stored and matches no filter.
 */
export function convertValue(value: Value, to: ValueKind): Value | undefined {
  if (fitsKind(to, value)) return value;
  switch (to) {
    case "string":
      return typeof value === "object" ? undefined : String(value);
    case "int":
      return fitting(to, toWhole(value));
    case "int64":
      return fitting(to, toBigInt(value));
    case "float":
      return fitting(to, toNumber(value));
    case "boolean":
      return toBoolean(value);
    case "dateTime":
      return toDateTime(value);
    default:
      return undefined;
  }
}

function fitting(kind: ValueKind, value: Value | undefined): Value | undefined {
  return value !== undefined && fitsKind(kind, value) ? value : undefined;
}

function toNumber(value: Value): number | undefined {
  if (typeof value === "string") return value.trim() === "" || Number.isNaN(Number(value)) ? secondsOf(value) : Number(value);
  return typeof value === "object" ? undefined : Number(value);
}

function secondsOf(text: string): number | undefined {
  return parseDateTime(text)?.seconds;
}

function toWhole(value: Value): number | undefined {
  if (typeof value === "string" && !wholeNumber.test(value)) return secondsOf(value);
  const number = toNumber(value);
  return number === undefined ? undefined : Math.trunc(number);
}

function toBigInt(value: Value): bigint | undefined {
  if (typeof value === "string" && wholeNumber.test(value)) return BigInt(value.replace(/^\+/, ""));
  const whole = toWhole(value);
  return whole === undefined || !Number.isFinite(whole) ? undefined : BigInt(whole);
}

function toBoolean(value: Value): boolean | undefined {
  if (typeof value === "number" || typeof value === "bigint") return Number(value) !== 0;
  if (value === "true" || value === "1") return true;
  return value === "false" || value === "0" || value === "" ? false : undefined;
}

function toDateTime(value: Value): string | undefined {
  if (typeof value === "string" || typeof value === "bigint") return normalizeDateTime(value);
  return typeof value === "number" ? normalizeDateTime(Math.trunc(value)) : undefined;
}
