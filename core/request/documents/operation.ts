// One operation of a document, ready to run: its plan, the order of its keys, and what `graphql` itself answers.

import type { DocumentNode, OperationDefinitionNode, VariableDefinitionNode } from "graphql";
import { type CascadeVariable, cascadeVariables } from "../../query/plan/cascade-variables.ts";
import { fragmentsOf, placesOf } from "../../query/plan/collect-fields.ts";
import type { OperationPlan } from "../../query/plan/plan.ts";
import type { Api } from "../../schema/api/api.ts";

export interface PreparedOperation {
  readonly definition: OperationDefinitionNode;
  readonly plan: OperationPlan;
  readonly variables: readonly VariableDefinitionNode[];
  /** Where a variable names fields for `@cascade`. */
  readonly cascadeVariables: readonly CascadeVariable[];
  /** Every key of `data` in document order, those of introspection included. */
  readonly keys: readonly string[];
  /** It asks about the schema. */
  readonly introspects: boolean;
}

export function prepareOperation(api: Api, document: DocumentNode, definition: OperationDefinitionNode, plan: OperationPlan): PreparedOperation {
  const places = placesOf(definition.selectionSet, fragmentsOf(document));
  const keys = [...new Set(places.map(({ field }) => field.alias?.value ?? field.name.value))];
  return {
    definition,
    plan,
    variables: definition.variableDefinitions ?? [],
    cascadeVariables: cascadeVariables(api.schema, document, definition),
    keys,
    introspects: plan.introspects && api.schema.getQueryType() !== undefined,
  };
}
