// What keeps an object below the top of the input from being created.

import type { Field, LinkField } from "../../contracts/model.ts";
import type { QuernError } from "../../ground/errors.ts";
import { at, keyMissing, requiredMissing } from "../context/error-messages.ts";
import { type InputNode, pathOf } from "./input-tree.ts";
import type { Content } from "./input-values.ts";

/**
 * The first required field that is missing. Only types with keys are asked, also keys within other fields: others may stay incomplete.
 *
 * @param filled fields that are filled from the other side, by the links that lead here
 */
export function missingField(node: InputNode, content: Content, filled: ReadonlySet<LinkField>): QuernError | undefined {
  const { type } = node;
  if (type.keys.length === 0 && type.scopedKeys.length === 0) return undefined;
  if (node.keys.length === 0) {
    const key = type.keys.find((each) => each.field.type.nonNull) ?? (type.kind === "interface" ? type.keys[0] : undefined);
    if (key && !hasValue(key.field.name, content)) return at([...pathOf(node), key.field.name], keyMissing(key.field.name));
  }
  for (const field of type.fields.values()) {
    if (isRequired(field) && !(field.role === "link" && filled.has(field)) && !isGiven(field, node, content))
      return at([...pathOf(node), field.name], requiredMissing(type.name, field.name));
  }
  return undefined;
}

function isRequired(field: Field): boolean {
  if (!field.type.nonNull || !field.exposure.input) return false;
  if (field.role === "value") return !field.optionalOnAdd && field.kind !== "password";
  return field.role === "link" && field.reverseOf === undefined;
}

function isGiven(field: Field, node: InputNode, content: Content): boolean {
  if (field.role !== "link") return hasValue(field.name, content);
  return node.links.some((link) => link.field === field && !link.cleared);
}

function hasValue(name: string, content: Content): boolean {
  return (content.values.get(name) ?? null) !== null || content.whenCreated.has(name);
}
