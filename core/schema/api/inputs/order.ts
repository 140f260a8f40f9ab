// `<T>Order` and `<T>Orderable`: the fields by which a list can be ordered.

import type { NodeType } from "../../../contracts/model.ts";
import type { EnumDefinition, FieldsDefinition } from "../definition.ts";
import { orderableName, orderName } from "../names.ts";

export function isOrderable(node: NodeType): boolean {
  return [...node.fields.values()].some((field) => field.exposure.order);
}

export function orderable(node: NodeType): EnumDefinition | undefined {
  const values = [...node.fields.values()].filter((field) => field.exposure.order).map(({ name }) => ({ name }));
  if (values.length === 0) return undefined;
  return { kind: "enum", name: orderableName(node), values, generatedFor: node.name };
}

export function orderInput(node: NodeType): FieldsDefinition | undefined {
  if (!isOrderable(node)) return undefined;
  const field = orderableName(node);
  const members = [
    { name: "asc", type: field },
    { name: "desc", type: field },
    { name: "then", type: orderName(node) },
  ];
  return { kind: "input", name: orderName(node), members, generatedFor: node.name };
}
