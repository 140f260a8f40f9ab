// One request as hooks see it, and why they are asked about nodes.

import type { Json } from "../../ground/values/value.ts";

/** One request, as hooks see it. */
export interface RequestView {
  /** A UUID; clients find it in `extensions.requestID` of mutations. */
  readonly id: string;
  /** When the request began, in RFC 3339 to the second: the value of `$now`. */
  readonly now: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The merged results of all plugins' `request` hooks; in such a hook, those of the plugins before it. `claims`, if it is there, is a plain object: the
   * caller's claims, as `Hooks.request` describes. Those that the application has given in the process (`execute({ claims })`) win, and have `claimsGiven: true`
   * beside them.
   */
  readonly facts: Readonly<Record<string, Json>>;
}

/**
 * Why nodes are accessed:
 *
 * | purpose | the nodes |
 * |---|---|
 * | `query` | that a query or a payload reads |
 * | `password` | whose password a query checks |
 * | `add` | that a mutation has created |
 * | `choose` | among which the filter of an update or a delete, or the key of an upsert, chooses |
 * | `update`, `delete` | that a mutation is about to change or remove |
 * | `updated` | that an update has changed, as they are after it |
 * | `reference` | that an input refers to |
 * | `displaced` | whose link a new link replaces |
 * | `rule` | that a `Pattern` passes through |
 */
export type Purpose = "query" | "password" | "add" | "choose" | "update" | "delete" | "reference" | "displaced" | "rule" | "updated";
