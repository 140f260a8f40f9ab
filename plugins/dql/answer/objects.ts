// What a block has read, as the objects of the answer.

import type { AnswerValue, TypeName, Work } from "../../../core/plugin.ts";
import { groupObjects } from "../run/groups.ts";
import type { EdgePart, Level, ReadBlock } from "../run/level.ts";
import { type AnswerContext, type AnswerObject, below, ownValue, type ShownNode, shownTargets, type Where } from "./node.ts";
import { flatObjects } from "./normalize.ts";

/** Fields of one node that are shown in one step. */
const stepParts = 256;

/** What the objects of a block consist of. */
interface BlockOptions {
  readonly context: AnswerContext;
  /** `@normalize`: the values below a node belong to its object. */
  readonly normalize: boolean;
}

/** The list of a block; undefined: the answer does not mention the block. */
export function* blockObjects({ level, rows, groups }: ReadBlock, { context, normalize }: BlockOptions): Work<AnswerValue | undefined> {
  if (groups) {
    const objects = yield* groupObjects(groups, rows, context.work);
    return objects.length === 0 ? undefined : [{ "@groupby": objects }];
  }
  const sizes = sizeObjects(level, rows.length);
  if (normalize) return [...sizes, ...(yield* normalized(level, rows, { context, above: [] }))];
  return [...sizes, ...(yield* nodeObjects(level, rows, { context, above: [] }))];
}

/** `count(uid)`: objects of their own. */
function sizeObjects({ parts }: Level, size: number): readonly AnswerObject[] {
  return parts.flatMap((part) => (part.kind === "countUid" ? [{ [part.key]: BigInt(size) }] : []));
}

function* nodeObjects(level: Level, rows: readonly number[], where: Where): Work<AnswerObject[]> {
  const objects: AnswerObject[] = [];
  for (const row of rows) {
    const object = yield* nodeObject(level, row, where);
    if (object) objects.push(object);
  }
  return objects;
}

/** The objects of a list. A node shows the same in each list, unless it leaves out what is above it. */
function* listedObjects(level: Level, rows: readonly number[], where: Where): Work<AnswerObject[]> {
  const { shown, ignoreReflex, work } = where.context;
  if (ignoreReflex) return yield* nodeObjects(level, rows, where);
  const known = shown.get(level) ?? new Map<number, ShownNode>();
  shown.set(level, known);
  const objects: AnswerObject[] = [];
  for (const row of rows) {
    const found = known.get(row);
    if (found) work.spend(found.links);
    const before = work.spent;
    const object = found ? found.object : yield* nodeObject(level, row, where);
    if (!found) known.set(row, { object, links: work.spent - before });
    if (object) objects.push(object);
  }
  return objects;
}

/** Undefined: the node has nothing to show. */
function* nodeObject(level: Level, row: number, where: Where): Work<AnswerObject | undefined> {
  const { work } = where.context;
  work.spend(1);
  if (work.isTurnOver) yield;
  work.hold(level.parts.length);
  const object: Record<string, AnswerValue> = {};
  let isEmpty = true;
  let shown = 0;
  for (const part of level.parts) {
    if (++shown % stepParts === 0) yield;
    const value =
      part.kind === "edge" ? yield* edgeValue(part, row, below(where, level, row)) : ownValue(part, level, { row, context: where.context });
    if (value === undefined) continue;
    object[part.key] = value;
    isEmpty = false;
    if (part.kind === "types") addTypename(object, level.types[row], where.context);
  }
  return isEmpty ? undefined : object;
}

function addTypename(object: Record<string, AnswerValue>, type: TypeName | undefined, { typenameOf }: AnswerContext): void {
  const name = type === undefined ? undefined : typenameOf?.(type);
  if (name !== undefined) object.__typename = name;
}

function* edgeValue(part: EdgePart, row: number, where: Where): Work<AnswerValue | undefined> {
  const targets = shownTargets(part, row, where);
  if (targets.length === 0) return undefined;
  if (part.groups) {
    const objects = yield* groupObjects(part.groups, targets, where.context.work);
    return objects.length === 0 ? undefined : [{ "@groupby": objects }];
  }
  if (part.field.normalize) {
    const flat = yield* normalized(part.level, targets, where);
    return flat.length === 0 ? undefined : flat;
  }
  const objects = yield* listedObjects(part.level, targets, where);
  const sizes = sizeObjects(part.level, targets.length);
  if (objects.length + sizes.length === 0) return undefined;
  return part.many || sizes.length > 0 ? [...objects, ...sizes] : objects[0];
}

function* normalized(level: Level, rows: readonly number[], where: Where): Work<AnswerObject[]> {
  const objects: AnswerObject[] = [];
  for (const row of rows) {
    for (const object of yield* flatObjects(level, row, where)) if (Object.keys(object).length > 0) objects.push(object);
  }
  return objects;
}
