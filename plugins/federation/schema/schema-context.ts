// What the rules of federation look up in a schema: uses of its directives by their own names, and definitions by type name.

import { type ArgumentNode, type ASTNode, type DirectiveNode, type FieldDefinitionNode, Kind, type TypeDefinitionNode, type TypeNode } from "graphql";
import type { DirectiveUse, ModelContext } from "../../../core/plugin.ts";
import type { Dialect, FederationDirective } from "./dialect.ts";

export interface FederationContext {
  readonly dialect: Dialect;
  readonly context: ModelContext;
}

/** The uses of a directive, under whichever name the schema knows it. */
export function usesOf({ dialect, context }: FederationContext, directive: FederationDirective): readonly DirectiveUse[] {
  return dialect.namesOf(directive).flatMap((name) => context.uses(name));
}

interface Directed {
  readonly directives?: readonly DirectiveNode[] | undefined;
}

export function isMarked(node: Directed, directive: FederationDirective, { dialect }: Pick<FederationContext, "dialect">): boolean {
  return dialect.namesOf(directive).some((name) => directiveNamed(node, name) !== undefined);
}

export function directiveNamed({ directives = [] }: Directed, name: string): DirectiveNode | undefined {
  return directives.find((each) => each.name.value === name);
}

export function fieldNamed(definition: TypeDefinitionNode, name: string): FieldDefinitionNode | undefined {
  return fieldsOf(definition).find((field) => field.name.value === name);
}

export function fieldsOf(definition: TypeDefinitionNode): readonly FieldDefinitionNode[] {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  return definition.fields ?? [];
}

/** The type's name without lists and `!`. */
export function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

/** The argument `fields`, as text. A list or an object is empty text. */
export function fieldsArgument(directive: DirectiveNode): { readonly node: ArgumentNode | undefined; readonly text: string } {
  const node = directive.arguments?.find((argument) => argument.name.value === "fields");
  return { node, text: node && "value" in node.value ? String(node.value.value) : "" };
}

/** What is wrong with a use of a directive. */
export interface Problem {
  readonly message: string;
  readonly at: ASTNode;
  readonly hint?: string;
}

export function problem(message: string, at: ASTNode, hint?: string): Problem {
  return hint === undefined ? { message, at } : { message, at, hint };
}
