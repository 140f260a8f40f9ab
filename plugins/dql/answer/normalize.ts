// `@normalize`: flat objects of the aliased fields, one for each combination of the nodes below.

import type { AnswerValue, Work } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Level } from "../run/level.ts";
import { type AnswerObject, below, ownValue, shownTargets, type Where } from "./node.ts";

const maxObjects = 10_000;

/** The flat objects of one node: the product over its edges, and for each edge the union over the nodes that it leads to. */
export function* flatObjects(level: Level, row: number, where: Where): Work<readonly AnswerObject[]> {
  const { context } = where;
  context.work.spend(1);
  context.work.hold(level.parts.length);
  yield;
  const own: Record<string, AnswerValue> = {};
  let objects: readonly AnswerObject[] = [own];
  for (const part of level.parts) {
    if (part.kind !== "edge") {
      const value = part.isAliased || part.kind === "uid" ? ownValue(part, level, { row, context }) : undefined;
      if (value !== undefined) own[part.key] = value;
    }
  }
  for (const part of level.parts) {
    if (part.kind !== "edge") continue;
    const inner = below(where, level, row);
    const targets = shownTargets(part, row, inner);
    const found: AnswerObject[] = [];
    for (const target of targets) {
      for (const object of yield* flatObjects(part.level, target, inner)) if (Object.keys(object).length > 0) found.push(object);
    }
    for (const size of part.level.parts)
      if (size.kind === "countUid" && size.isAliased && targets.length > 0) found.push({ [size.key]: BigInt(targets.length) });
    if (found.length === 0) continue;
    if (objects.length * found.length > maxObjects) throw refusal("Couldn't evaluate @normalize directive - too many results");
    context.work.spend(objects.length * found.length);
    objects = objects.flatMap((each) => found.map((other) => merged(each, other)));
  }
  return objects;
}

/** The same alias at several levels collects its values. */
function merged(above: AnswerObject, under: AnswerObject): AnswerObject {
  const object: Record<string, AnswerValue> = { ...above };
  for (const [key, value] of Object.entries(under)) {
    const known = object[key];
    object[key] = known === undefined ? value : [...asList(known), ...asList(value)];
  }
  return object;
}

function asList(value: AnswerValue): readonly AnswerValue[] {
  return Array.isArray(value) ? value : [value];
}
