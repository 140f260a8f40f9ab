// Arguments that filter, order and page a list, and filter a single link.

import type { LinkField, NodeType, UnionType } from "../../../contracts/model.ts";
import type { Argument } from "../definition.ts";
import { isOrderable } from "../inputs/order.ts";
import { filterName, orderName } from "../names.ts";

/** Arguments of a list of `type`. A union has no order. */
export function listArguments(type: NodeType | UnionType): readonly Argument[] {
  const order: readonly Argument[] =
    type.kind !== "union" && isOrderable(type) ? [{ name: "order", type: orderName(type), description: descriptions.order }] : [];
  return [
    filterArgument(type),
    ...order,
    { name: "first", type: "Int", description: descriptions.first },
    { name: "offset", type: "Int", description: descriptions.offset },
  ];
}

const descriptions = {
  filter: "Leaves only objects that satisfy it.",
  order: "Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created.",
  first: "Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones.",
  offset: "Leaves out this many at the start.",
};

export function filterArgument(type: NodeType | UnionType): Argument {
  return { name: "filter", type: filterName(type), description: descriptions.filter };
}

/** Arguments of a link, in addition to those that the schema declares. */
export function linkArguments({ exposure, type, target }: LinkField): readonly Argument[] {
  if (!exposure.arguments) return [];
  return type.list ? listArguments(target) : [filterArgument(target)];
}

/** An argument in SDL. */
export function argumentText({ name, type, description }: Argument): string {
  return `${description === undefined ? "" : `${JSON.stringify(description)} `}${name}: ${type}`;
}
