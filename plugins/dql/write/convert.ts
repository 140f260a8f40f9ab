// Literals as values of predicates.

import { type Geometry, isGeometry, isObject, normalizeDateTime, parseDateTime, type Value, type ValueKind, vectorOf } from "../../../core/plugin.ts";
import { parseBoolText } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { LiteralType, WrittenLiteral } from "../mutation/syntax.ts";
import { parseInteger } from "../schema/values.ts";
import type { WrittenField } from "./facts.ts";

/** @throws QuernError for a value that does not fit the field */
export function valueOfLiteral({ text, type }: WrittenLiteral, field: WrittenField): Value {
  return fitting(converted(text, type, field.layout.kind), field);
}

function converted(text: string, type: LiteralType, kind: ValueKind): Value {
  switch (kind) {
    case "string":
      return textOf(text, type);
    case "password":
      return text;
    case "int":
    case "int64":
      return integerOf(text, type);
    case "float":
      return floatOf(text, type);
    case "boolean":
      return booleanOf(text, type);
    case "dateTime":
      return dateOf(text, type);
    case "geo":
      return geometryOf(text);
    case "vector":
      return vectorOfText(text);
  }
}

function textOf(text: string, type: LiteralType): string {
  switch (type) {
    case "int":
      return String(parseInteger(text));
    case "float":
      return plainNumber(numberOf(text));
    case "bool":
      return String(boolOf(text));
    case "dateTime":
      return dateOf(text, type);
    default:
      return text;
  }
}

/** Without an exponent, as far as a number has digits. */
function plainNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value);
}

function integerOf(text: string, type: LiteralType): bigint {
  switch (type) {
    case "float":
      return wholeOf(numberOf(text));
    case "bool":
      return boolOf(text) ? 1n : 0n;
    case "dateTime":
      return BigInt(parseDateTime(dateOf(text, type))?.seconds ?? 0);
    default:
      return parseInteger(text);
  }
}

function wholeOf(value: number): bigint {
  const whole = Math.trunc(value);
  if (!Number.isFinite(whole) || Math.abs(whole) >= 2 ** 63) throw refusal(`Float out of int64 range: ${value}`);
  return BigInt(whole);
}

function floatOf(text: string, type: LiteralType): number {
  switch (type) {
    case "bool":
      return boolOf(text) ? 1 : 0;
    case "int":
      return Number(parseInteger(text));
    case "dateTime":
      return parseDateTime(dateOf(text, type))?.seconds ?? 0;
    default:
      return numberOf(text);
  }
}

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function numberOf(text: string): number {
  if (/^[+-]?(?:nan|inf(?:inity)?)$/i.test(text)) throw refusal(`Got invalid value: ${text}`);
  const value = number.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value))
    throw refusal(`strconv.ParseFloat: parsing ${JSON.stringify(text)}: ${Number.isNaN(value) ? "invalid syntax" : "value out of range"}`);
  // There is one zero.
  return value === 0 ? 0 : value;
}

function booleanOf(text: string, type: LiteralType): boolean {
  if (type === "int") return parseInteger(text) !== 0n;
  return type === "float" ? numberOf(text) !== 0 : boolOf(text);
}

function boolOf(text: string): boolean {
  const value = parseBoolText(text);
  if (value === undefined) throw refusal(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
  return value;
}

function dateOf(text: string, type: LiteralType): string {
  if (type === "bool") throw refusal(`cannot convert bool to datetime: ${text}`);
  const seconds = type === "int" ? parseInteger(text) : type === "float" ? wholeOf(numberOf(text)) : undefined;
  const value = normalizeDateTime(seconds ?? text);
  if (value === undefined || (seconds === undefined && /^[^T]* /.test(text)))
    throw refusal(`parsing time ${JSON.stringify(text)}: it is none of 2031, 2031-04, 2031-04-09 and RFC 3339`);
  return value;
}

/** GeoJSON, whose quotes may be single ones. */
function geometryOf(text: string): Geometry {
  const found = parsed(text.replaceAll("'", '"'));
  const geometry = isObject(found) ? { type: found.type, coordinates: found.coordinates } : undefined;
  if (!isGeo(geometry))
    throw refusal(`Expected a geometry in GeoJSON: {"type": "Point", "coordinates": [longitude, latitude]}. Got: ${text.slice(0, 100)}`);
  return geometry;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isGeo(value: unknown): value is Geometry {
  return isObject(value) && (value.type === "Point" || value.type === "Polygon" || value.type === "MultiPolygon") && isGeometryValue(value);
}

function isGeometryValue(value: unknown): value is Geometry {
  const { type, coordinates } = isObject(value) ? value : {};
  const depth = type === "Point" ? 1 : type === "Polygon" ? 3 : 4;
  return isPositions(coordinates, depth) && isGeometry(value as Value);
}

function isPositions(value: unknown, depth: number): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (depth > 1) return value.every((each) => isPositions(each, depth - 1));
  return value.length >= 2 && value.every((each) => typeof each === "number" && Number.isFinite(each));
}

function vectorOfText(text: string): Value {
  const numbers = parsed(text.trim().startsWith("[") ? text : `[${text}]`);
  const vector = Array.isArray(numbers) && numbers.every((each) => typeof each === "number") ? vectorOf(numbers) : undefined;
  if (vector === undefined) throw refusal(`Expected a vector such as "[1.5, 2.5]". Got: ${text.slice(0, 100)}`);
  return vector;
}

/** What the schema asks of values of the field, whatever types have it. */
function fitting(value: Value, { layout, declared }: WrittenField): Value {
  if (layout.kind === "int") return within32Bits(value, layout.name);
  for (const field of declared) {
    if (field.enum && typeof value === "string" && !field.enum.values.has(value))
      throw refusal(`${JSON.stringify(value)} is no value of the enum ${field.enum.name}, which ${layout.name} holds.`);
    if (layout.kind === "geo" && isGeo(value)) assertShape(value, field.type.name, layout.name);
  }
  return value;
}

function within32Bits(value: Value, name: string): number {
  const whole = Number(value);
  if (whole > 2_147_483_647 || whole < -2_147_483_648)
    throw refusal(`${name} is an Int of 32 bits, and ${value} is beyond them. Declare it as Int64.`);
  return whole;
}

function assertShape(geometry: Geometry, type: string, name: string): void {
  if (geometry.type !== type) throw refusal(`${name} holds a ${type}, not a ${geometry.type}.`);
  if (geometry.type === "Point") return;
  const rings = geometry.type === "Polygon" ? geometry.coordinates : geometry.coordinates.flat();
  for (const ring of rings) {
    const [first, last] = [ring[0], ring.at(-1)];
    if (ring.length < 4 || first?.[0] !== last?.[0] || first?.[1] !== last?.[1])
      throw refusal(`A ring of ${name} needs at least four points, and ends at its first one.`);
  }
}
