// The values of an operation's variables, as the `graphql` package coerces them.

import { GraphQLError, getVariableValues, Kind, type VariableDefinitionNode } from "graphql";
import { isStackOverflow, tooDeep } from "../../ground/too-deep.ts";
import { malformedTexts } from "../../ground/values/well-formed.ts";
import { markAbsent } from "../../query/level/given-variables.ts";
import { coercedVariables, type PackageResult } from "../../schema/api/package-version.ts";
import type { InputReaders } from "./input-reader.ts";

/** Values by name, or why they do not fit. */
export type CoercedVariables = { readonly values: Readonly<Record<string, unknown>> } | { readonly errors: readonly GraphQLError[] };

const nothing: CoercedVariables = Object.freeze({ values: Object.freeze({}) });

/** Errors that one answer reports at most. */
const maxErrors = 50;

/** A nullable variable that was not given, and has no default, counts as null: its argument or member is there, and empty. */
export function coerceVariables(
  readers: InputReaders,
  definitions: readonly VariableDefinitionNode[],
  given: Readonly<Record<string, unknown>>,
): CoercedVariables {
  if (definitions.length === 0) return nothing;
  // Without a prototype: variables may be called `constructor` or `__proto__`.
  const inputs: Record<string, unknown> = Object.assign(Object.create(null), given);
  const absent = definitions.flatMap(({ variable: { name }, type, defaultValue }) =>
    inputs[name.value] === undefined && type.kind !== Kind.NON_NULL_TYPE && !defaultValue ? [name.value] : [],
  );
  for (const name of absent) inputs[name] = null;
  const values = readAll(readers, definitions, inputs);
  if (values) {
    markAbsent(values, absent);
    return { values };
  }
  const result: PackageResult = getVariableValues(readers.schema, definitions, inputs, { maxErrors });
  if (result.errors) return { errors: result.errors };
  const malformed = malformedIn(definitions, inputs).slice(0, maxErrors);
  if (malformed.length > 0) return { errors: malformed };
  const coerced = coercedVariables(result);
  markAbsent(coerced, absent);
  return { values: coerced };
}

/** Half a character in a text, which the package takes for a text and the parser refuses in a literal. */
function malformedIn(definitions: readonly VariableDefinitionNode[], inputs: Readonly<Record<string, unknown>>): readonly GraphQLError[] {
  return definitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    return malformedTexts(inputs[name]).map(({ path, text, problem }) => {
      const place = path.length === 0 ? "" : ` at "${name}${path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")}"`;
      return new GraphQLError(`Variable "$${name}" got invalid value ${JSON.stringify(text)}${place}; ${problem}`, { nodes: definition });
    });
  });
}

/** The values, if all are right; else the `graphql` package says what is wrong. It takes an overflow of the stack for a wrong value; we do not. */
function readAll(
  readers: InputReaders,
  definitions: readonly VariableDefinitionNode[],
  inputs: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const values: Record<string, unknown> = Object.create(null);
  try {
    for (const { variable, type, defaultValue } of definitions) {
      const given = inputs[variable.name.value];
      if (given === undefined && defaultValue) return undefined;
      const read = readers.of(type);
      if (given === undefined || !read) return undefined;
      values[variable.name.value] = read(given);
    }
    return values;
  } catch (thrown) {
    if (isStackOverflow(thrown)) throw tooDeep();
    return undefined;
  }
}
