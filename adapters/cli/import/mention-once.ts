// Several lines of a batch may contain the same nested object. The first line creates it; in later lines only its key is kept, as if each
// line were a mutation of its own. Without this, differing contents would refuse the batch.

import type { InputShape, LinkShape } from "./import-shape.ts";
import type { InputObject } from "./read-line.ts";

/** The inputs in order; a nested object whose key occurred before is reduced to its key. */
export function mentionOnce(inputs: readonly InputObject[], shape: InputShape): readonly InputObject[] {
  const seen = new Set<string>();
  return inputs.map((input) => withoutRepeats(input, shape, seen));
}

/** What has no repeats is not copied. */
function withoutRepeats(value: InputObject, shape: InputShape, seen: Set<string>): InputObject {
  let result: Record<string, unknown> | undefined;
  for (const [name, link] of shape.links) {
    const given = value[name];
    if (typeof given !== "object" || given === null) continue;
    const now = Array.isArray(given) ? withoutRepeatsIn(given, link, seen) : nested(given, link, seen);
    if (now === given) continue;
    result ??= { ...value };
    result[name] = now;
  }
  return result ?? value;
}

function withoutRepeatsIn(given: readonly unknown[], link: LinkShape, seen: Set<string>): readonly unknown[] {
  let result: unknown[] | undefined;
  for (let i = 0; i < given.length; i++) {
    const now = nested(given[i], link, seen);
    if (now === given[i]) continue;
    result ??= [...given];
    result[i] = now;
  }
  return result ?? given;
}

function nested(value: unknown, link: LinkShape, seen: Set<string>): unknown {
  if (!isObject(value)) return value;
  const shape = link.input();
  const key = link.key === undefined ? undefined : value[link.key];
  if (link.key === undefined || key === undefined || key === null) return withoutRepeats(value, shape, seen);
  if (isAlone(value)) return value;
  const identity = `${shape.name} ${key}`;
  if (seen.has(identity)) return { [link.key]: key };
  seen.add(identity);
  return withoutRepeats(value, shape, seen);
}

/** An object of one member. */
function isAlone(value: InputObject): boolean {
  let members = 0;
  for (const _ in value) if (++members > 1) return false;
  return true;
}

function isObject(value: unknown): value is InputObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
