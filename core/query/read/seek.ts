// The nodes after or before a place in an ordered list, as a condition that storage answers: no page skips the rows before it one by one.

import { and, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { Order, OrderKey } from "../../contracts/storage.ts";
import type { Value } from "../../ground/values/value.ts";
import type { OrderedRow } from "../evaluate/top.ts";

/** Nodes that come after `row`, whether or not it is still there. */
export function after(order: Order, { uid, keys }: OrderedRow): Predicate {
  const beyond: Predicate = { kind: "after", uid };
  return order.reduceRight<Predicate>((rest, key, k) => {
    const value = comparable(keys[k]);
    const has: Predicate = { kind: "has", field: key.field };
    // Nodes without a value come last.
    if (value === undefined) return and(not(has), rest);
    return or(compare(key, key.direction === "asc" ? "gt" : "lt", value), not(has), and(compare(key, "eq", value), rest));
  }, beyond);
}

/** Nodes that come before `row`. */
export function before(order: Order, { uid, keys }: OrderedRow): Predicate {
  const ahead = and(not({ kind: "after", uid }), not({ kind: "uids", uids: [uid] }));
  return order.reduceRight<Predicate>((rest, key, k) => {
    const value = comparable(keys[k]);
    const has: Predicate = { kind: "has", field: key.field };
    if (value === undefined) return or(has, and(not(has), rest));
    return or(compare(key, key.direction === "asc" ? "lt" : "gt", value), and(compare(key, "eq", value), rest));
  }, ahead);
}

function compare({ field }: OrderKey, op: "eq" | "lt" | "gt", value: Value): Predicate {
  return { kind: "compare", field, op, operands: [value] };
}

/** Lists and geometries have no order: they count as missing. */
function comparable(key: OrderedRow["keys"][number]): Value | undefined {
  return typeof key === "object" ? undefined : key;
}
