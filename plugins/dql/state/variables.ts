// Variables of a document while it runs.

import type { Uid } from "../../../core/plugin.ts";
import type { DqlKind, DqlValue } from "../schema/values.ts";

/** A set of nodes. */
export interface UidVariable {
  readonly kind: "uids";
  /** Ascending, or in the order of a path. */
  readonly uids: readonly Uid[];
  /** True: `uids` are in the order of a path, and a block shows them in it. */
  readonly inPathOrder?: boolean;
}

/** A value for each of some nodes. */
export interface ValueVariable {
  readonly kind: "values";
  readonly of: DqlKind;
  readonly values: ReadonlyMap<Uid, DqlValue>;
}

/** One value for all nodes: an aggregate of an empty block, or `count(uid)` of a block. Undefined: there was nothing to aggregate. */
export interface SingleVariable {
  readonly kind: "single";
  readonly of: DqlKind;
  readonly value: DqlValue | undefined;
}

export type Variable = UidVariable | ValueVariable | SingleVariable;
/** The variables that are known somewhere, by name. */
export type Variables = Pick<ReadonlyMap<string, Variable>, "get" | "has">;

/** `variables` with one more, which hides another one of that name. */
export function withVariable(variables: Variables, name: string, variable: Variable): Variables {
  return {
    get: (wanted) => (wanted === name ? variable : variables.get(wanted)),
    has: (wanted) => wanted === name || variables.has(wanted),
  };
}

/** The nodes of a variable: those of a set, or those that have a value; ascending unless it is a path. */
export function nodesOf(variable: Variable | undefined): readonly Uid[] {
  if (variable?.kind === "uids") return variable.uids;
  return variable?.kind === "values" ? [...variable.values.keys()].sort(ascending) : [];
}

export function ascending(a: number, b: number): number {
  return a - b;
}

/** Ascending and distinct. */
export function sortedSet(uids: readonly Uid[]): readonly Uid[] {
  return isAscending(uids) ? uids : [...new Set(uids)].sort(ascending);
}

/** Most lists come ascending from the storage. */
function isAscending(uids: readonly Uid[]): boolean {
  for (let i = 1; i < uids.length; i++) if ((uids[i - 1] ?? 0) >= (uids[i] ?? 0)) return false;
  return true;
}
