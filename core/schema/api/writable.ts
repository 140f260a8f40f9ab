// Fields that clients can write, and their input members.

import type { Field, LinkField, NodeType, ValueField } from "../../contracts/model.ts";
import type { Member } from "./definition.ts";
import { geoRefName, refName, typeText } from "./names.ts";

/** Fields of Add, Patch and Ref inputs, in their order. An ID that clients choose comes first. */
export function writableFields(node: NodeType): readonly (ValueField | LinkField)[] {
  const fields = [...node.fields.values()].filter(isWritable);
  return [...fields.filter(isId), ...fields.filter((field) => !isId(field))];
}

function isId({ type }: ValueField | LinkField): boolean {
  return type.name === "ID";
}

/** Fields of Patch inputs: an ID never changes. */
export function patchableFields(node: NodeType): readonly (ValueField | LinkField)[] {
  return writableFields(node).filter((field) => !isId(field));
}

function isWritable(field: Field): field is ValueField | LinkField {
  if (field.role === "value") return field.exposure.input;
  return field.role === "link" && field.exposure.input && field.reverseOf === undefined && canBeNamed(field.target);
}

/** Whether an input can identify a node: for an interface without ID and key it cannot. */
function canBeNamed(target: LinkField["target"]): boolean {
  return target.kind !== "interface" || isIdentifiable(target);
}

/** The input member for `field`, with the same nullability. */
export function inputMember(field: ValueField | LinkField): Member {
  if (field.role === "link") return { name: field.name, type: typeText(field.type, refName(field.target)) };
  if (field.kind === "geo") return { name: field.name, type: typeText(field.type, geoRefName(field.type)) };
  return { name: field.name, type: typeText(field.type), description: field.definition.description?.value };
}

/** Whether the type has an ID or a key. */
export function isIdentifiable(node: NodeType): boolean {
  return node.idField !== undefined || node.keys.length > 0 || node.scopedKeys.length > 0;
}
