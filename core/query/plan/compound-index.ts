// Which compound index suits a condition and an order. Storages choose for themselves; plans are printed with it.

import type { CompoundIndex, Layout } from "../../contracts/layout.ts";
import type { Compare, Predicate } from "../../contracts/predicate.ts";
import type { Order } from "../../contracts/storage/requests.ts";

const fewValues = 16;

/** The index whose leading fields the condition fixes, where the order or another comparison is over its last field. */
export function compoundIndexOf(where: Predicate, [by]: Order, { indexes }: Pick<Layout, "indexes">): CompoundIndex | undefined {
  const compared = comparedIn(where);
  const isFixed = (field: string) => compared.some((each) => each.field === field && isEquality(each));
  return indexes.find((index): index is CompoundIndex => {
    if (index.by !== "compound" || !index.within.every(isFixed)) return false;
    return by?.field === index.field ? by.collation === undefined : by === undefined && compared.some(({ field }) => field === index.field);
  });
}

function comparedIn(where: Predicate): readonly Compare[] {
  const parts = where.kind === "and" ? where.of : [where];
  return parts.filter((part) => part.kind === "compare");
}

/** One value, or one of a few: storages read as many lists side by side. */
function isEquality({ op, operands }: Compare): boolean {
  return (op === "eq" || op === "in") && operands.length > 0 && operands.length <= fewValues;
}
