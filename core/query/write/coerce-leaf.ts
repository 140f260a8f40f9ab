// A value that a plugin hands over, as the JSON of a scalar or an enum.

import { type GraphQLLeafType, isEnumType } from "graphql";
import { writeJson } from "../../ground/json/write-json.ts";
import { fitsKind } from "../../ground/values/convert.ts";
import { normalizeDateTime } from "../../ground/values/date-time.ts";
import { type AnswerValue, WrittenNumber } from "../../ground/values/value.ts";
import { writeString } from "./write-text.ts";

type Scalar = string | number | bigint | boolean | WrittenNumber;

const text = (value: Scalar): string => writeString(value instanceof WrittenNumber ? value.text : String(value));
const numeric = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu;

const coercions: Readonly<Record<string, (value: Scalar) => string | undefined>> = {
  String: text,
  ID: text,
  Boolean: (value) => String(typeof value === "boolean" ? value : typeof value === "string" ? value !== "" : numberIn(value) !== 0),
  Int: (value) => numberOf(value, (number) => fitsKind("int", number)),
  Float: (value) => numberOf(value, Number.isFinite),
  Int64: int64Of,
  DateTime: dateTimeOf,
};

/**
 * The JSON text of `value`, which is not null, as a value of `type`; undefined where it is none. Numbers may come as texts, texts as numbers.
 * Scalars that are neither built in nor of the kernel hold anything.
 *
 * @see reference/custom-and-dql.md A3.8
 */
export function coerceLeaf(type: GraphQLLeafType, value: AnswerValue): string | undefined {
  // Most values are texts of text fields.
  if (typeof value === "string" && isText(type)) return writeString(value);
  const coerce = Object.hasOwn(coercions, type.name) ? coercions[type.name] : undefined;
  if (coerce) return isScalar(value) ? coerce(value) : undefined;
  if (isEnumType(type)) return typeof value === "string" && type.getValue(value) ? text(value) : undefined;
  return writeJson(value);
}

/** Whether `coerceLeaf` gives a text. */
export function fitsLeaf(type: GraphQLLeafType, value: AnswerValue): boolean {
  // Any scalar is a text, and most are texts: none is written only to be judged.
  if (isText(type)) return isScalar(value);
  return coerceLeaf(type, value) !== undefined;
}

function isText({ name }: GraphQLLeafType): boolean {
  return name === "String" || name === "ID";
}

function isScalar(value: AnswerValue): value is Scalar {
  return typeof value !== "object" || value instanceof WrittenNumber;
}

function numberOf(value: Scalar, fits: (number: number) => boolean): string | undefined {
  if (typeof value === "string" && !numeric.test(value)) return undefined;
  const number = numberIn(value);
  return fits(number) ? writeJson(number) : undefined;
}

function numberIn(value: Scalar): number {
  return Number(value instanceof WrittenNumber ? value.text : value);
}

function int64Of(value: Scalar): string | undefined {
  if (value instanceof WrittenNumber || (typeof value === "string" && !/^[+-]?\d+$/u.test(value))) return undefined;
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  const whole = BigInt(value);
  return fitsKind("int64", whole) ? String(whole) : undefined;
}

/** Of any year: what a plugin hands over is not stored. */
function fromUnixSeconds(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000);
  if (!Number.isInteger(seconds) || Number.isNaN(date.getTime())) return undefined;
  return `${date.toISOString().slice(0, -5)}Z`.replace(/^\+0*/u, "");
}

function dateTimeOf(value: Scalar): string | undefined {
  if (typeof value === "boolean") return undefined;
  const found = typeof value === "string" ? normalizeDateTime(value) : fromUnixSeconds(numberIn(value));
  return found === undefined ? undefined : text(found.replace(/\.\d+/u, ""));
}
