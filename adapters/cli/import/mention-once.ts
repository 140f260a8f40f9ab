// A node that several lines of a batch describe is described once: the first line makes it, and for the others it is there
// already, as it would be if every line were a mutation of its own. Descriptions that differ do not refuse the batch so.

import type { InputShape, LinkShape } from "./import-shape.ts";
import type { InputObject } from "./read-line.ts";

/** The same objects in their order; a nested object whose key was met before is that key alone. */
export function mentionOnce(inputs: readonly InputObject[], shape: InputShape): readonly InputObject[] {
  const met = new Set<string>();
  return inputs.map((input) => withMet(input, shape, met));
}

function withMet(value: InputObject, shape: InputShape, met: Set<string>): InputObject {
  let result: Record<string, unknown> | undefined;
  for (const [name, link] of shape.links) {
    const given = value[name];
    if (typeof given !== "object" || given === null) continue;
    result ??= { ...value };
    result[name] = Array.isArray(given) ? given.map((each) => nested(each, link, met)) : nested(given, link, met);
  }
  return result ?? value;
}

function nested(value: unknown, link: LinkShape, met: Set<string>): unknown {
  if (!isObject(value)) return value;
  const shape = link.input();
  const key = link.key === undefined ? undefined : value[link.key];
  if (link.key === undefined || key === undefined || key === null) return withMet(value, shape, met);
  const place = `${shape.name} ${key}`;
  if (met.has(place)) return { [link.key]: key };
  if (Object.keys(value).length > 1) met.add(place);
  return withMet(value, shape, met);
}

function isObject(value: unknown): value is InputObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
