// The values of an operation's variables, as the `graphql` package coerces them.

import { type GraphQLError, type GraphQLSchema, getVariableValues, Kind, type VariableDefinitionNode } from "graphql";

export type CoercedVariables = { readonly values: Readonly<Record<string, unknown>> } | { readonly errors: readonly GraphQLError[] };

const nothing: CoercedVariables = Object.freeze({ values: Object.freeze({}) });

/** More than this many mistakes in one request are not told. */
const maxErrors = 50;

/** A nullable variable that was not given, and has no default, counts as null: its argument or member is there, and empty. */
export function coerceVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  given: Readonly<Record<string, unknown>>,
): CoercedVariables {
  if (definitions.length === 0) return nothing;
  const inputs: Record<string, unknown> = { ...given };
  for (const definition of definitions) {
    const name = definition.variable.name.value;
    if (inputs[name] === undefined && definition.type.kind !== Kind.NON_NULL_TYPE && !definition.defaultValue) inputs[name] = null;
  }
  const { coerced, errors } = getVariableValues(schema, definitions, inputs, { maxErrors });
  return errors ? { errors } : { values: coerced };
}
