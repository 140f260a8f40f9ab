// Checks of a schema before interface fields are copied: kinds, reserved names, directives on types.

import { type DirectiveNode, type FieldDefinitionNode, Kind, type TypeDefinitionNode } from "graphql";
import { fieldsOf, isRoot, kindOf } from "./definitions.ts";
import { type Installed, isUnstored } from "./installed.ts";
import { placedByStandardValidation } from "./known-plugins.ts";
import { checkPlainRootFields, type PlainFieldsCheck } from "./plain-root-fields.ts";
import type { Problems } from "./problems.ts";
import { isReservedWord, takenRootFields, takenTypeNames } from "./reserved-names.ts";

/** @see reference/schema.md 0, stage 4 */
export function checkAsWritten(definitions: readonly TypeDefinitionNode[], check: PlainFieldsCheck): void {
  const { installed, problems } = check;
  for (const definition of definitions) {
    checkKind(definition, problems);
    checkName(definition, problems);
    for (const directive of definition.directives ?? []) checkPlacement(definition, directive, installed, problems);
  }
  const stored = definitions.filter((each) => !isUnstored(each, installed.plugins));
  checkTakenTypeNames(definitions, takenTypeNames(stored), problems);
  checkTakenRootFields(definitions, stored, problems);
  // A plugin may resolve such fields, which is known only after the model hooks. Check here only if other problems end the deploy before.
  if (!problems.none && check.report === "first") checkPlainRootFields(definitions, check);
}

function checkKind(definition: TypeDefinitionNode, problems: Problems): void {
  if (definition.kind !== Kind.SCALAR_TYPE_DEFINITION) return;
  problems.report("You can't add scalar definitions. Only type, interface, union, input and enums are allowed in initial schema.", definition);
}

function checkName(definition: TypeDefinitionNode, problems: Problems): void {
  const name = definition.name.value;
  if (definition.kind === Kind.SCALAR_TYPE_DEFINITION || isRoot(definition) || !isReservedWord(name)) return;
  problems.report(`${name} is a reserved word, so you can't declare a type with this name. Pick a different name for the type.`, definition);
}

const typeLocations: ReadonlySet<string> = new Set(["OBJECT", "INTERFACE", "UNION", "ENUM", "INPUT_OBJECT", "SCALAR"]);

function checkPlacement(definition: TypeDefinitionNode, directive: DirectiveNode, installed: Installed, problems: Problems): void {
  const name = directive.name.value;
  const found = installed.directives.get(name);
  if (!found || placedByStandardValidation.has(name)) return;
  const places = found.definition.locations.map((location) => location.value);
  const kind = kindOf(definition);
  if (places.includes(kind)) return;
  const where = places.some((place) => typeLocations.has(place)) ? `on types of ${kind} kind` : "at type level";
  problems.report(`Type ${definition.name.value}; has the @${name} directive, but it is not applicable ${where}.`, directive);
}

function checkTakenTypeNames(definitions: readonly TypeDefinitionNode[], taken: ReadonlySet<string>, problems: Problems): void {
  for (const definition of definitions.filter((each) => each.kind !== Kind.SCALAR_TYPE_DEFINITION)) {
    const [name, kind] = [definition.name.value, kindOf(definition)];
    if (!taken.has(name)) continue;
    problems.report(`${name} is a reserved word, so you can't declare a ${kind} with this name. Pick a different name for the ${kind}.`, definition);
  }
}

/** @param stored the definitions for which root fields are generated */
function checkTakenRootFields(definitions: readonly TypeDefinitionNode[], stored: readonly TypeDefinitionNode[], problems: Problems): void {
  for (const [root, what] of [
    ["Query", "query"],
    ["Mutation", "mutation"],
  ] as const) {
    const taken = takenRootFields(stored, root);
    for (const field of definitions.filter((each) => isRoot(each) && each.name.value === root).flatMap(fieldsOf)) {
      const name = field.name.value;
      if (!taken.has(name)) continue;
      problems.report(`${name} is a reserved word, so you can't declare a ${what} with this name. Pick a different name for the ${what}.`, field);
    }
  }
}

/** Directives of a definition, its fields and their arguments, in source order. */
export function directivesWithin(definition: TypeDefinitionNode): readonly DirectiveNode[] {
  const ofFields = fieldsOf(definition).flatMap((field) => [...(field.directives ?? []), ...ofArguments(field)]);
  return [...(definition.directives ?? []), ...ofFields];
}

function ofArguments(field: ReturnType<typeof fieldsOf>[number]): readonly DirectiveNode[] {
  const isField = (node: typeof field): node is FieldDefinitionNode => node.kind === Kind.FIELD_DEFINITION;
  return isField(field) ? (field.arguments ?? []).flatMap((argument) => argument.directives ?? []) : [];
}
