// Variables as the installed version of the `graphql` package takes and returns them: version 16 uses a plain object, version 17 one with
// the coerced values in `coerced`.

import { type GraphQLError, versionInfo } from "graphql";
import type { Variables } from "./selection.ts";

const isNested = versionInfo.major >= 17;

/** Coerced variables as an argument of the package's functions. */
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

const noSources = Object.freeze({});
