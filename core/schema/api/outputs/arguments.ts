// The arguments by which a list, or a single link, is filtered, ordered and cut.

import type { LinkField, NodeType, UnionType } from "../../../contracts/model.ts";
import type { Argument } from "../definition.ts";
import { isOrderable } from "../inputs/order.ts";
import { filterName, orderName } from "../names.ts";

/** Of everything that gives a list of `type`. A union has no order. */
export function listArguments(type: NodeType | UnionType): readonly Argument[] {
  const order = type.kind !== "union" && isOrderable(type) ? [{ name: "order", type: orderName(type) }] : [];
  return [filterArgument(type), ...order, { name: "first", type: "Int" }, { name: "offset", type: "Int" }];
}

export function filterArgument(type: NodeType | UnionType): Argument {
  return { name: "filter", type: filterName(type) };
}

/** What a link takes beside the arguments that the client declared. */
export function linkArguments({ exposure, type, target }: LinkField): readonly Argument[] {
  if (!exposure.arguments) return [];
  return type.list ? listArguments(target) : [filterArgument(target)];
}
