// Stored values. Int64 is a Long; other kinds use the BSON type of the same name; a DateTime is `{ utc, text }`: the instant in UTC with nine
// digits, which sorts as text, and the text as it was written; a vector is a binary vector of 32-bit floats.

import { Binary } from "mongodb";
import { compareValues, type Instant, isGeometry, isVector, parseDateTime, type Stored, type Value, type ValueKind } from "../../../core/storage.ts";
import { isList, wellFormed } from "../../storage-kit/index.ts";

export interface StoredInstant {
  readonly utc: string;
  readonly text: string;
}

export function encodeStored(kind: ValueKind, stored: Stored): unknown {
  return isList(stored) ? stored.map((value) => encodeValue(kind, value)) : encodeValue(kind, stored);
}

function encodeValue(kind: ValueKind, value: Value): unknown {
  if (isVector(value)) return Binary.fromFloat32Array(value);
  if (typeof value === "object") return { type: value.type, coordinates: value.coordinates };
  if (typeof value !== "string") return value;
  if (kind !== "dateTime") return wellFormed(value);
  const utc = utcOf(value);
  return utc === undefined ? value : { utc, text: value };
}

/** The operand that a stored value is compared with; for a DateTime its instant. Undefined for a value that equals nothing. */
export function operandOf(kind: ValueKind, value: Value): unknown {
  return kind === "dateTime" && typeof value === "string" ? utcOf(value) : encodeValue(kind, value);
}

/** Sorts as text by instant. An offset may lead a day out of the years 0 to 9999: `-` sorts before digits, `~` after them. */
function utcOf(text: string): string | undefined {
  const instant = parseDateTime(text);
  return instant === undefined ? undefined : utcText(instant);
}

function utcText({ seconds, nanos }: Instant): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  const mark = year < 0 ? "-" : year > 9999 ? "~" : "";
  const rest = date.toISOString().slice(-20, -5);
  return `${mark}${String(Math.abs(year)).padStart(4, "0")}${rest}.${String(nanos).padStart(9, "0")}Z`;
}

export function decodeStored(value: unknown): Stored | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.map(decodeValue) : decodeValue(value);
}

/** Parses a stored value. */
function decodeValue(value: unknown): Value {
  if (value instanceof Binary) return value.toFloat32Array();
  return isInstant(value) ? value.text : (value as Value);
}

function isInstant(value: unknown): value is StoredInstant {
  return typeof value === "object" && value !== null && "utc" in value && "text" in value;
}

/** Equal for equal values of one kind, different for different ones; undefined for a value that equals nothing. */
export function equalityText(kind: ValueKind, value: Value): string | undefined {
  if (kind === "geo") return isGeometry(value) ? JSON.stringify([value.type, value.coordinates]) : undefined;
  if (typeof value === "object" || compareValues(kind, value, value) !== 0) return undefined;
  if (kind === "dateTime") return typeof value === "string" ? utcOf(value) : undefined;
  return value === 0 ? "0" : String(value);
}
