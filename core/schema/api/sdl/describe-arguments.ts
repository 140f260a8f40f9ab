// Adds the descriptions of arguments to a parsed schema. The printed schema leaves them out: it is read as a whole, and they repeat in every list.

import { type DefinitionNode, type DocumentNode, type FieldDefinitionNode, type InputValueDefinitionNode, Kind } from "graphql";
import type { Argument, Definition, Member } from "../definition.ts";

/** @param definitions in any order; the document may have others */
export function withArgumentDescriptions(document: DocumentNode, definitions: readonly Definition[]): DocumentNode {
  const byName = new Map(
    definitions.flatMap((each) => (each.kind === "type" || each.kind === "interface" ? [[each.name, each.members] as const] : [])),
  );
  return { ...document, definitions: document.definitions.map((node) => describeType(node, byName)) };
}

function describeType(node: DefinitionNode, byName: ReadonlyMap<string, readonly Member[]>): DefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) return node;
  const members = byName.get(node.name.value);
  if (members === undefined) return node;
  const described = new Map(members.flatMap(({ name, arguments: given }) => (given?.some(isDescribed) ? [[name, given] as const] : [])));
  return { ...node, fields: (node.fields ?? []).map((field) => describeField(field, described.get(field.name.value))) };
}

function isDescribed({ description }: Argument): boolean {
  return description !== undefined;
}

function describeField(field: FieldDefinitionNode, given: readonly Argument[] | undefined): FieldDefinitionNode {
  if (given === undefined) return field;
  const texts = new Map(given.map(({ name, description }) => [name, description]));
  return { ...field, arguments: (field.arguments ?? []).map((argument) => describeArgument(argument, texts.get(argument.name.value))) };
}

function describeArgument(argument: InputValueDefinitionNode, value: string | undefined): InputValueDefinitionNode {
  return value === undefined ? argument : { ...argument, description: { kind: Kind.STRING, value } };
}
