// What the nodes of lookups satisfy, as a predicate, and by which values a found node belongs to a lookup.

import type { NodeType } from "../../contracts/model.ts";
import type { LookupPart } from "../../contracts/plugin/root-answer.ts";
import { and, none, or, type Predicate } from "../../contracts/predicate.ts";
import type { Value } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import { masksOf } from "../access/mask.ts";
import { narrow } from "../access/narrow.ts";
import { behindMask, type Masks } from "../level/masks.ts";
import type { ReadContext } from "../operation-context.ts";
import { operandOf } from "../plan/operands.ts";

/** Lookups of one type by the same parts. */
export interface LookupGroup {
  readonly type: NodeType;
  readonly parts: readonly LookupPart[];
  readonly items: readonly LookupItem[];
}

export interface LookupItem {
  /** Index of the lookup. */
  readonly place: number;
  /** One for each part. */
  readonly values: readonly Value[];
}

/** The items with the operands that plugins compare with. */
export function withOperands({ type, parts, items }: LookupGroup, { deployment }: Pick<ReadContext, "deployment">): LookupGroup {
  const changed = items.map(({ place, values }) => ({
    place,
    values: values.map((value, i) => {
      const field = parts[i]?.field;
      return field?.role === "value" ? operandOf(field, value, deployment.hooks) : value;
    }),
  }));
  return { type, parts, items: changed };
}

/** The condition that the nodes of all items satisfy, and no others. */
export function* lookupCondition({ parts, items }: LookupGroup, masks: Masks | undefined, context: ReadContext): Work<Predicate> {
  const [part] = parts;
  if (part && parts.length === 1) return yield* partCondition(part, valuesAt(items, 0), { masks, context });
  const conditions = function* (item: LookupItem): Work<Predicate> {
    return and(...(yield* together(parts.map((one, i) => partCondition(one, valuesAt([item], i), { masks, context })))));
  };
  return or(...(yield* together(items.map(conditions))));
}

function valuesAt(items: readonly LookupItem[], part: number): readonly Value[] {
  return [...new Set(items.flatMap(({ values }) => values[part] ?? []))];
}

interface Access {
  readonly masks: Masks | undefined;
  readonly context: ReadContext;
}

/** At the end of a path the caller must see the node and its field. */
function* partCondition({ field, path = [] }: LookupPart, values: readonly Value[], { masks, context }: Access): Work<Predicate> {
  const own: Predicate =
    field.role === "id"
      ? { kind: "uids", uids: values.map(Number).sort((a, b) => a - b) }
      : { kind: "compare", field: field.stored, op: "in", operands: values };
  const behind = (where: Predicate, of: Masks | undefined) => (field.role === "id" ? where : (behindMask(where, field.stored, of) ?? none));
  const [first] = path;
  if (!first) return behind(own, masks);
  const { owner } = field;
  const inner = yield* wait(masksOf(owner.members, "query", context));
  const seen = yield* wait(narrow(owner, "query", context));
  const linked = path.reduceRight<Predicate>(
    (where, { stored }) => ({ kind: "linked", end: stored, where, atLeast: 1 }),
    and(behind(own, inner), seen),
  );
  return behindMask(linked, first.stored, masks) ?? none;
}

/** The values by which a node is recognized, as text. Values of one field have one kind. */
export function tupleText(values: readonly unknown[]): string {
  return JSON.stringify(values.map(String));
}
