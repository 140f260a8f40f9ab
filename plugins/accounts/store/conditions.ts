// Conditions of better-auth on rows: which nodes may satisfy them, by what the storage can look up, and whether a row does.

import { all, and, type Predicate, type Stored, type Value } from "../../../core/plugin.ts";
import { type Row, type Scalar, storedValue } from "./rows.ts";
import { columnsOf, fieldName, type Table } from "./tables.ts";

/** One of better-auth's conditions, with everything that it leaves out by default. */
export interface Condition {
  readonly field: string;
  /** Undefined: `eq`. */
  readonly operator: string | undefined;
  readonly value: unknown;
  readonly connector: "AND" | "OR" | undefined;
  readonly mode: "sensitive" | "insensitive" | undefined;
}

/** Those with AND hold all, and of those with OR one: as better-auth's adapters for SQL combine them. */
export function satisfies(row: Row, conditions: readonly Condition[]): boolean {
  const [ors, ands] = [conditions.filter(isOr), conditions.filter((each) => !isOr(each))];
  return ands.every((each) => holds(row, each)) && (ors.length === 0 || ors.some((each) => holds(row, each)));
}

function isOr({ connector }: Condition): boolean {
  return connector === "OR";
}

function holds(row: Row, { field, operator, value, mode }: Condition): boolean {
  const fold = mode === "insensitive" ? lowerCase : plain;
  const [own, other] = [fold(row[field] ?? null), fold(value)];
  switch (operator) {
    case "in":
      return listOf(value).some((each) => fold(each) === own);
    case "not_in":
      return !listOf(value).some((each) => fold(each) === own);
    case "ne":
      return own !== other;
    case "contains":
      return typeof own === "string" && own.includes(String(other));
    case "starts_with":
      return typeof own === "string" && own.startsWith(String(other));
    case "ends_with":
      return typeof own === "string" && own.endsWith(String(other));
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return isInOrder(own, other, operator);
    default:
      return own === other;
  }
}

function isInOrder(own: Plain, other: Plain, operator: "lt" | "lte" | "gt" | "gte"): boolean {
  if (own === null || other === null) return false;
  const [low, high] = operator.startsWith("l") ? [own, other] : [other, own];
  return low < high || (operator.endsWith("e") && low === high);
}

type Plain = string | number | boolean | null;

/** Dates compare by their instant. */
function plain(value: unknown): Plain {
  if (value instanceof Date) return value.getTime();
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function lowerCase(value: unknown): Plain {
  return typeof value === "string" ? value.toLowerCase() : plain(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Nodes that `satisfies` need be asked about: by equality with values that the storage looks up, and by ranges of times. */
export function candidates(name: string, table: Table, conditions: readonly Condition[]): Predicate {
  if (conditions.some(isOr)) return all;
  return and(...conditions.map((condition) => lookUp(name, table, condition)));
}

function isSingle(stored: Stored | null): stored is Value {
  return stored !== null && !Array.isArray(stored);
}

const comparisons: Readonly<Record<string, "eq" | "in" | "lt" | "le" | "gt" | "ge">> = {
  eq: "eq",
  in: "in",
  lt: "lt",
  lte: "le",
  gt: "gt",
  gte: "ge",
};

function lookUp(name: string, table: Table, { field, operator, value, mode }: Condition): Predicate {
  const column = columnsOf(table)[field];
  const op = comparisons[operator ?? "eq"];
  if (column?.lookup === undefined || op === undefined || mode === "insensitive") return all;
  if (column.lookup !== "ordered" && op !== "eq" && op !== "in") return all;
  const values = listOf(value);
  const operands = values.map((each) => storedValue(column.kind, each)).filter(isSingle);
  return operands.length < values.length ? all : { kind: "compare", field: fieldName(name, field), op, operands };
}

/** `rows` in the order of a column; those without a value come last. */
export function sorted<R extends Row>(
  rows: readonly R[],
  { field, direction }: { readonly field: string; readonly direction: "asc" | "desc" },
): readonly R[] {
  const sign = direction === "asc" ? 1 : -1;
  return [...rows].sort((a, b) => compare(a[field] ?? null, b[field] ?? null, sign));
}

function compare(a: Scalar, b: Scalar, sign: number): number {
  const [left, right] = [plain(a), plain(b)];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return left < right ? -sign : left > right ? sign : 0;
}
