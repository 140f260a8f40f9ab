// Answers while nothing is deployed.

import {
  buildSchema,
  type DocumentNode,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
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
  const keys = operation.selectionSet.selections.flatMap((each) =>
    each.kind === Kind.FIELD ? [{ key: each.alias?.value ?? each.name.value, location: each.loc }] : [],
  );
  if (operation.operation === "query") return keys.map(({ key }) => ({ message: notResolving(key) }));
  return keys.map(({ key }, i) =>
    i === 0 ? { message: notResolving(key) } : { message: `Mutation ${key} was not executed because of a previous error.`, path: [key] },
  );
}

function notResolving(key: string): string {
  return `Not resolving ${key}. There's no GraphQL schema in Dgraph. Use the /admin API to add a GraphQL schema`;
}

export { subscriptionText };
