// `Add<T>Input`: what a new object of an object type is made of.

import type { LinkField, NodeType, ValueField } from "../../../contracts/model.ts";
import { type FieldsDefinition, type Member, nullable } from "../definition.ts";
import { addInputName, typeText } from "../names.ts";
import { inputMember, writableFields } from "../writable.ts";

export function addInput(node: NodeType): FieldsDefinition | undefined {
  if (node.kind === "interface" || !node.allows("add")) return undefined;
  const members = [...givenId(node), ...writableFields(node).map(addMember)];
  if (members.length === 0) return undefined;
  return { kind: "input", name: addInputName(node), members, generatedFor: node.name };
}

/** An ID is given by the server, unless a plugin hands its making to the client. */
function givenId({ idField }: NodeType): readonly Member[] {
  return idField?.exposure.input ? [{ name: idField.name, type: typeText(idField.type), description: idField.definition.description?.value }] : [];
}

function addMember(field: ValueField | LinkField): Member {
  const member = inputMember(field);
  return field.role === "value" && field.optionalOnAdd ? { ...member, type: nullable(member.type) } : member;
}
