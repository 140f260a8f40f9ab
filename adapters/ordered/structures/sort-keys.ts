// The sort keys of values in ordered indexes and columns, and the texts of values in keys.

import { compareText, convertValue, isGeometry, parseDateTime, type Value, type ValueKind } from "../../../core/storage.ts";
import { wellFormed } from "../../storage-kit/index.ts";

/** Numbers for int, float and boolean; bigints for int64 and, as nanoseconds, dateTime; texts. One index holds one kind. */
export type SortKey = number | bigint | string;

const nanosPerSecond = 1_000_000_000n;

/** Undefined for a value that `kind` cannot represent, and for geometries, which have no order. */
export function sortKey(kind: ValueKind, stored: Value): SortKey | undefined {
  const value = ofKind(kind, stored);
  switch (typeof value) {
    case "number":
      return value === 0 ? 0 : value;
    case "boolean":
      return value ? 1 : 0;
    case "bigint":
      return value;
    case "string":
      return kind === "dateTime" ? nanos(value) : wellFormed(value);
    default:
      return undefined;
  }
}

function nanos(text: string): bigint | undefined {
  const instant = parseDateTime(text);
  return instant === undefined ? undefined : BigInt(instant.seconds) * nanosPerSecond + BigInt(instant.nanos);
}

export function compareSortKeys(a: SortKey, b: SortKey): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A value converted to `kind`: changes only values of fields that changed their type. */
function ofKind(kind: ValueKind, value: Value): Value | undefined {
  switch (kind) {
    case "string":
    case "password":
    case "dateTime":
      return typeof value === "string" ? value : convertValue(value, kind);
    case "float":
      return typeof value === "number" ? value : convertValue(value, kind);
    case "boolean":
      return typeof value === "boolean" ? value : convertValue(value, kind);
    default:
      return convertValue(value, kind);
  }
}

/** Equal for equal values of one kind, different for different ones; undefined for a value that equals nothing. */
export function equalityText(kind: ValueKind, value: Value): string | undefined {
  if (kind === "geo") return isGeometry(value) ? JSON.stringify([value.type, value.coordinates]) : undefined;
  const key = sortKey(kind, value);
  return key === undefined ? undefined : String(key);
}

/** Whether a column can hold values of this kind. */
export function isColumnar(kind: ValueKind): boolean {
  return kind === "int" || kind === "int64" || kind === "float" || kind === "boolean" || kind === "dateTime";
}
