// `Add|Update|Delete<T>Payload`: the results of mutations.

import type { NodeType } from "../../../contracts/model.ts";
import type { FieldsDefinition } from "../definition.ts";
import { lowerFirst, payloadName } from "../names.ts";
import { patchableFields } from "../writable.ts";
import { listArguments } from "./arguments.ts";

/** The member that holds the objects. */
export const payloadList = (node: NodeType): string => lowerFirst(node);

/**
 * A payload exists for each enabled mutation of a type, even if the cleaning pass later removes the mutation.
 *
 * @param canAdd whether the type had an Add input before the cleaning
 */
export function payloads(node: NodeType, { canAdd }: { readonly canAdd: boolean }): readonly FieldsDefinition[] {
  return [
    ...(canAdd ? [payload("Add", node)] : []),
    ...(patchableFields(node).length > 0 && node.allows("update") ? [payload("Update", node)] : []),
    ...(node.allows("delete") ? [payload("Delete", node)] : []),
  ];
}

function payload(operation: "Add" | "Update" | "Delete", node: NodeType): FieldsDefinition {
  const members = [
    { name: payloadList(node), type: `[${node.name}]`, arguments: listArguments(node) },
    ...(operation === "Delete" ? [{ name: "msg", type: "String" }] : []),
    { name: "numUids", type: "Int" },
  ];
  return { kind: "type", name: payloadName(operation, node), members, generatedFor: node.name };
}
