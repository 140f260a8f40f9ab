// `Add<T>Input`: the values of a new object.

import type { LinkField, NodeType, ValueField } from "../../../contracts/model.ts";
import { type FieldsDefinition, type Member, nullable } from "../definition.ts";
import { addInputName } from "../names.ts";
import { inputMember, writableFields } from "../writable.ts";

export function addInput(node: NodeType): FieldsDefinition | undefined {
  if (node.kind === "interface" || !node.allows("add")) return undefined;
  const members = writableFields(node).map(addMember);
  if (members.length === 0) return undefined;
  return { kind: "input", name: addInputName(node), members, generatedFor: node.name };
}

function addMember(field: ValueField | LinkField): Member {
  const member = inputMember(field);
  return field.role === "value" && field.optionalOnAdd ? { ...member, type: nullable(member.type) } : member;
}
