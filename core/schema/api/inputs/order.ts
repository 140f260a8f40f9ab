// `<T>Order` and `<T>Orderable`: the fields by which a list can be ordered.

import type { NodeType } from "../../../contracts/model.ts";
import type { LinkOrder } from "../../../contracts/plugin/link-order.ts";
import type { EnumDefinition, FieldsDefinition } from "../definition.ts";
import { orderableName, orderName } from "../names.ts";

export function isOrderable(node: NodeType): boolean {
  return [...node.fields.values()].some((field) => field.exposure.order);
}

export function orderable(node: NodeType): EnumDefinition | undefined {
  const values = [...node.fields.values()].filter((field) => field.role === "value" && field.exposure.order).map(({ name }) => ({ name }));
  if (values.length === 0) return undefined;
  return { kind: "enum", name: orderableName(node), values, generatedFor: node.name };
}

/** @param links the plugins' orders by links of this type */
export function orderInput(node: NodeType, links: ReadonlyMap<string, LinkOrder>): FieldsDefinition | undefined {
  if (!isOrderable(node)) return undefined;
  const field = orderableName(node);
  const own = orderable(node) ? ["asc", "desc"].map((name) => ({ name, type: field })) : [];
  const members = [...own, ...[...links].map(([name, { input }]) => ({ name, type: input })), { name: "then", type: orderName(node) }];
  return { kind: "input", name: orderName(node), members, generatedFor: node.name };
}
