// Every key can be asked for in filters, with or without a search of its own: texts by equality, numbers by range too.

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
} from "../../core/index.ts";

const inputs: Readonly<Record<string, string>> = { string: "StringHashFilter", int: "IntFilter", int64: "Int64Filter" };

/** Filters of keys that have no other: a field that says how it is searched is left to whoever reads that. */
export function keyFilters(keys: readonly ValueField[]): readonly FieldFilter[] {
  return keys
    .filter((field) => !isSearched(field))
    .map((field) => ({ field, input: inputs[field.kind] ?? "", predicate: (operand) => predicate(field, operand) }));
}

/**
 * Storage finds a value by the key itself where one key covers all types that hold the field. An inherited field with a key for
 * each type needs an index beside them; numbers need one for their ranges, unless their search brings it.
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

/** Object types by the stored field that they hold, of the fields in `keys`. */
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

/** All operators given must hold; null asks for no value with `eq` and for nothing with the others. */
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

/** Keys hold texts and whole numbers. */
function isValue(value: unknown): value is string | number | bigint {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}
