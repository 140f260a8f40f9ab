// What a rule says to one caller, and how `and`, `or` and `not` join what several say.

import { and, not, or, type Predicate } from "../../core/index.ts";

/**
 * `allow`: every node; `deny`: none; a predicate: those that satisfy it; `absent`: none, because a claim is missing that the rule needs.
 * No `not` turns an absent rule into a right.
 */
export type Verdict = "allow" | "deny" | "absent" | Predicate;

export function allOfVerdicts(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("absent")) return "absent";
  if (verdicts.includes("deny")) return "deny";
  const filters = verdicts.filter(isFilter);
  return filters.length === 0 ? "allow" : and(...filters);
}

export function anyOfVerdicts(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("allow")) return "allow";
  const filters = verdicts.filter(isFilter);
  if (filters.length > 0) return or(...filters);
  return verdicts.includes("absent") ? "absent" : "deny";
}

export function oppositeVerdict(verdict: Verdict): Verdict {
  switch (verdict) {
    case "absent":
      return "absent";
    case "allow":
      return "deny";
    case "deny":
      return "allow";
    default:
      return not(verdict);
  }
}

export function isFilter(verdict: Verdict): verdict is Predicate {
  return typeof verdict === "object";
}
