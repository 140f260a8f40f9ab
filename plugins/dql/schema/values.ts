// Values in DQL: texts of a document as values of a predicate's kind, and stored values as values of variables.

import { type AnswerValue, normalizeDateTime, type Stored, shortestDecimal, type Value, type ValueKind, type Vector } from "../../../core/plugin.ts";
import { parseBoolText, parseFloatText } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";

/**
 * A value of a variable, or of an answer. Whole numbers are bigints, others are numbers, so that `7 / 2` and `7.0 / 2` differ. Vectors are lists
 * of numbers.
 */
export type DqlValue = Exclude<Value, Vector> | readonly number[];
/** What the values of a variable are. `number`: results of math, whole or not. */
export type DqlKind = "string" | "int" | "float" | "number" | "boolean" | "dateTime" | "geo" | "password" | "vector";

/** Kinds whose values have an order: they can be sorted, and compared by other functions than `eq`. */
export const orderedKinds: ReadonlySet<string> = new Set<DqlKind | ValueKind>(["int", "int64", "float", "number", "string", "dateTime"]);

const typeWords: Readonly<Record<string, string>> = { boolean: "bool", vector: "float32vector" };

/** @throws QuernError when values of `kind` have no order */
export function assertSortable(kind: DqlKind | ValueKind): void {
  if (!orderedKinds.has(kind)) throw refusal(`Value of type: ${typeWords[kind] ?? kind} isn't sortable`);
}

const largest = 2n ** 63n;

/** The 64-bit integer that `text` means. */
export function parseInteger(text: string): bigint {
  const plain = text.startsWith("+") ? text.slice(1) : text;
  if (!/^-?(\d+|0[xX][0-9a-fA-F]+)$/.test(plain)) throw refusal(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = plain.startsWith("-") ? -BigInt(plain.slice(1)) : BigInt(plain);
  if (value >= largest || value < -largest) throw refusal(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return value;
}

/** Converts a text to a value of `kind`. Integers are bigints for `int` too: the caller decides about 32 bits. */
export function parseValue(text: string, kind: ValueKind | DqlKind): Exclude<Value, Vector> {
  switch (kind) {
    case "int":
    case "int64":
      if (!/^[+-]?\d+$/.test(text)) throw refusal(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
      return parseInteger(text);
    case "float":
    case "number": {
      const value = parseFloatText(text);
      if (value === undefined) throw refusal(`strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`);
      return value;
    }
    case "boolean": {
      const value = parseBoolText(text);
      if (value === undefined) throw refusal(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
      return value;
    }
    case "dateTime": {
      const value = normalizeDateTime(text);
      if (value === undefined) throw refusal(`parsing time ${JSON.stringify(text)}: it is none of 2031, 2031-04, 2031-04-09 and RFC 3339`);
      return value;
    }
    default:
      return text;
  }
}

/** One stored value of a field as a value of DQL. */
export function fromStored(value: Value, kind: ValueKind): DqlValue {
  if (value instanceof Float32Array) return numbersOf(value);
  return kind === "int" && typeof value === "number" ? BigInt(value) : value;
}

/** The elements of a vector as they are written. */
function numbersOf(vector: Vector): readonly number[] {
  return Array.from(vector, shortestDecimal);
}

export function kindOfField(kind: ValueKind): DqlKind {
  return kind === "int64" ? "int" : kind;
}

export function listOf(stored: Stored): readonly Value[] {
  return isValueList(stored) ? stored : [stored];
}

function isValueList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}

/** The text by which one value is compared with a predicate's. */
export function textOfValue(value: DqlValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A value as the answer has it: geometries are GeoJSON. */
export function shownValue(value: DqlValue): AnswerValue {
  return typeof value === "object" && "coordinates" in value ? { ...value } : value;
}
