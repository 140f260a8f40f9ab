// The `graphql` of `@custom`: one operation with one root field, to which the client's selection is appended.

import { type FieldNode, GraphQLError, Kind, type OperationDefinitionNode, parse, visit } from "graphql";
import { syntaxText } from "../template/body-template.ts";

export interface RemoteOperation {
  readonly definition: OperationDefinitionNode;
  /** The first root field. */
  readonly field: FieldNode | undefined;
  /** Names of declared variables. */
  readonly declared: readonly string[];
  /** Names of variables in the arguments. */
  readonly used: readonly string[];
}

type Text = `${":" | ";"} ${string}`;

export function readOperation(text: string): { readonly operation: RemoteOperation } | { readonly problem: Text } {
  let operations: readonly OperationDefinitionNode[];
  try {
    operations = parse(text).definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    return { problem: `: unable to parse graphql in @custom directive because: ${syntaxText(thrown.message)}` };
  }
  const [definition] = operations;
  if (!definition || operations.length !== 1) {
    return { problem: `: inside graphql in @custom directive, found ${operations.length} operations, it can have exactly one operation.` };
  }
  return { operation: factsOf(definition) };
}

function factsOf(definition: OperationDefinitionNode): RemoteOperation {
  const [field] = definition.selectionSet.selections.filter((each) => each.kind === Kind.FIELD);
  const used = new Set<string>();
  for (const argument of field?.arguments ?? []) visit(argument, { Variable: ({ name }) => void used.add(name.value) });
  return {
    definition,
    field,
    declared: (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value),
    used: [...used],
  };
}

/** What such an operation may not have. */
export function operationFindings({ definition, field }: RemoteOperation): readonly Text[] {
  const { operation, name, directives = [], selectionSet } = definition;
  const start = ": inside graphql in @custom directive," as const;
  const findings: Text[] = [];
  if (operation === "subscription") findings.push(`${start} found \`subscription\` operation, it can only have query/mutation.`);
  if (name) findings.push(`${start} found operation with name \`${name.value}\`, it can't have a name.`);
  if (directives.length > 0) findings.push(`${start} found operation with directives, it can't have any directives.`);
  const count = selectionSet.selections.length;
  if (count !== 1 || !field) {
    findings.push(`${start} found ${count} fields inside operation \`${operation}\`, it can have exactly one field.`);
    return findings;
  }
  const found = `${start} found ${operation} \`${field.name.value}\`` as const;
  if (field.alias) findings.push(`${found} with alias \`${field.alias.value}\`, it can't have any alias.`);
  if ((field.directives ?? []).length > 0) findings.push(`${found} with directives, it can't have any directives.`);
  if (field.selectionSet) findings.push(`${found} with a selection set, it can't have any selection set.`);
  return findings;
}

/** In the mode BATCH there is one argument, the list of all parents. What is wrong with those that are given. */
export function batchProblem({ definition, field }: RemoteOperation): string | undefined {
  if (!field) return undefined;
  const given = field.arguments ?? [];
  if (given.length === 1 && given.every(({ value }) => value.kind === Kind.VARIABLE)) return undefined;
  return `for BATCH mode, ${definition.operation} \`${field.name.value}\` can have only one argument whose value should be a variable.`;
}
