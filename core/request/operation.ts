// One operation of a document, ready to run: its plan, the order of its keys, and what `graphql` itself answers.

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
  visit,
} from "graphql";
import { type CascadeVariable, cascadeVariables } from "../query/plan/cascade-variables.ts";
import { fragmentsOf, placesOf } from "../query/plan/collect-fields.ts";
import type { OperationPlan } from "../query/plan/plan.ts";
import type { Api } from "../schema/api/api.ts";

export interface PreparedOperation {
  readonly definition: OperationDefinitionNode;
  readonly plan: OperationPlan;
  readonly variables: readonly VariableDefinitionNode[];
  /** Where a variable names fields for `@cascade`. */
  readonly cascadeVariables: readonly CascadeVariable[];
  /** Every key of `data` in document order, those of introspection included. */
  readonly keys: readonly string[];
  /** The part that asks about the schema, for `graphql`'s own execution. */
  readonly introspection: DocumentNode | undefined;
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
    introspection: plan.introspects && api.schema.getQueryType() ? introspectionPart(api, document, definition) : undefined,
  };
}

/** The same operation with its `__` fields only, and the variables that they use. */
function introspectionPart({ schema }: Api, document: DocumentNode, definition: OperationDefinitionNode): DocumentNode {
  const root = schema.getRootType(definition.operation)?.name;
  const fragments = document.definitions
    .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
    .map((each) => (each.typeCondition.name.value === root ? { ...each, selectionSet: metaFields(each.selectionSet) } : each));
  const operation: OperationDefinitionNode = { ...definition, selectionSet: metaFields(definition.selectionSet) };
  const used = new Set<string>();
  const usedIn = { Variable: (node: { name: { value: string } }) => void used.add(node.name.value) };
  visit(operation.selectionSet, usedIn);
  for (const fragment of fragments) visit(fragment, usedIn);
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...operation, variableDefinitions: (definition.variableDefinitions ?? []).filter((each) => used.has(each.variable.name.value)) },
      ...fragments,
    ],
  };
}

function metaFields(set: SelectionSetNode): SelectionSetNode {
  const selections = set.selections.flatMap((each): readonly SelectionNode[] => {
    if (each.kind === Kind.FIELD) return each.name.value.startsWith("__") ? [each] : [];
    return each.kind === Kind.INLINE_FRAGMENT ? [{ ...each, selectionSet: metaFields(each.selectionSet) }] : [each];
  });
  return { ...set, selections };
}
