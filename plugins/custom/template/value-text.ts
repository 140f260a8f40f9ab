// Values as a URL holds them.

import { isObject, WrittenNumber } from "../../../core/plugin.ts";

export type TemplateValues = ReadonlyMap<string, unknown>;

/** The text of one value in a path: lists and objects joined by commas, the keys of objects sorted. */
export function pathText(value: unknown): string {
  if (Array.isArray(value)) return value.map(pathText).join(",");
  if (isObject(value) && !(value instanceof WrittenNumber)) {
    return Object.keys(value)
      .sort()
      .flatMap((key) => [key, pathText(value[key])])
      .join(",");
  }
  return plainText(value);
}

/** The parameters of one value in a query string: a list repeats the name, an object appends its keys in brackets. */
export function queryParameters(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((each) => queryParameters(name, each ?? null));
  if (isObject(value)) {
    return Object.keys(value)
      .sort()
      .flatMap((key) => queryParameters(`${name}[${key}]`, value[key]));
  }
  return [[name, plainText(value)]];
}

function plainText(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}
