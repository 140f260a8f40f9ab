// Where a wrong value of a variable stands: the root field and the place in its arguments, so that a form can mark its field.

import { type GraphQLError, Kind, type OperationDefinitionNode, type ValueNode } from "graphql";
import type { InputPath } from "../../ground/errors.ts";
import type { FailedField } from "../../query/operation-context.ts";
import { fromGraphQL } from "../errors/refusal.ts";

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

/** No value, or null, where one is required: as version 16 of the package words it, and as version 17 does. */
const isMissing = (message: string): boolean =>
  /(?:was not provided|must not be null|not to be null|to be provided)\.$|to include required field "\w+"/u.test(message);

/**
 * `[0, "author", "name"]`: the place below the variable, in the words of version 16, `... at "input[0].author"; Field "name" of required type ...`,
 * or of 17, `... at [0].author: Expected ... required field "name" ...`. Texts of callers come after it, and version 16 escapes their quotes.
 */
function stepsIn(message: string): InputPath {
  const steps = [...pathIn(message).matchAll(/\[(\d+)\]|\.(\w+)/gu)].map(([, index, name]) => (index === undefined ? (name ?? "") : Number(index)));
  const [, sixteen, seventeen] =
    /; Field "(\w+)" of required type|: Expected value of type "\w+" to include required field "(\w+)"/u.exec(message) ?? [];
  const missing = sixteen ?? seventeen;
  return missing === undefined ? steps : [...steps, missing];
}

function pathIn(message: string): string {
  const [, path] = /^Variable "\$\w+" has invalid value at ([^:]+):/u.exec(message) ?? [];
  if (path !== undefined) return path;
  const begin = message.lastIndexOf(' at "');
  return begin < 0 ? "" : (/^ at "\w+([^"]*)"/u.exec(message.slice(begin))?.[1] ?? "");
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
