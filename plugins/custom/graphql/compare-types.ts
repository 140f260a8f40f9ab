// Compares the `@remote` types of the schema with the types of a remote schema.

import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, print, type TypeDefinitionNode } from "graphql";
import { namedType } from "../directive/place-rules.ts";
import type { Introspection } from "./expectation.ts";
import type { RemoteSchema } from "./remote-schema.ts";

const builtIn = ["ID", "String", "Int", "Int64", "Float", "Boolean", "DateTime"];

/** Every `@remote` type must be there, with its fields, and so must all types that the remote schema itself returns. */
export function compareTypes({ use, remote }: Introspection, schema: RemoteSchema): readonly string[] {
  const unknown = unknownTypes(namedType(use.field.type), schema);
  const texts = unknown.map((name) => `Unable to find the type ${name} on the remote schema`);
  return [...texts, ...[...remote.values()].flatMap((definition) => compareType(definition, schema))];
}

/** What the schema refers to and does not describe, from one of its types on. */
function unknownTypes(from: string, { types }: RemoteSchema): readonly string[] {
  const names = new Set([from]);
  const unknown: string[] = [];
  for (const name of names) {
    const found = types.get(name);
    // A reference that is nested more deeply than the answer shows has no name.
    if (!found && name !== "" && !builtIn.includes(name)) unknown.push(name);
    for (const { type } of found?.fields.values() ?? []) names.add(type.name);
  }
  return unknown;
}

function compareType(definition: TypeDefinitionNode, schema: RemoteSchema): readonly string[] {
  const name = definition.name.value;
  const found = schema.types.get(name);
  if (!found) return [`Unable to find local type ${name} in the remote schema`];
  return membersOf(definition).flatMap((member) => {
    const there = found.fields.get(member.name.value);
    if (!there) return [`${member.name.value} field for the local type ${name} is not present in the remote type ${name}`];
    const expected = print(member.type);
    if (there.type.text === expected) return [];
    return [`expected type for the field ${member.name.value} is ${there.type.text} but got ${expected} in type ${name}`];
  });
}

function membersOf(definition: TypeDefinitionNode): readonly (FieldDefinitionNode | InputValueDefinitionNode)[] {
  if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) return definition.fields ?? [];
  return definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? (definition.fields ?? []) : [];
}
