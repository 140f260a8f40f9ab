// The operations that a rule can be about.

import type { Purpose } from "../../core/index.ts";

/** Those that clients of other servers know. */
export const operations = ["password", "query", "add", "update", "delete"] as const;
/** `updateAfter`, by option: on an object as an update leaves it. */
export type Operation = (typeof operations)[number] | "updateAfter";

/** Links may be made to any object that one can name, and rules see all data. */
export const narrowedPurposes: readonly Purpose[] = ["query", "password", "add", "update", "delete", "displaced", "updated"];

/** Whose rule decides; undefined: none, everybody may. Whoever is pushed out of a link is changed by it. */
export function operationOf(purpose: Purpose): Operation | undefined {
  switch (purpose) {
    case "displaced":
      return "update";
    case "updated":
      return "updateAfter";
    case "reference":
    case "rule":
      return undefined;
    default:
      return purpose;
  }
}
