// A rule's verdict for one caller, and the combination of verdicts by `and`, `or` and `not`.

import { and, not, or, type Predicate } from "../../core/plugin.ts";

/**
 * `allow`: all nodes. `deny`: none. A predicate: the nodes that satisfy it. `absent`: none, because a claim that the rule needs is missing; `not`
 * of it is `absent` too, so a missing claim never grants access.
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
