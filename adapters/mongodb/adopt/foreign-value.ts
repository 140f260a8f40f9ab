// Values of documents that Quern did not write, as values of a kind. Nothing is rounded or guessed.

import { Binary, ObjectId } from "mongodb";
import { fitsKind, normalizeDateTime, type Value, type ValueKind } from "../../../core/storage.ts";
import { geometryOf } from "./foreign-geometry.ts";

/** The value of `kind` that says the same as `raw`, which is not null; undefined: there is none. */
export function foreignValue(kind: ValueKind, raw: unknown): Value | undefined {
  const value = converters[kind](raw);
  return value !== undefined && fitsKind(kind, value) ? value : undefined;
}

const converters: Readonly<Record<ValueKind, (raw: unknown) => Value | undefined>> = {
  string: (raw) => (typeof raw === "string" ? raw : idText(raw)),
  int: numberOf,
  float: numberOf,
  int64: (raw) => (typeof raw === "bigint" ? raw : Number.isSafeInteger(raw) ? BigInt(Number(raw)) : undefined),
  boolean: (raw) => (typeof raw === "boolean" ? raw : undefined),
  dateTime: (raw) => (raw instanceof Date ? dateText(raw) : typeof raw === "string" ? normalizeDateTime(raw) : undefined),
  geo: geometryOf,
  vector: (raw) => (Array.isArray(raw) && raw.every((each) => typeof each === "number") ? Float32Array.from(raw) : undefined),
  // A hash of somebody else's making cannot be checked.
  password: () => undefined,
};

/** The text of an ObjectId or a UUID. */
export function idText(raw: unknown): string | undefined {
  if (raw instanceof ObjectId) return raw.toHexString();
  return raw instanceof Binary && raw.sub_type === Binary.SUBTYPE_UUID ? raw.toUUID().toString() : undefined;
}

/** The driver reads a long as a bigint. */
function numberOf(raw: unknown): number | undefined {
  if (typeof raw === "number") return raw;
  const isExact = typeof raw === "bigint" && Number.isSafeInteger(Number(raw));
  return isExact ? Number(raw) : undefined;
}

function dateText(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : normalizeDateTime(date.toISOString());
}
