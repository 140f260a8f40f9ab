// Deep comparison and printing of JSON values.

import type { Json } from "../../core/plugin.ts";

/** Deep equality. Numbers compare as doubles; the order of members does not matter. */
export function equalJson(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, i) => equalJson(each, b[i] ?? null));
  }
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.has(name) && equalJson(value, right.get(name) ?? null));
}

/** Prints a value as Go does, as in Dgraph's messages: `[a b]`, `map[x:1]`. */
export function printJson(value: Json): string {
  if (typeof value !== "object" || value === null) return value === null ? "<nil>" : String(value);
  if (Array.isArray(value)) return `[${value.map(printJson).join(" ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${name}:${printJson(member)}`);
  return `map[${members.join(" ")}]`;
}
