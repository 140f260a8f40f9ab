// `min max sum avg` over values.

import type { AggregateName } from "../language/syntax.ts";
import { compareDql, isNumeric } from "../plan/value-variable.ts";
import { type DqlKind, type DqlValue, orderedKinds } from "../schema/values.ts";

/** The aggregate of the values; undefined when there are none, or when their kind has no such aggregate. */
export function aggregate(name: AggregateName, values: readonly DqlValue[], kind: DqlKind): DqlValue | undefined {
  if (values.length === 0) return undefined;
  if (name === "min" || name === "max") return orderedKinds.has(kind) ? extreme(name, values, kind) : undefined;
  const sum = kind === "vector" ? vectorSum(values) : numberSum(values);
  if (sum === undefined || name === "sum") return sum;
  return Array.isArray(sum) ? sum.map((each) => each / values.length) : Number(sum) / values.length;
}

/** The kind of an aggregate of values of `kind`. */
export function aggregateKind(name: AggregateName, kind: DqlKind): DqlKind {
  return name === "avg" && kind !== "vector" ? "float" : kind;
}

function extreme(name: "min" | "max", values: readonly DqlValue[], kind: DqlKind): DqlValue | undefined {
  const sign = name === "min" ? 1 : -1;
  return values.reduce((best, each) => (sign * compareDql(each, best, kind) < 0 ? each : best));
}

const largest = 2n ** 63n;

function numberSum(values: readonly DqlValue[]): number | bigint | undefined {
  let whole = 0n;
  let float = 0;
  let isWhole = true;
  for (const value of values) {
    if (!isNumeric(value)) return undefined;
    if (typeof value === "bigint") whole += value;
    else {
      isWhole = false;
      float += value;
    }
  }
  if (!isWhole) return float + Number(whole);
  return whole < largest && whole >= -largest ? whole : undefined;
}

function vectorSum(values: readonly DqlValue[]): readonly number[] | undefined {
  const vectors = values.filter((value) => Array.isArray(value));
  const [first] = vectors;
  if (first === undefined || vectors.some((each) => each.length !== first.length)) return undefined;
  return first.map((_, i) => vectors.reduce((sum, each) => sum + Number(each[i]), 0));
}
