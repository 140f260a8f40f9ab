// JSON values compared as a whole, and printed as messages show them.

import type { Json } from "../../core/index.ts";

/** Numbers as IEEE doubles; members in any order. */
export function equalJson(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, i) => equalJson(each, b[i] ?? null));
  }
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.has(name) && equalJson(value, right.get(name) ?? null));
}

/** `[a b]`, `map[x:1]`: the form that such messages have. */
export function printJson(value: Json): string {
  if (typeof value !== "object" || value === null) return value === null ? "<nil>" : String(value);
  if (Array.isArray(value)) return `[${value.map(printJson).join(" ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${name}:${printJson(member)}`);
  return `map[${members.join(" ")}]`;
}
