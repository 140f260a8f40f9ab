// JSON texts of stored values, each of its declared kind.

import type { ValueField } from "../../contracts/model.ts";
import { isGeometry } from "../../ground/values/compare.ts";
import type { Position, Stored, Value, ValueKind, Vector } from "../../ground/values/value.ts";
import { isVector, shortestDecimal } from "../../ground/values/vector.ts";
import type { GeoMember } from "../level/shapes.ts";

/** Quotes, backslashes, control characters and surrogates (a lone one is not valid in UTF-8): all else stands as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** DateTimes are checked when they are stored; other text is there only since the field was a String. */
const looksLikeInstant = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/** Faster than `JSON.stringify` alone for texts of ordinary length: most need no escape. */
export function writeString(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Undefined for a value that is not of `kind`: left by an earlier schema and not convertible. */
export function writeScalar(kind: ValueKind, value: Value): string | undefined {
  switch (kind) {
    case "dateTime":
      return typeof value === "string" && looksLikeInstant.test(value) ? `"${value}"` : undefined;
    case "string":
    case "password":
      return typeof value === "string" ? writeString(value) : undefined;
    case "int":
      return typeof value === "number" && value === (value | 0) ? String(value) : undefined;
    case "float":
      return typeof value === "number" && Number.isFinite(value) ? writeFloat(value) : undefined;
    case "int64":
      return typeof value === "bigint" ? value.toString() : undefined;
    case "boolean":
      return typeof value === "boolean" ? String(value) : undefined;
    case "vector":
      return isVector(value) ? writeVector(value) : undefined;
    case "geo":
      return undefined;
  }
}

/** The shortest text that reads back as the same number; -0 keeps its sign. */
function writeFloat(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function writeVector(vector: Vector): string {
  let text = "[";
  for (let i = 0; i < vector.length; i++) text += `${i === 0 ? "" : ","}${writeFloat(shortestDecimal(vector[i] ?? 0))}`;
  return `${text}]`;
}

/** A result of a measure; undefined for a number that is beyond the range of `kind`, as sums can be. */
export function writeMeasure(kind: ValueKind, value: Value | undefined): string | undefined {
  if (value === undefined) return "null";
  if (typeof value === "number" || typeof value === "bigint") return isInRange(kind, value) ? String(value) : undefined;
  return writeScalar(kind, value) ?? "null";
}

function isInRange(kind: ValueKind, value: number | bigint): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return kind === "int" ? value === (value | 0) : Number.isFinite(value);
}

/** One element of an enum or scalar field; undefined when it does not fit the declared type. */
export function writeFieldValue(field: ValueField, value: Value): string | undefined {
  if (field.enum && !(typeof value === "string" && field.enum.values.has(value))) return undefined;
  return writeScalar(field.kind, value);
}

/** For error messages: the value as JSON. */
export function describeValue(value: Stored): string {
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? Number(each) : each));
}

/** The selected parts of a geometry; undefined when it is not of the declared type. */
export function writeGeometry(typeName: string, value: Value, members: readonly GeoMember[]): string | undefined {
  if (!isGeometry(value) || value.type !== typeName) return undefined;
  return writeParts(value.coordinates, members);
}

type Coordinates = number | readonly Coordinates[];

function writeParts(coordinates: Coordinates, members: readonly GeoMember[]): string {
  let text = "";
  for (const member of members) text += member.opening + writePart(coordinates, member);
  return text === "" ? "{}" : `${text}}`;
}

function writePart(coordinates: Coordinates, { part, text, members }: GeoMember): string {
  switch (part) {
    case "typename":
      return text;
    case "longitude":
      return writeCoordinate(coordinates, 0);
    case "latitude":
      return writeCoordinate(coordinates, 1);
    default:
      return `[${(coordinates as readonly Coordinates[]).map((each) => writeParts(each, members)).join(",")}]`;
  }
}

function writeCoordinate(coordinates: Coordinates, place: 0 | 1): string {
  return String((coordinates as Position)[place]);
}
