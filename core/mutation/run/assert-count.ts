// How many nodes an update or a delete is about, where the request says how many it must be.

import { QuernError } from "../../ground/errors.ts";
import type { CountBounds } from "../../query/plan/plan.ts";
import { type Mutation, refuse } from "../context/mutation.ts";

/** @throws `COUNT_MISMATCH` as the reason */
export function assertCount(mutation: Mutation, found: number): void {
  const { root, context } = mutation;
  const broken = root.counts?.(context.variables).find(({ atLeast = 0, atMost = Number.POSITIVE_INFINITY }) => found < atLeast || found > atMost);
  if (broken) refuse("guard", mutation, [mismatch(found, broken)]);
}

function mismatch(found: number, { atLeast, atMost }: CountBounds): QuernError {
  const wanted = [...(atLeast === undefined ? [] : [`at least ${atLeast}`]), ...(atMost === undefined ? [] : [`at most ${atMost}`])].join(" and ");
  return new QuernError(
    "COUNT_MISMATCH",
    `its filter matches ${found} ${found === 1 ? "object" : "objects"}, and must match ${wanted}; nothing was changed`,
  );
}
