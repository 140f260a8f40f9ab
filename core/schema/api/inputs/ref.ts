// `<T>Ref` and `<U>Ref`: a nested object in an input, either new or identified by ID or key.

import type { NodeType, UnionType } from "../../../contracts/model.ts";
import { type FieldsDefinition, type Member, nullable } from "../definition.ts";
import { lowerFirst, refName, typeText } from "../names.ts";
import { inputMember, isIdentifiable, writableFields } from "../writable.ts";

export function refInput(node: NodeType): FieldsDefinition | undefined {
  const members = node.kind === "interface" ? interfaceMembers(node) : objectMembers(node);
  if (members.length === 0) return undefined;
  return { kind: "input", name: refName(node), members, generatedFor: node.name };
}

/** All members of a new object. A single member that identifies the object is required. */
function objectMembers(node: NodeType): readonly Member[] {
  const members = [...idMember(node), ...writableFields(node).map(inputMember)];
  return members.length === 1 && isIdentifiable(node) ? members.map(required) : members.map(optional);
}

/** The ID and the first key: a Ref to an interface only identifies an existing object. */
function interfaceMembers(node: NodeType): readonly Member[] {
  const [key] = node.keys;
  const [scoped] = node.scopedKeys;
  const members = [...idMember(node), ...(key ? [key.field] : scoped ? [scoped.field, ...scoped.within] : []).map(inputMember)];
  return members.length === 1 ? members.map(required) : members.map(optional);
}

function idMember({ idField }: NodeType): readonly Member[] {
  return idField === undefined ? [] : [{ name: idField.name, type: typeText(idField.type), description: idField.definition.description?.value }];
}

function required(member: Member): Member {
  return { ...member, type: `${nullable(member.type)}!` };
}

function optional(member: Member): Member {
  return { ...member, type: nullable(member.type) };
}

/** One member for each type of the union; the cleaning removes types without a Ref. */
export function unionRefInput(union: UnionType): FieldsDefinition {
  const members = union.members.map((member) => ({ name: unionRefMember(member), type: refName(member) }));
  return { kind: "input", name: refName(union), members, generatedFor: union.name };
}

export const unionRefMember = (member: NodeType): string => `${lowerFirst(member)}Ref`;
