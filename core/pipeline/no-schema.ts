// Answers while nothing is deployed.

import {
  buildSchema,
  type DocumentNode,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  type SelectionSetNode,
  validate,
} from "graphql";
import type { ResponseError } from "../execution.ts";

/** Rules that need no field's type. */
const rules = [NoUnusedVariablesRule, KnownFragmentNamesRule, NoFragmentCyclesRule];
const emptySchema = buildSchema("type Query { none: Boolean }");

const subscriptionText = "Not resolving subscription because schema doesn't have any fields defined for subscription operation.";

/** The errors of a request that comes before any schema. There is no data at all. */
export function noSchemaErrors(document: DocumentNode, operation: OperationDefinitionNode): readonly ResponseError[] {
  const invalid = validate(emptySchema, document, rules);
  if (invalid.length > 0) return invalid.map((each) => ({ message: each.message, locations: each.locations ?? [] }));
  if (operation.operation === "subscription") return [{ message: subscriptionText }];
  const keys = [...new Set(keysOf(operation.selectionSet, document))];
  if (operation.operation === "query") return keys.map((key) => ({ message: notResolving(key) }));
  return keys.map((key, i) =>
    i === 0 ? { message: notResolving(key) } : { message: `Mutation ${key} was not executed because of a previous error.`, path: [key] },
  );
}

/** The names that the answer would have, fragments expanded. There is no cycle among these. */
function keysOf({ selections }: SelectionSetNode, document: DocumentNode): readonly string[] {
  return selections.flatMap((each) => {
    if (each.kind === Kind.FIELD) return [each.alias?.value ?? each.name.value];
    if (each.kind === Kind.INLINE_FRAGMENT) return keysOf(each.selectionSet, document);
    const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === each.name.value);
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? keysOf(fragment.selectionSet, document) : [];
  });
}

function notResolving(key: string): string {
  return `Not resolving ${key}. There's no GraphQL schema in Dgraph. Use the /admin API to add a GraphQL schema`;
}

export { subscriptionText };
