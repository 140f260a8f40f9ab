// What a schema of federation 1 must keep to. The texts of the errors are Dgraph's, which clients may parse.

import type { DirectiveNode, TypeDefinitionNode } from "graphql";
import type { DirectiveUse } from "../../core/plugin.ts";
import {
  directiveNamed,
  type FederationContext,
  fieldNamed,
  fieldsArgument,
  fieldsOf,
  isMarked,
  namedType,
  type Problem,
  problem,
  usesOf,
} from "./schema/schema-context.ts";

export function version1Problems(federation: FederationContext): readonly Problem[] {
  return [
    ...keyProblems(federation),
    ...usesOf(federation, "extends").flatMap((use) => extensionProblems(use, federation)),
    ...usesOf(federation, "external").flatMap((use) => externalProblems(use, federation)),
    ...usesOf(federation, "requires").flatMap((use) => requiresProblem(use, federation) ?? []),
    ...usesOf(federation, "provides").flatMap((use) => providesProblem(use, federation) ?? []),
  ];
}

/** The names that `fields` lists. */
export function listedFields(directive: DirectiveNode): readonly string[] {
  return fieldsArgument(directive)
    .text.split(/\s+/)
    .filter((name) => name !== "");
}

function keyProblems(federation: FederationContext): readonly Problem[] {
  const seen = new Set<TypeDefinitionNode>();
  return usesOf(federation, "key").flatMap(({ definition, node }) => {
    const isFirst = !seen.has(definition);
    seen.add(definition);
    const twice = problem(`Type ${definition.name.value}; @key directive should not be defined more than once.`, node);
    const own = isFirst ? keyProblem(definition, node) : twice;
    return [...(own ? [own] : []), ...remoteProblems(definition, "key")];
  });
}

function keyProblem(definition: TypeDefinitionNode, node: DirectiveNode): Problem | undefined {
  const type = definition.name.value;
  const { node: argument, text } = fieldsArgument(node);
  if (!argument || text === "") return problem(`Type ${type}; Argument fields inside @key directive must be defined.`, node);
  const field = fieldNamed(definition, text);
  if (!field) return problem(`Type ${type}; @key directive uses a field ${text} which is not defined inside the type.`, argument);
  if (namedType(field.type) === "ID" || directiveNamed(field, "id")) return undefined;
  return problem(`Type ${type}: Field ${text}: used inside @key directive should be of type ID or have @id directive.`, argument);
}

function remoteProblems(definition: TypeDefinitionNode, directive: "key" | "extends"): readonly Problem[] {
  const remote = directiveNamed(definition, "remote");
  return remote ? [problem(`Type ${definition.name.value}; @remote directive cannot be defined with @${directive} directive`, remote)] : [];
}

function extensionProblems({ definition, node }: DirectiveUse, federation: FederationContext): readonly Problem[] {
  const type = definition.name.value;
  const remote = remoteProblems(definition, "extends");
  if (!isMarked(definition, "key", federation))
    return [...remote, problem(`Type ${type}; Type Extension cannot be defined without @key directive`, node)];
  if (remote.length > 0 || fieldsOf(definition).some((field) => namedType(field.type) !== "ID")) return remote;
  const message = "is invalid, a type must have atleast one field that is not of ID! type and doesn't have @custom/@lambda directive.";
  return [problem(`Type ${type}; ${message}`, definition)];
}

/** Directives of a field that its owner decides about. */
const ownersDirectives = ["hasInverse", "search", "dgraph", "id"];

function externalProblems({ definition, field, node }: DirectiveUse, federation: FederationContext): readonly Problem[] {
  if (!field) return [];
  const start = `Type ${definition.name.value}: Field ${field.name}:`;
  if (!isMarked(definition, "extends", federation)) return [problem(`${start} @external directive can only be ${inExtensions}`, node)];
  const written = field.definition;
  if (directiveNamed(written, "custom") || directiveNamed(written, "lambda"))
    return [problem(`${start} @external directive can not be defined on  fields with @custom or @lambda directive.`, node)];
  if (isKeyField(definition, field.name)) return [];
  return ownersDirectives.flatMap((name) => {
    const misplaced = directiveNamed(written, name);
    return misplaced ? [problem(`${start} @${name} directive can not be defined on @external fields that are not @key.`, misplaced)] : [];
  });
}

const inExtensions = "defined on fields in type extensions. i.e., the type must have `@extends` or use `extend` keyword.";

function isKeyField(definition: TypeDefinitionNode, name: string): boolean {
  const key = directiveNamed(definition, "key");
  return key !== undefined && fieldsArgument(key).text === name;
}

function requiresProblem({ definition, field, node }: DirectiveUse, federation: FederationContext): Problem | undefined {
  if (!field) return undefined;
  const type = definition.name.value;
  if (!isMarked(definition, "extends", federation))
    return problem(`Type ${type}: Field ${field.name}: @requires directive can only be ${inExtensions}`, node);
  const names = listedFields(node);
  if (names.length === 0) return problem(`Type ${type}; Argument fields inside @requires directive must be defined.`, node);
  for (const name of names) {
    const required = fieldNamed(definition, name);
    if (!required) return problem(`Type ${type}; @requires directive uses a field ${name} which is not defined inside the type.`, node);
    if (!isMarked(required, "external", federation)) return problem(`Type ${type}; Field ${name} must be @external.`, node);
  }
  return undefined;
}

function providesProblem({ definition, field, node }: DirectiveUse, federation: FederationContext): Problem | undefined {
  if (!field) return undefined;
  const type = definition.name.value;
  const target = federation.context.model.nodeTypes.get(field.type.name)?.definition;
  if (!target || !isMarked(target, "key", federation))
    return problem(`Type ${type}; Field ${field.name} does not return a type that has a @key.`, node);
  const names = listedFields(node);
  if (names.length === 0) return problem(`Type ${type}; Argument fields inside @provides directive must be defined.`, node);
  const unknown = names.find((name) => !fieldNamed(target, name));
  if (unknown === undefined) return undefined;
  return problem(`Type ${type}; Field ${field.name}: @provides field ${unknown} doesn't exist for type ${target.name.value}.`, node);
}
