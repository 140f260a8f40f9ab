// Input values as they are stored: dates normalised, geometries as GeoJSON, lists as ordered sets. Pure.

import type { ValueField } from "../../contracts/model.ts";
import type { QuernError } from "../../ground/errors.ts";
import { fitsKind } from "../../ground/values/convert.ts";
import { normalizeDateTime } from "../../ground/values/date-time.ts";
import type { Geometry, Stored, Value } from "../../ground/values/value.ts";
import { vectorOf } from "../../ground/values/vector.ts";
import { holdsList } from "../../schema/model/holds-list.ts";
import { badDateTime, badValue, badVector, emptyVector, nullInList } from "../context/error-messages.ts";
import { checkGeometry, readGeometry } from "./geo-input.ts";

/** A value, or why it cannot be stored. An empty list stays one here and is left out when it is written. */
export type InputValue = { readonly value: Stored | null } | { readonly fault: QuernError };

export interface InputOptions {
  /** Filters exist on the field: rings of its geometries must be closed. */
  readonly searchable: boolean;
}

/**
 * The stored form of an input value.
 *
 * @param raw coerced by the schema's scalars; null where the client gave null
 */
export function storedInput(field: ValueField, raw: unknown, options: InputOptions): InputValue {
  if (raw === null) return { value: null };
  if (field.kind === "vector") return vector(field, Array.isArray(raw) ? raw : [raw]);
  if (!holdsList(field)) return single(field, raw, options);
  const values: Value[] = [];
  for (const element of Array.isArray(raw) ? raw : [raw]) {
    if (element === null || element === undefined) return { fault: nullInList(field.owner.name, field.name) };
    const read = single(field, element, options);
    if ("fault" in read) return read;
    values.push(read.value);
  }
  return { value: distinct(values) };
}

function single(field: ValueField, raw: unknown, options: InputOptions): { readonly value: Value } | { readonly fault: QuernError } {
  if (field.kind === "geo") return geometry(field, raw, options);
  if (field.kind === "dateTime") return dateTime(field, raw);
  const value = field.kind === "int64" && typeof raw === "number" && Number.isInteger(raw) ? BigInt(raw) : raw;
  if (!isScalar(value) || !fitsKind(field.kind, value)) return { fault: badValue(field.owner.name, field.name) };
  return { value: value === 0 ? 0 : value };
}

function vector(field: ValueField, elements: readonly unknown[]): InputValue {
  const numbers = elements.filter((each) => typeof each === "number");
  if (numbers.length < elements.length) return { fault: nullInList(field.owner.name, field.name) };
  if (numbers.length === 0) return { fault: emptyVector() };
  const value = vectorOf(numbers);
  return value ? { value } : { fault: badVector(field.owner.name, field.name) };
}

function dateTime(field: ValueField, raw: unknown): InputValue & ({ readonly value: Value } | { readonly fault: QuernError }) {
  if (typeof raw !== "string" && typeof raw !== "number" && typeof raw !== "bigint") return { fault: badValue(field.owner.name, field.name) };
  const value = normalizeDateTime(raw);
  return value === undefined ? { fault: badDateTime(String(raw)) } : { value };
}

function geometry(field: ValueField, raw: unknown, options: InputOptions): { readonly value: Geometry } | { readonly fault: QuernError } {
  const value = readGeometry(field.type.name, raw);
  if (!value) return { fault: badValue(field.owner.name, field.name) };
  const fault = options.searchable ? checkGeometry(value) : undefined;
  return fault ? { fault } : { value };
}

function isScalar(value: unknown): value is string | number | boolean | bigint {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";
}

/** Removes repeated values and keeps the first of each. Values are equal when their texts are: two spellings of one instant are two values. */
export function distinct(values: readonly Value[]): readonly Value[] {
  if (values.length < 2) return values;
  const seen = new Set<string | number | boolean | bigint>();
  return values.filter((value) => {
    const mark = identity(value);
    if (seen.has(mark)) return false;
    seen.add(mark);
    return true;
  });
}

/** Values of one field are equal as set elements when this is. */
export function identity(value: Value): string | number | boolean | bigint {
  return typeof value === "object" ? JSON.stringify(value) : value;
}
