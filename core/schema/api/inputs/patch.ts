// `<T>Patch` and `Update<T>Input`: the values that an update sets and removes, and its filter.

import type { NodeType } from "../../../contracts/model.ts";
import { type FieldsDefinition, type Member, nullable } from "../definition.ts";
import { filterName, patchName, updateInputName } from "../names.ts";
import { inputMember, patchableFields } from "../writable.ts";

/** Contains keys, but never the ID. */
export function patchInput(node: NodeType): FieldsDefinition | undefined {
  const fields = patchableFields(node);
  if (fields.length === 0 || !node.allows("update")) return undefined;
  const members = fields.map(inputMember).map((member) => ({ ...member, type: nullable(member.type) }));
  return { kind: "input", name: patchName(node), members, generatedFor: node.name };
}

/** @param more members of plugins */
export function updateInput(node: NodeType, more: readonly Member[]): FieldsDefinition | undefined {
  if (patchableFields(node).length === 0 || !node.allows("update")) return undefined;
  const patch = patchName(node);
  const members = [{ name: "filter", type: `${filterName(node)}!` }, { name: "set", type: patch }, { name: "remove", type: patch }, ...more];
  return { kind: "input", name: updateInputName(node), members, atLeast: 2, generatedFor: node.name };
}
