// Values of keys in representations: JSON as another service sends it, converted to what is stored.

import { convertValue, parseUid, QuernError, type Stored, type Value, type ValueField } from "../../core/plugin.ts";
import type { KeyLeaf } from "./entity-keys.ts";

/**
 * The value of `leaf` to look up; undefined when no node can have it. Numbers may come as text, and texts as numbers.
 *
 * @throws QuernError `VALUE_INVALID` for a value of another kind
 */
export function keyValue({ field }: KeyLeaf, given: unknown): Value | undefined {
  if (field.role === "id") return typeof given === "string" ? uidOf(given) : refuse(field.name, given);
  if (!isScalar(given)) return refuse(field.name, given);
  switch (field.kind) {
    case "string":
      return typeof given === "boolean" ? undefined : withinEnum(String(given), field.enum?.values);
    case "int":
    case "int64":
      return isWhole(given) ? convertValue(given, field.kind) : refuse(field.name, given);
    default:
      return convertValue(given, field.kind) ?? refuse(field.name, given);
  }
}

/** A value of a required field; undefined for null and for what does not fit. */
export function storedValue({ kind, type }: ValueField, given: unknown): Stored | undefined {
  if (!type.list) return isScalar(given) ? convertValue(given, kind) : undefined;
  if (!Array.isArray(given)) return undefined;
  return given.filter(isScalar).flatMap((each) => convertValue(each, kind) ?? []);
}

function uidOf(text: string): number | undefined {
  const uid = parseUid(text);
  return uid === undefined || uid < 1 ? undefined : uid;
}

function isScalar(value: unknown): value is string | number | bigint | boolean {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}

function isWhole(value: string | number | bigint | boolean): boolean {
  if (typeof value === "string") return /^[+-]?\d+$/.test(value);
  return typeof value === "bigint" || Number.isInteger(value);
}

function withinEnum(text: string, values: ReadonlySet<string> | undefined): string | undefined {
  return values === undefined || values.has(text) ? text : undefined;
}

function refuse(field: string, given: unknown): never {
  const shown = JSON.stringify(given, (_key, value) => (typeof value === "bigint" ? String(value) : value)) ?? "nothing";
  const text = shown.length > longestShown ? `${shown.slice(0, longestShown)}...` : shown;
  throw new QuernError("VALUE_INVALID", `${text} is no value of the key field ${field}`);
}

const longestShown = 100;
