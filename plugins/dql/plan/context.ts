// What functions and filters are planned with.

import type { FieldLayout, Uid } from "../../../core/plugin.ts";
import type { Inputs } from "../language/inputs.ts";
import type { Call } from "../language/syntax.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import type { Variables } from "../state/variables.ts";

export interface ConditionContext {
  readonly work?: Pick<DocumentBudget, "values"> | undefined;
  readonly catalog: Catalog;
  readonly inputs: Inputs;
  /** The variables that are complete where the function stands. */
  readonly variables: Variables;
  /** The nodes that each `similar_to` of the block has found. */
  readonly nearest: ReadonlyMap<Call, readonly Uid[]>;
}

/** Where a function stands: at the root of a block an index must find its nodes. */
export type At = "root" | "filter";

/** A function on a predicate that holds values. */
export interface FieldAbout {
  readonly field: FieldLayout;
  /** The function's arguments. */
  readonly texts: readonly string[];
  readonly at: At;
  readonly context: ConditionContext;
}
