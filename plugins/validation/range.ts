// `@range`: numbers within bounds, both included. An Int64 is compared exactly.

import type { Value } from "../../core/plugin.ts";

export interface NumberLimits {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** `101`: the number that is out of range. */
export function rangeProblem(value: Value, { min, max }: NumberLimits): string | undefined {
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const isInside = (min === undefined || value >= min) && (max === undefined || value <= max);
  return isInside ? undefined : `${value}`;
}
