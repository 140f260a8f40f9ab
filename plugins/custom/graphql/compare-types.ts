// Compares the `@remote` types of the schema with the types of a remote schema.

import { type FieldDefinitionNode, type InputValueDefinitionNode, Kind, print, type TypeDefinitionNode } from "graphql";
import { namedType } from "../directive/place-rules.ts";
import type { Introspection } from "./expectation.ts";
import type { RemoteSchema } from "./remote-schema.ts";

const builtIn = ["ID", "String", "Int", "Int64", "Float", "Boolean", "DateTime"];

/** Every `@remote` type must be there, with its fields. */
export function compareTypes({ use, remote, local }: Introspection, schema: RemoteSchema): readonly string[] {
  const returned = namedType(use.field.type);
  if (!builtIn.includes(returned) && local(returned) && !schema.types.has(returned))
    return [`Unable to find the type ${returned} on the remote schema`];
  return [...remote.values()].flatMap((definition) => compareType(definition, schema));
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
