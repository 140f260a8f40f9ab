// Where a wrong value of a variable stands: the root field and the place in its arguments, so that a form can mark its field.

import { type GraphQLError, Kind, type OperationDefinitionNode, type ValueNode } from "graphql";
import type { InputPath } from "../ground/errors.ts";
import type { FailedField } from "../query/operation-context.ts";
import { fromGraphQL } from "./refusal.ts";

type Placed = Pick<FailedField, "code" | "ownPath" | "input">;

/** What `graphql` says about a variable, with a code and its place in the arguments of the first root field that uses it. */
export function failedVariable(error: GraphQLError, operation: OperationDefinitionNode): FailedField {
  return { ...fromGraphQL(error), ...placeOf(error.message, operation) };
}

function placeOf(message: string, operation: OperationDefinitionNode): Placed {
  const [, name] = /^Variable "\$(\w+)"/u.exec(message) ?? [];
  if (name === undefined) return {};
  const code = isMissing(message) ? "VALUE_MISSING" : "VALUE_INVALID";
  const use = useOf(name, operation);
  return use ? { code, ownPath: [use.key], input: [...use.steps, ...stepsIn(message)] } : { code };
}

const isMissing = (message: string): boolean =>
  /Field "\w+" of required type .* was not provided\.$|Expected non-nullable type .* not to be null\.$|of required type .* was not provided\.$/u.test(
    message,
  );

/** `... at "input[0].author"; Field "name" of required type "String!" was not provided.`: `[0, "author", "name"]`. Texts in messages have their quotes escaped. */
function stepsIn(message: string): InputPath {
  const begin = message.lastIndexOf(' at "');
  const [, path = ""] = begin < 0 ? [] : (/^ at "\w+([^"]*)"/u.exec(message.slice(begin)) ?? []);
  const steps = [...path.matchAll(/\[(\d+)\]|\.(\w+)/gu)].map(([, index, name]) => (index === undefined ? (name ?? "") : Number(index)));
  const [, missing] = /; Field "(\w+)" of required type/u.exec(message) ?? [];
  return missing === undefined ? steps : [...steps, missing];
}

interface Use {
  /** Of the root field in the answer. */
  readonly key: string;
  readonly steps: InputPath;
}

function useOf(variable: string, { selectionSet }: OperationDefinitionNode): Use | undefined {
  for (const field of selectionSet.selections) {
    if (field.kind !== Kind.FIELD) continue;
    for (const { name, value } of field.arguments ?? []) {
      const steps = stepsTo(variable, value);
      if (steps) return { key: field.alias?.value ?? field.name.value, steps: [name.value, ...steps] };
    }
  }
  return undefined;
}

function stepsTo(variable: string, value: ValueNode): InputPath | undefined {
  if (value.kind === Kind.VARIABLE) return value.name.value === variable ? [] : undefined;
  const inner: readonly (readonly [string | number, ValueNode])[] =
    value.kind === Kind.LIST
      ? value.values.map((each, i) => [i, each] as const)
      : value.kind === Kind.OBJECT
        ? value.fields.map((each) => [each.name.value, each.value] as const)
        : [];
  for (const [step, each] of inner) {
    const steps = stepsTo(variable, each);
    if (steps) return [step, ...steps];
  }
  return undefined;
}
