// Schema validation of the GraphQL specification, with the messages that clients expect: those of the `graphql` package differ.
// Reports only the first problem of each definition: the next ones are mostly consequences.

import { type DirectiveDefinitionNode, Kind, type OperationTypeDefinitionNode, type TypeDefinitionNode } from "graphql";
import { kindOf, type TypeKind } from "./definitions.ts";
import type { Expanded } from "./inheritance.ts";
import type { Installed } from "./installed.ts";
import type { SchemaDocument } from "./parse-document.ts";
import type { Problems } from "./problems.ts";
import { argumentsProblem, type Finding, type Names, nameProblem } from "./validate-common.ts";
import { definitionProblem } from "./validate-definition.ts";

/** @see reference/schema.md 1.14 */
export function checkStandard(
  { definitions }: Expanded,
  { directives, roots }: Pick<SchemaDocument, "directives" | "roots">,
  installed: Installed,
  problems: Problems,
): void {
  const names = namesOf(definitions, directives, installed);
  const findings = [
    ...redeclarations(definitions, installed.types, "type"),
    ...redeclarations(directives, installed.directives, "directive"),
    ...directives.map((directive) => directiveProblem(directive, names)),
    ...definitions.map((definition) => definitionProblem(definition, definitions, names)),
    ...roots.map((root) => rootProblem(root, names)),
  ];
  for (const finding of findings) if (finding) problems.report(finding.message, finding.at, finding.hint);
}

function namesOf(definitions: readonly TypeDefinitionNode[], directives: readonly DirectiveDefinitionNode[], installed: Installed): Names {
  const types = new Map<string, TypeKind>(installed.types);
  for (const definition of definitions) if (!types.has(definition.name.value)) types.set(definition.name.value, kindOf(definition));
  const known = new Map([...installed.directives].map(([name, { definition }]) => [name, definition] as const));
  for (const directive of directives) if (!known.has(directive.name.value)) known.set(directive.name.value, directive);
  return { types, directives: known };
}

function redeclarations(
  nodes: readonly (TypeDefinitionNode | DirectiveDefinitionNode)[],
  taken: ReadonlyMap<string, unknown>,
  what: "type" | "directive",
): readonly Finding[] {
  const seen = new Set(taken.keys());
  return nodes.map((node) => {
    const name = node.name.value;
    if (!seen.has(name)) {
      seen.add(name);
      return undefined;
    }
    return { message: `Cannot redeclare ${what} ${name}.`, at: node };
  });
}

function rootProblem({ operation, type }: OperationTypeDefinitionNode, { types }: Names): Finding {
  const { value } = type.name;
  return types.has(value) ? undefined : { message: `Schema root ${operation} refers to a type ${value} that does not exist.`, at: type };
}

function directiveProblem(directive: DirectiveDefinitionNode, names: Names): Finding {
  if (directive.kind !== Kind.DIRECTIVE_DEFINITION) return undefined;
  return nameProblem(directive) ?? argumentsProblem(directive.arguments ?? [], names);
}
