// The operations that a rule can apply to.

import type { Purpose } from "../../core/plugin.ts";

/** Dgraph's operations. */
export const operations = ["password", "query", "add", "update", "delete"] as const;
/** With the option `updateAfter`: also the object after an update. */
export type Operation = (typeof operations)[number] | "updateAfter";

/** Without rules: a caller may link to any object that it can identify, and rules see all data. */
export const narrowedPurposes: readonly Purpose[] = ["query", "password", "add", "choose", "update", "delete", "displaced", "updated"];

/** The operation whose rule applies to a purpose; undefined: none. An object that loses a link is updated, and filters of writes see what a query shows. */
export function operationOf(purpose: Purpose): Operation | undefined {
  switch (purpose) {
    case "choose":
      return "query";
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
