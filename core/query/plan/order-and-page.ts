// `order`, `first` and `offset` as storage takes them, with the texts of what cannot be.

import type { NodeType } from "../../contracts/model.ts";
import type { Order, OrderKey, Page } from "../../contracts/storage.ts";
import { QuernError } from "../../ground/errors.ts";

/**
 * The keys of a coerced `<T>Order`, outermost first. `asc` wins over `desc`; an object without either is passed over.
 *
 * @throws QuernError VALUE_INVALID when a field comes twice
 */
export function compileOrder(type: NodeType, value: unknown): Order {
  const keys: OrderKey[] = [];
  for (let each = value; isObject(each); each = each.then) {
    const key = orderKey(type, each);
    if (!key) continue;
    if (keys.some((other) => other.field === key.field)) {
      throw new QuernError("VALUE_INVALID", `Sorting by an attribute: [${key.field}] can only be done once`);
    }
    keys.push(key);
  }
  return keys;
}

function orderKey(type: NodeType, { asc, desc }: Readonly<Record<string, unknown>>): OrderKey | undefined {
  const direction = typeof asc === "string" ? "asc" : "desc";
  const name = typeof asc === "string" ? asc : desc;
  const field = typeof name === "string" ? type.fields.get(name) : undefined;
  if (field?.role !== "value") return undefined;
  return { field: field.stored, direction, ...(field.collation === undefined ? {} : { collation: field.collation }) };
}

export interface PageArguments {
  readonly first: unknown;
  readonly offset: unknown;
}

/**
 * The cut of a list; undefined when all of it is wanted. `first: 0` is no limit, a negative `first` the last ones, a negative `offset` none.
 *
 * @throws QuernError VALUE_INVALID for a negative `first` under an order
 */
export function compilePage({ first, offset }: PageArguments, order: Order): Page | undefined {
  const count = typeof first === "number" ? first : 0;
  const skipped = typeof offset === "number" && offset > 0 ? offset : 0;
  if (count < 0) {
    const [key] = order;
    if (!key) return { last: -count };
    const message = `We do not yet support negative or infinite count with sorting: ${key.field} ${count}. Try flipping order and return first few elements instead.`;
    throw new QuernError("VALUE_INVALID", message);
  }
  if (count === 0 && skipped === 0) return undefined;
  return { ...(count > 0 ? { first: count } : {}), ...(skipped > 0 ? { offset: skipped } : {}) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
