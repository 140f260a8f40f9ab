// JSON without loss: whole numbers beyond 2^53 become bigints, and are written as numbers again.

import { isInteger, isSafeNumber, parse, stringify } from "lossless-json";

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export function parseJson(text: string): Json {
  return parse(text, undefined, (digits) => (isInteger(digits) && !isSafeNumber(digits) ? BigInt(digits) : Number(digits))) as Json;
}

export function writeJson(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? "null";
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at `path`; undefined: there is none. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let found = value;
  for (const step of path) {
    if (isList(found) && typeof step === "number") found = found[step];
    else if (isObject(found)) found = found[step];
    else return undefined;
  }
  return found;
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}

export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? writeJson(value) : String(value);
}
