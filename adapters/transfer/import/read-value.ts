// The value that a text of an export stands for, by the kind of its field.

import {
  fitsKind,
  type Geometry,
  isObject,
  normalizeDateTime,
  parseJson,
  type Value,
  type ValueKind,
  type Vector,
  vectorOf,
} from "../../../core/plugin.ts";
import type { TargetField } from "./target.ts";

type ReadText = (text: string, field: TargetField) => Value | undefined;

const readers: Readonly<Record<ValueKind, ReadText>> = {
  string: (text, field) => (field.enum === undefined || field.enum.values.has(text) ? wellFormed(text) : undefined),
  password: (text) => (isHash(text) ? text : undefined),
  int: (text) => (isInteger(text) ? fitting("int", Number(text)) : undefined),
  int64: (text) => (isInteger(text) ? fitting("int64", BigInt(text)) : undefined),
  float: (text) => (isNumber(text) ? fitting("float", Number(text)) : undefined),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  dateTime: (text) => normalizeDateTime(text),
  geo: (text, field) => readGeometry(text, field.graphqlType),
  vector: (text) => readVector(text),
};

/** The value; undefined when the text does not fit the field. */
export function readValue(text: string, field: TargetField): Value | undefined {
  return readers[field.kind](text, field);
}

function wellFormed(text: string): string | undefined {
  return text.isWellFormed() ? text : undefined;
}

function fitting(kind: ValueKind, value: Value): Value | undefined {
  return fitsKind(kind, value) ? value : undefined;
}

function isInteger(text: string): boolean {
  return /^-?\d{1,20}$/.test(text);
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
}

/** A password that is not hashed is refused: it must never be stored as it is. */
function isHash(text: string): boolean {
  return /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/.test(text);
}

/** GeoJSON, in an export with single quotes. */
function readGeometry(text: string, type: string | undefined): Geometry | undefined {
  let value: unknown;
  try {
    value = parseJson(text.replaceAll("'", '"'));
  } catch {
    return undefined;
  }
  if (!isObject(value) || (type !== undefined && value.type !== type)) return undefined;
  const depth = depths.get(value.type);
  const coordinates = depth === undefined ? undefined : numbers(value.coordinates, depth);
  return coordinates === undefined ? undefined : ({ type: value.type, coordinates } as Geometry);
}

/** How deep the positions of a geometry lie. */
const depths: ReadonlyMap<unknown, number> = new Map([
  ["Point", 0],
  ["Polygon", 2],
  ["MultiPolygon", 3],
]);

/** `[1,2.5]` */
function readVector(text: string): Vector | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return Array.isArray(value) && value.every((each) => typeof each === "number" || typeof each === "bigint")
    ? vectorOf(value.map(Number))
    : undefined;
}

function numbers(value: unknown, depth: number): unknown {
  if (!Array.isArray(value)) return undefined;
  if (depth === 0) return value.length >= 2 && value.every((each) => typeof each === "number") ? value.slice(0, 2) : undefined;
  const inner = value.map((each) => numbers(each, depth - 1));
  return inner.includes(undefined) ? undefined : inner;
}
