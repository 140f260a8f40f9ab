// Arguments that filter, order and page a list, and filter a single link.

import type { LinkField, NodeType, UnionType } from "../../../contracts/model.ts";
import type { Argument } from "../definition.ts";
import { isOrderable } from "../inputs/order.ts";
import { filterName, orderName } from "../names.ts";

/** Arguments of a list of `type`. A union has no order. */
export function listArguments(type: NodeType | UnionType): readonly Argument[] {
  const order = type.kind !== "union" && isOrderable(type) ? [{ name: "order", type: orderName(type) }] : [];
  return [filterArgument(type), ...order, { name: "first", type: "Int" }, { name: "offset", type: "Int" }];
}

export function filterArgument(type: NodeType | UnionType): Argument {
  return { name: "filter", type: filterName(type) };
}

/** Arguments of a link, in addition to those that the schema declares. */
export function linkArguments({ exposure, type, target }: LinkField): readonly Argument[] {
  if (!exposure.arguments) return [];
  return type.list ? listArguments(target) : [filterArgument(target)];
}
