// Several lines of a batch may contain the same nested object. The first line creates it; in later lines only its key is kept, as if each
// line were a mutation of its own. Without this, differing contents would refuse the batch.

import type { InputShape, LinkShape } from "./import-shape.ts";
import type { InputObject } from "./read-line.ts";

/** The inputs in order; a nested object whose key occurred before is reduced to its key. */
export function mentionOnce(inputs: readonly InputObject[], shape: InputShape): readonly InputObject[] {
  const seen = new Set<string>();
  return inputs.map((input) => withoutRepeats(input, shape, seen));
}

function withoutRepeats(value: InputObject, shape: InputShape, seen: Set<string>): InputObject {
  let result: Record<string, unknown> | undefined;
  for (const [name, link] of shape.links) {
    const given = value[name];
    if (typeof given !== "object" || given === null) continue;
    result ??= { ...value };
    result[name] = Array.isArray(given) ? given.map((each) => nested(each, link, seen)) : nested(given, link, seen);
  }
  return result ?? value;
}

function nested(value: unknown, link: LinkShape, seen: Set<string>): unknown {
  if (!isObject(value)) return value;
  const shape = link.input();
  const key = link.key === undefined ? undefined : value[link.key];
  if (link.key === undefined || key === undefined || key === null) return withoutRepeats(value, shape, seen);
  const identity = `${shape.name} ${key}`;
  if (seen.has(identity)) return { [link.key]: key };
  if (Object.keys(value).length > 1) seen.add(identity);
  return withoutRepeats(value, shape, seen);
}

function isObject(value: unknown): value is InputObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
