// `<T>Ref` and `<U>Ref`: an object inside the input of another one, new or named by ID or key.

import type { NodeType, UnionType } from "../../../contracts/model.ts";
import { type FieldsDefinition, type Member, nullable } from "../definition.ts";
import { lowerFirst, refName, typeText } from "../names.ts";
import { inputMember, isIdentifiable, writableFields } from "../writable.ts";

export function refInput(node: NodeType): FieldsDefinition | undefined {
  const members = node.kind === "interface" ? interfaceMembers(node) : objectMembers(node);
  if (members.length === 0) return undefined;
  return { kind: "input", name: refName(node), members, generatedFor: node.name };
}

/** Everything a new object takes. A lone member that identifies the object is required. */
function objectMembers(node: NodeType): readonly Member[] {
  const members = [...idMember(node), ...writableFields(node).map(inputMember)];
  return asRequired(members, members.length === 1 && isIdentifiable(node));
}

/** Only what names an existing object, and of the keys only the first. */
function interfaceMembers(node: NodeType): readonly Member[] {
  const members = [...idMember(node), ...node.keys.slice(0, 1).map((key) => inputMember(key.field))];
  return asRequired(members, members.length === 1);
}

function idMember({ idField }: NodeType): readonly Member[] {
  return idField === undefined ? [] : [{ name: idField.name, type: typeText(idField.type), description: idField.definition.description?.value }];
}

function asRequired(members: readonly Member[], required: boolean): readonly Member[] {
  return members.map((member) => ({ ...member, type: nullable(member.type) + (required ? "!" : "") }));
}

/** One member for each type of the union; those without a Ref go in the cleaning. */
export function unionRefInput(union: UnionType): FieldsDefinition {
  const members = union.members.map((member) => ({ name: unionRefMember(member), type: refName(member) }));
  return { kind: "input", name: refName(union), members, generatedFor: union.name };
}

export const unionRefMember = (member: NodeType): string => `${lowerFirst(member)}Ref`;
