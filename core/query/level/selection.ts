// What a root field selects, resolved against the generated API.

import type { FieldNode } from "graphql";
import type { NodeType } from "../../contracts/model.ts";
import type { ListStep, PlannedArguments, Variables } from "../../contracts/plugin/level-step.ts";
import type { Work } from "../../ground/work.ts";
import type { Level } from "./level.ts";
import type { JsonSelection, OutputNullability, SelectedField } from "./shapes.ts";

export type { PlannedArguments, Variables };

/** The selection of one root field. `@skip`, `@include` and `@cascade` may depend on variables, so the selection does too. */
export interface Selection {
  /** The same object for the same values of those variables. */
  readonly select: (variables: Variables) => RootShape;
  /** What is left to plan before `select` answers at once; undefined: nothing. */
  readonly plan: (variables: Variables) => Work<unknown> | undefined;
  /** As if every condition that depends on a variable were met; for printing. */
  readonly whole: () => RootShape;
}

export type RootShape =
  /** One node, or a list of them. */
  | { readonly kind: "nodes"; readonly level: Level; readonly type: OutputNullability; readonly selected?: SelectedField }
  /** A step without parents: `aggregate<T>`, and kinds of lists of plugins. */
  | { readonly kind: "step"; readonly step: ListStep }
  | { readonly kind: "payload"; readonly members: readonly PayloadMember[]; readonly filters: NodeType }
  /** A plugin's own value: completed by its GraphQL type. */
  | { readonly kind: "json"; readonly json: JsonSelection; readonly selected: SelectedField };

export type PayloadMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | { readonly kind: "numUids" | "msg" }
  | { readonly kind: "list"; readonly node: FieldNode; readonly level: Level; readonly type: OutputNullability }
);
