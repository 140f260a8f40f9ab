// Filters on keys that have no `@search`: strings by equality, numbers also by range.

import {
  and,
  type Comparison,
  type FieldFilter,
  type IndexLayout,
  type Model,
  type NodeType,
  not,
  type Predicate,
  type Value,
  type ValueField,
} from "../../core/plugin.ts";

const inputs: Readonly<Record<string, string>> = { string: "StringHashFilter", int: "IntFilter", int64: "Int64Filter" };

/** Filters for the keys without `@search`; the others get their filters from the plugin of `@search`. */
export function keyFilters(keys: readonly ValueField[]): readonly FieldFilter[] {
  return keys
    .filter((field) => !isSearched(field))
    .map((field) => ({ field, input: inputs[field.kind] ?? "", predicate: (operand) => predicate(field, operand) }));
}

/**
 * The unique key itself serves equality when one key covers all types that have the field. Otherwise (an inherited field with one key for each
 * type) an index is needed. Numbers need an ordered index for ranges, unless `@search` adds it.
 */
export function keyIndexes(keys: readonly ValueField[], model: Model): readonly IndexLayout[] {
  const holders = holdersOf(keys, model);
  return keys.flatMap((field): readonly IndexLayout[] => {
    const { stored, kind } = field;
    if (kind !== "string") return isSearched(field) ? [] : [{ name: `${stored}/${kind}`, field: stored, by: "value", ordered: true }];
    const scope = field.owner.keys.find((key) => key.field === field)?.scope ?? [];
    if (holders.get(stored)?.every((type) => scope.includes(type))) return [];
    return [{ name: `${stored}/hash`, field: stored, by: "value", ordered: false }];
  });
}

/** The object types that have each of the fields in `keys`, by stored field. */
function holdersOf(keys: readonly ValueField[], model: Model): ReadonlyMap<string, readonly NodeType[]> {
  const holders = new Map(keys.map((field): [string, NodeType[]] => [field.stored, []]));
  for (const type of model.nodeTypes.values()) {
    if (type.kind === "interface") continue;
    for (const field of type.fields.values()) if (field.role === "value") holders.get(field.stored)?.push(type);
  }
  return holders;
}

function isSearched({ definition }: ValueField): boolean {
  return definition.directives?.some((directive) => directive.name.value === "search") ?? false;
}

/** The conjunction of the given operators. `eq: null` matches nodes without a value; null has no effect on the other operators. */
function predicate(field: ValueField, operand: unknown): Predicate | undefined {
  if (typeof operand !== "object" || operand === null) return undefined;
  const conditions = Object.entries(operand).flatMap(([op, value]) => condition(field, op, value) ?? []);
  return conditions.length > 0 ? and(...conditions) : undefined;
}

function condition(field: ValueField, op: string, value: unknown): Predicate | undefined {
  const compare = (as: Comparison, operands: readonly Value[]): Predicate => ({ kind: "compare", field: field.stored, op: as, operands });
  if (value === undefined) return undefined;
  if (value === null) return op === "eq" ? not({ kind: "has", field: field.stored }) : undefined;
  if (op === "in") return compare("in", Array.isArray(value) ? value.filter(isValue) : []);
  if (op === "between") return isRange(value) ? compare("between", [value.min, value.max]) : undefined;
  return isComparison(op) && isValue(value) ? compare(op, [value]) : undefined;
}

function isComparison(op: string): op is Comparison {
  return ["eq", "le", "lt", "ge", "gt"].includes(op);
}

function isRange(value: unknown): value is { readonly min: Value; readonly max: Value } {
  return typeof value === "object" && value !== null && "min" in value && "max" in value && isValue(value.min) && isValue(value.max);
}

/** Keys are strings and integers. */
function isValue(value: unknown): value is string | number | bigint {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}
