// Schema validation of the GraphQL specification, with the messages that clients expect: those of the `graphql` package differ.

import type { DirectiveDefinitionNode, OperationTypeDefinitionNode, TypeDefinitionNode } from "graphql";
import { kindOf, type TypeKind } from "./definitions.ts";
import type { Expanded } from "./inheritance.ts";
import type { Installed } from "./installed.ts";
import { locationOf } from "./locations.ts";
import type { SchemaDocument } from "./parse-document.ts";
import type { Problems, Thoroughness } from "./problems.ts";
import { Suggestions } from "./suggestions.ts";
import { argumentsFindings, type Finding, type Findings, type Names, nameFindings } from "./validate-common.ts";
import { definitionFindings } from "./validate-definition.ts";

export interface StandardCheck {
  readonly installed: Installed;
  readonly problems: Problems;
  /** `"first"`: of each definition, as Dgraph does. */
  readonly report: Thoroughness;
}

/** @see reference/schema.md 1.14 */
export function checkStandard(
  { definitions }: Pick<Expanded, "definitions">,
  { directives, roots }: Pick<SchemaDocument, "directives" | "roots">,
  { installed, problems, report }: StandardCheck,
): void {
  const names = namesOf(definitions, directives, installed);
  // What contradicts an interface is reported already when copying its fields has failed.
  const byName = new Map(problems.none ? [...definitions].reverse().map((definition) => [definition.name.value, definition]) : []);
  const found: readonly Iterable<Finding>[] = [
    ...redeclarations(definitions, installed.types, "type"),
    ...redeclarations(directives, installed.directives, "directive"),
    ...directives.map((directive) => definedDirectiveFindings(directive, names)),
    ...definitions.map((definition) => definitionFindings(definition, byName, names)),
    ...roots.map((root) => rootFindings(root, names)),
  ];
  const earlier = problems.places();
  for (const findings of found) {
    for (const finding of findings) {
      // What an earlier stage has reported at the same place says the same in other words.
      if (!earlier.has(finding.at)) problems.report(finding.message, finding.at, finding.hint, detailsOf(finding));
      if (report === "first") break;
    }
  }
}

function detailsOf({ meant, part }: Finding): Readonly<Record<string, unknown>> {
  return { ...(meant && { meant }), ...(part && { part: locationOf(part) }) };
}

function namesOf(definitions: readonly TypeDefinitionNode[], directives: readonly DirectiveDefinitionNode[], installed: Installed): Names {
  const types = new Map<string, TypeKind>(installed.types);
  for (const definition of definitions) if (!types.has(definition.name.value)) types.set(definition.name.value, kindOf(definition));
  const known = new Map([...installed.directives].map(([name, { definition }]) => [name, definition] as const));
  for (const directive of directives) if (!known.has(directive.name.value)) known.set(directive.name.value, directive);
  return { types, enums: installed.enums, directives: known, suggestions: new Suggestions() };
}

function redeclarations(
  nodes: readonly (TypeDefinitionNode | DirectiveDefinitionNode)[],
  taken: ReadonlyMap<string, unknown>,
  what: "type" | "directive",
): readonly (readonly Finding[])[] {
  const seen = new Set(taken.keys());
  return nodes.map((node) => {
    const name = node.name.value;
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ message: `Cannot redeclare ${what} ${name}.`, at: node }];
  });
}

function* rootFindings({ operation, type }: OperationTypeDefinitionNode, { types }: Names): Findings {
  const { value } = type.name;
  if (!types.has(value)) yield { message: `Schema root ${operation} refers to a type ${value} that does not exist.`, at: type };
}

function* definedDirectiveFindings(directive: DirectiveDefinitionNode, names: Names): Findings {
  yield* nameFindings(directive);
  yield* argumentsFindings(directive.arguments ?? [], names);
}
