// Where versions 16 and 17 of the `graphql` package differ: the form of coerced variables, and of default values.

import {
  type ConstValueNode,
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLInputField,
  type GraphQLScalarType,
  type GraphQLScalarTypeConfig,
  valueFromAST,
  versionInfo,
} from "graphql";

type Variables = Readonly<Record<string, unknown>>;

const isNested = versionInfo.major >= 17;

/** Coerced variables as an argument of the package's functions: of version 17 they are a member of an object. */
export function packageVariables(variables: Variables): Variables {
  return isNested ? { sources: noSources, coerced: variables } : variables;
}

/** What `getVariableValues` returns in either version. */
export interface PackageResult {
  readonly errors?: readonly GraphQLError[];
  readonly coerced?: Variables;
  readonly variableValues?: { readonly coerced: Variables };
}

/** The coerced variables of a result without errors. */
export function coercedVariables({ coerced, variableValues }: PackageResult): Variables {
  return coerced ?? variableValues?.coerced ?? {};
}

/** The coerced default of an argument or a member of an input; undefined: it has none. Version 17 keeps the literal. */
export function defaultOf(
  input: (GraphQLArgument | GraphQLInputField) & { readonly default?: { readonly literal?: ConstValueNode } | undefined },
): unknown {
  const { literal } = input.default ?? {};
  return literal === undefined ? input.defaultValue : valueFromAST(literal, input.type);
}

/**
 * The configuration of a scalar of the package that both versions read, to change its functions. Version 17 adds functions that would have
 * precedence over changed ones.
 */
export function plainConfig<Internal, External>(scalar: GraphQLScalarType<Internal, External>): GraphQLScalarTypeConfig<Internal, External> {
  const { name, description, specifiedByURL, serialize, parseValue, parseLiteral } = scalar.toConfig();
  return { name, description, specifiedByURL, serialize, parseValue, parseLiteral };
}

const noSources = Object.freeze({});
