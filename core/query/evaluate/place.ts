// The rows behind or before a place in an ordered list, as a condition on nodes. Text compares by UTF-8 bytes: orders by language need a comparator.

import { all, and, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { FindRequest, Order, OrderKey, Place } from "../../contracts/storage/requests.ts";
import type { Value } from "../../ground/values/value.ts";

/**
 * The meaning of `FindRequest.after` as a condition: nodes behind a place of `order`.
 *
 *     afterPlace([{ field: "Post.score", direction: "asc" }], { uid: 7, keys: [5] });
 *     // score > 5, or no score, or score = 5 and a uid above 7
 */
export function afterPlace(order: Order, { uid, keys }: Place): Predicate {
  const beyond: Predicate = { kind: "after", uid };
  return order.reduceRight<Predicate>((rest, key, k) => {
    const value = comparable(keys[k]);
    const has: Predicate = { kind: "has", field: key.field };
    // Nodes without a value come last.
    if (value === undefined) return and(not(has), rest);
    return or(compare(key, key.direction === "asc" ? "gt" : "lt", value), not(has), and(compare(key, "eq", value), rest));
  }, beyond);
}

/** The same request, which names its place as a condition. */
export function placeAsCondition<R extends Pick<FindRequest, "where" | "order" | "after">>(request: R): R {
  const { where = all, order = [], after } = request;
  return after === undefined ? request : { ...request, where: and(where, afterPlace(order, after)), after: undefined };
}

/** Nodes that come before a place of `order`. */
export function beforePlace(order: Order, { uid, keys }: Place): Predicate {
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
function comparable(key: Place["keys"][number]): Value | undefined {
  return typeof key === "object" ? undefined : key;
}
