// Fields that clients can write, and their input members.

import type { Field, LinkField, NodeType, ValueField } from "../../contracts/model.ts";
import type { Member } from "./definition.ts";
import { geoRefName, refName, typeText } from "./names.ts";

/** Fields of Add, Patch and Ref inputs, in their order. */
export function writableFields(node: NodeType): readonly (ValueField | LinkField)[] {
  return [...node.fields.values()].filter(isWritable);
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
  return node.idField !== undefined || node.keys.length > 0;
}
