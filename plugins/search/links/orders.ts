// Orders through links: by an order of the one object, or by the number of many.

import type { LinkField, LinkOrder, NodeType, UnionType } from "../../../core/plugin.ts";

/** Whether lists of a type have an order. */
export function isOrderable(type: NodeType): boolean {
  return [...type.fields.values()].some(({ exposure }) => exposure.order);
}

/** None for a link to one object whose type has no order. */
export function linkOrder(field: LinkField): readonly LinkOrder[] {
  if (field.type.list) return [byCount(field)];
  const { target } = field;
  return target.kind === "union" || !isOrderable(target)
    ? []
    : [{ field, input: `${target.name}Order`, key: (order) => ({ kind: "partner", order }) }];
}

function byCount(field: LinkField): LinkOrder {
  return {
    field,
    input: orderName(field.target),
    key: (operand) => {
      const { asc, desc }: { readonly asc?: unknown; readonly desc?: unknown } = typeof operand === "object" && operand !== null ? operand : {};
      if (typeof asc === "string") return { kind: "count", direction: "asc" };
      return typeof desc === "string" ? { kind: "count", direction: "desc" } : undefined;
    },
  };
}

const orderName = ({ name }: NodeType | UnionType): string => `${name}ManyOrder`;
const orderableName = ({ name }: NodeType | UnionType): string => `${name}ManyOrderable`;

/** `PostManyOrder` and `PostManyOrderable`. */
export function manyOrderInput(target: NodeType | UnionType): string {
  const by = orderableName(target);
  return `"The order by what a link leads to."
input ${orderName(target)} {
  "The least first."
  asc: ${by}
  "The greatest first."
  desc: ${by}
}

"What a link to many objects can be ordered by."
enum ${by} {
  "The number of linked objects."
  count
}`;
}
