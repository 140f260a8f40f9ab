// Order and page of a list: what the storage does, and what is left to do with its result.

import { and, type Order, type Page, type Predicate, type OrderKey as StorageKey } from "../../../core/plugin.ts";
import { textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Literal, Predicate as Name, OrderKey, Slice } from "../language/syntax.ts";
import { fieldsOf } from "../schema/languages.ts";
import { assertSortable, parseInteger } from "../schema/values.ts";
import { nodesOf, sortedSet, type ValueVariable } from "../state/variables.ts";
import { anyOf } from "./condition.ts";
import type { ConditionContext } from "./context.ts";
import { compareDql } from "./value-variable.ts";

/** An ordered list without `first` has at most this many rows. */
const orderedCap = 1000;

export interface ListPlan {
  /** The filter of the list, with what order and page require of its nodes. */
  readonly where: Predicate;
  readonly order: Order | undefined;
  /** Cuts the list; undefined: the whole list. */
  readonly page: Page | undefined;
  /** Set when the list is ordered by a variable: the storage does not know it. */
  readonly byVariable: VariableOrder | undefined;
}

export interface VariableOrder {
  readonly variable: ValueVariable;
  readonly direction: "asc" | "desc";
}

export function planList(slice: Slice, filter: Predicate, context: ConditionContext): ListPlan {
  const after = uidAfter(slice.after, context);
  const start = after > 0 ? and(filter, { kind: "after", uid: after }) : filter;
  const byVariable = orderByVariable(slice.order, context);
  const order = byVariable || slice.order.every((key) => "variable" in key.by) ? [] : slice.order.map((key) => storageKey(key, context));
  const page = pageOf(slice, { ordered: order.length > 0, context });
  const where = byVariable ? and(start, anyOf(sortedSet(nodesOf(byVariable.variable)))) : start;
  return { where, order: order.length > 0 ? order : undefined, page, byVariable };
}

function uidAfter(literal: Literal | undefined, { inputs }: ConditionContext): number {
  if (!literal) return 0;
  const text = textOf(literal, inputs);
  if (!/^(0[xX][0-9a-fA-F]+|\d+)$/.test(text))
    throw refusal(`while filling args: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  const uid = BigInt(text);
  return uid > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(uid);
}

/** An empty variable, and one that holds nodes and no values, orders nothing. */
function orderByVariable(order: readonly OrderKey[], { variables }: ConditionContext): VariableOrder | undefined {
  const [key] = order;
  if (!key || !("variable" in key.by)) return undefined;
  const variable = variables.get(key.by.variable);
  return variable?.kind === "values" && variable.values.size > 0 ? { variable, direction: key.direction } : undefined;
}

function storageKey({ by, direction }: OrderKey, { catalog }: ConditionContext): StorageKey {
  if ("variable" in by) throw refusal(`Multiple sorting only allowed by predicates. Got: ${by.variable}`);
  const shown = by.languages === undefined ? by.name : `${by.name}@${by.languages}`;
  const [name = shown] = sortableNames(by, catalog);
  const meaning = catalog.meaningOf(name);
  if (meaning.kind === "edge" && !meaning.end.many) throw refusal(`Cannot sort attribute ${name} of type object.`);
  if (meaning.kind === "edge" || meaning.kind === "types" || (meaning.kind === "value" && meaning.field.list))
    throw refusal(`Sorting not supported on attr: ${name} of type: [scalar]`);
  if (meaning.kind !== "value") throw refusal(`Cannot sort by unknown attribute ${shown}`);
  assertSortable(meaning.field.kind);
  const collation = by.languages !== undefined && by.languages !== "." ? { collation: by.languages } : {};
  return { field: name, direction, ...(isKnownLanguage(collation.collation) && collation) };
}

function sortableNames(by: Name, catalog: ConditionContext["catalog"]): readonly string[] {
  return by.languages === undefined && catalog.meaningOf(by.name).kind === "untagged" ? [] : fieldsOf(by, catalog);
}

function isKnownLanguage(tag: string | undefined): boolean {
  try {
    return tag !== undefined && Intl.Collator.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

function pageOf(
  { first, offset, order }: Slice,
  { ordered, context }: { readonly ordered: boolean; readonly context: ConditionContext },
): Page | undefined {
  const count = numberOf(first, context);
  const skip = Math.max(0, numberOf(offset, context));
  if (count < 0 && ordered) {
    const key = order.flatMap(({ by }) => ("name" in by ? [by.name] : [])).join(" ");
    throw refusal(
      `We do not yet support negative or infinite count with sorting: ${key} ${count}. Try flipping order and return first few elements instead.`,
    );
  }
  if (count < 0) return { last: -count };
  const most = count > 0 ? count : ordered ? orderedCap : undefined;
  if (most === undefined && skip === 0) return undefined;
  return { ...(most !== undefined && { first: most }), ...(skip > 0 && { offset: skip }) };
}

const largest = 2 ** 31;

function numberOf(literal: Literal | undefined, { inputs }: ConditionContext): number {
  if (!literal) return 0;
  const text = textOf(literal, inputs);
  try {
    return Math.max(-largest, Math.min(largest, Number(parseInteger(text))));
  } catch {
    throw refusal(`while filling args: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
}

/** Sorts rows by the values of a variable; rows without a value are dropped. Ties ascend by uid. */
export function sortByVariable<Row>(rows: readonly Row[], uidOf: (row: Row) => number, { variable, direction }: VariableOrder): readonly Row[] {
  const sign = direction === "asc" ? 1 : -1;
  const keyed = rows.flatMap((row) => {
    const value = variable.values.get(uidOf(row));
    return value === undefined ? [] : [{ row, uid: uidOf(row), value }];
  });
  if (keyed.length > 0) assertSortable(variable.of);
  keyed.sort((a, b) => sign * (compareDql(a.value, b.value, variable.of) || 0) || a.uid - b.uid);
  return keyed.map(({ row }) => row);
}

export function cut<Row>(rows: readonly Row[], page: Page | undefined): readonly Row[] {
  if (page === undefined) return rows;
  if ("last" in page) return rows.slice(Math.max(0, rows.length - page.last));
  const offset = page.offset ?? 0;
  return rows.slice(offset, page.first === undefined ? undefined : offset + page.first);
}
