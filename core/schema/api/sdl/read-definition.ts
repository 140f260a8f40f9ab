// Reads a definition of the schema or a plugin from its AST.

import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, print, type TypeDefinitionNode } from "graphql";
import type { Definition, FieldsDefinition, Member } from "../definition.ts";

const kinds = {
  [Kind.OBJECT_TYPE_DEFINITION]: "type",
  [Kind.INTERFACE_TYPE_DEFINITION]: "interface",
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: "input",
} as const;

export function readDefinition(node: TypeDefinitionNode): Definition {
  const base = { name: node.name.value, description: node.description?.value, location: nameLocation(node) };
  switch (node.kind) {
    case Kind.SCALAR_TYPE_DEFINITION:
      return { ...base, kind: "scalar" };
    case Kind.ENUM_TYPE_DEFINITION:
      return {
        ...base,
        kind: "enum",
        values: (node.values ?? []).map(({ name, description }) => ({ name: name.value, description: description?.value })),
      };
    case Kind.UNION_TYPE_DEFINITION:
      return { ...base, kind: "union", directives: node.directives ?? [], members: (node.types ?? []).map((type) => type.name.value) };
    default:
      return { ...base, ...readFields(node), directives: node.directives ?? [] };
  }
}

type WithFields = Extract<TypeDefinitionNode, { kind: keyof typeof kinds }>;

function readFields(node: WithFields): Omit<FieldsDefinition, "name"> {
  const interfaces = "interfaces" in node ? (node.interfaces ?? []).map((type) => type.name.value) : [];
  return { kind: kinds[node.kind], interfaces, members: (node.fields ?? []).map((field) => readMember(field)) };
}

export function readMember(node: FieldDefinitionNode | InputValueDefinitionNode): Member {
  const given = node.kind === Kind.FIELD_DEFINITION ? (node.arguments ?? []) : [];
  return {
    name: node.name.value,
    type: print(node.type),
    arguments: given.map(({ name, type, defaultValue, description }) => ({
      name: name.value,
      type: print(type),
      description: description?.value,
      ...(defaultValue && { defaultValue: print(defaultValue) }),
    })),
    description: node.description?.value,
    directives: node.directives ?? [],
  };
}

function nameLocation({ name }: TypeDefinitionNode): Definition["location"] {
  const token = name.loc?.startToken;
  return token && { line: token.line, column: token.column };
}
