// The operations that a rule can be about.

import type { Purpose } from "../../core/index.ts";

export const operations = ["password", "query", "add", "update", "delete"] as const;
export type Operation = (typeof operations)[number];

/** Whose rule decides; undefined: none, everybody may. Whoever is pushed out of a link is changed by it. */
export function operationOf(purpose: Purpose): Operation | undefined {
  switch (purpose) {
    case "displaced":
      return "update";
    case "reference":
    case "rule":
      return undefined;
    default:
      return purpose;
  }
}
