// How much an operation comes to when its fragments are written out: a page of text may be a plan of gigabytes.

import { defaultLimits } from "../config/limits.ts";
import { QuernError } from "../errors.ts";

export interface PlanBounds {
  /** Of one run of the operation. */
  readonly maxSelections: number;
  /** Told of every so many selections that the plan has grown by, whatever the variables. */
  readonly grown?: (selections: number) => void;
}

/** More than these are not kept: a client may send any list in a `@cascade` variable. */
export const maxKeptVariants = 64;

export interface Expansion {
  /** What counts selections under one set of values of the variables that the plan hangs on. Errors: `LIMIT_REACHED`. */
  counter(variant: string): (selections: number) => void;
}

export function expansionOf({ maxSelections, grown }: PlanBounds = defaultLimits): Expansion {
  const counts = new Map<string, number>();
  return {
    counter: (variant) => (selections) => {
      const count = (counts.get(variant) ?? 0) + selections;
      if (count > maxSelections) throw tooMany(maxSelections);
      if (counts.size >= maxKeptVariants && !counts.has(variant)) counts.clear();
      counts.set(variant, count);
      grown?.(selections);
    },
  };
}

function tooMany(most: number): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `The operation asks for more than ${most} fields when its fragments are written out (limits.maxSelections). Nest it less, or ask in parts.`,
  );
}
