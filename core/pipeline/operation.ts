// One operation of a document, ready to run: its plan, the order of its keys, and what `graphql` itself answers.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
  visit,
} from "graphql";
import type { Api } from "../api/api.ts";
import type { OperationPlan } from "../plan/plan.ts";
import { type CascadeVariable, cascadeVariables } from "./cascade-variables.ts";

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
  const fields = rootFields(document, definition);
  const keys = [...new Set(fields.map(({ field }) => field.alias?.value ?? field.name.value))];
  return {
    definition,
    plan,
    variables: definition.variableDefinitions ?? [],
    cascadeVariables: cascadeVariables(api.schema, document, definition),
    keys,
    introspection: plan.introspects && api.schema.getQueryType() ? introspectionPart(document, definition, fields) : undefined,
  };
}

/** A root field with the fragments it stands in, whose conditions are its own too. */
interface RootFieldNode {
  readonly field: FieldNode;
  readonly conditions: readonly SelectionSetNode["selections"][number][];
}

function rootFields(document: DocumentNode, definition: OperationDefinitionNode): readonly RootFieldNode[] {
  const fragments = new Map(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const collect = (set: SelectionSetNode, conditions: RootFieldNode["conditions"]): readonly RootFieldNode[] =>
    set.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [{ field: selection, conditions }];
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragments.get(selection.name.value)?.selectionSet;
      return inner ? collect(inner, [...conditions, selection]) : [];
    });
  return collect(definition.selectionSet, []);
}

/** The same operation with its `__` fields only, and the variables that they use. */
function introspectionPart(document: DocumentNode, definition: OperationDefinitionNode, fields: readonly RootFieldNode[]): DocumentNode {
  const selections = fields
    .filter(({ field }) => field.name.value.startsWith("__"))
    .map(({ field, conditions }) => ({
      kind: Kind.INLINE_FRAGMENT as const,
      directives: conditions.flatMap((each) => each.directives ?? []),
      selectionSet: { kind: Kind.SELECTION_SET as const, selections: [field] },
    }));
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  const operation: OperationDefinitionNode = { ...definition, selectionSet: { kind: Kind.SELECTION_SET, selections } };
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
