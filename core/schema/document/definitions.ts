// Accessors for type definitions in the AST of the `graphql` package.

import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, print, type TypeDefinitionNode, type TypeNode } from "graphql";

export type TypeKind = "SCALAR" | "OBJECT" | "INTERFACE" | "UNION" | "ENUM" | "INPUT_OBJECT";

const kinds: Readonly<Record<TypeDefinitionNode["kind"], TypeKind>> = {
  [Kind.SCALAR_TYPE_DEFINITION]: "SCALAR",
  [Kind.OBJECT_TYPE_DEFINITION]: "OBJECT",
  [Kind.INTERFACE_TYPE_DEFINITION]: "INTERFACE",
  [Kind.UNION_TYPE_DEFINITION]: "UNION",
  [Kind.ENUM_TYPE_DEFINITION]: "ENUM",
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: "INPUT_OBJECT",
};

/** The kind as introspection spells it. */
export function kindOf(definition: TypeDefinitionNode): TypeKind {
  return kinds[definition.kind];
}

/** Fields of objects, interfaces and inputs; empty for other kinds. */
export function fieldsOf(definition: TypeDefinitionNode): readonly (FieldDefinitionNode | InputValueDefinitionNode)[] {
  return "fields" in definition ? (definition.fields ?? []) : [];
}

/** Arguments of a field; empty for input fields. */
export function argumentsOf(field: FieldDefinitionNode | InputValueDefinitionNode): readonly InputValueDefinitionNode[] {
  return field.kind === Kind.FIELD_DEFINITION ? (field.arguments ?? []) : [];
}

/** The type's name without lists and `!`. */
export function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

/** The type in normalized spelling: `[String!]!`. */
export function typeText(type: TypeNode): string {
  return print(type);
}

/** `Query` and `Mutation`, the root types that a schema may declare. */
export function isRoot(definition: TypeDefinitionNode): boolean {
  return definition.kind === Kind.OBJECT_TYPE_DEFINITION && ["Query", "Mutation"].includes(definition.name.value);
}

/** Objects and interfaces except root types. */
export function isComposite(definition: TypeDefinitionNode): boolean {
  return (definition.kind === Kind.OBJECT_TYPE_DEFINITION && !isRoot(definition)) || definition.kind === Kind.INTERFACE_TYPE_DEFINITION;
}
