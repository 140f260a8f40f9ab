// `order`, `first` and `offset` as storage takes them, with the texts of what cannot be.

import type { LinkField, NodeType } from "../../contracts/model.ts";
import type { OrderKey, Page } from "../../contracts/storage/requests.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Api } from "../../schema/api/api.ts";
import { type CompiledOrder, isOwnValue, type SortKey } from "../level/sort-key.ts";

/** Each key behind links is read for all nodes that the filter lets through. */
const maxRelatedKeys = 10;
const maxPath = 10;

/**
 * The keys of a coerced `<T>Order`, outermost first. `asc` wins over `desc`; an object without any is passed over.
 *
 * @throws QuernError VALUE_INVALID when a key comes twice, and for an object with a link and another key
 */
export function compileOrder(type: NodeType, value: unknown, api: Pick<Api, "linkOrders">): CompiledOrder {
  const keys = sortKeys({ type, path: [] }, value, api);
  const seen = new Set<string>();
  for (const key of keys) {
    const name = nameOf(key);
    if (seen.has(name)) throw new QuernError("VALUE_INVALID", `Sorting by an attribute: [${name}] can only be done once`);
    seen.add(name);
  }
  const related = keys.filter((key) => !isOwnValue(key));
  if (related.length === 0) return { order: keys.flatMap(({ by }) => ("field" in by ? [by] : [])), related: undefined };
  if (related.length > maxRelatedKeys)
    throw new QuernError("VALUE_INVALID", `An order has at most ${maxRelatedKeys} keys behind links, here it has ${related.length}`);
  return { order: [], related: keys };
}

/** `Post.author.Author.name`: links and field by their storage names. */
function nameOf({ path, by }: SortKey): string {
  return [...path.map(({ stored }) => stored), "field" in by ? by.field : `count of ${by.count.stored}`].join(".");
}

/** A type, and how it was reached. */
interface OrderPlace {
  readonly type: NodeType;
  readonly path: readonly LinkField[];
}

function sortKeys(place: OrderPlace, value: unknown, api: Pick<Api, "linkOrders">): readonly SortKey[] {
  const keys: SortKey[] = [];
  for (let each = value; isObject(each); each = each.then) keys.push(...keysIn(place, each, api));
  return keys;
}

/** Those of one object, without `then`. */
function keysIn({ type, path }: OrderPlace, object: Readonly<Record<string, unknown>>, api: Pick<Api, "linkOrders">): readonly SortKey[] {
  const own = orderKey(type, object);
  const links = [...(api.linkOrders.get(type.name) ?? [])].filter(([name]) => isGiven(object[name]));
  if (links.length + (own ? 1 : 0) > 1) {
    const given = ["asc", "desc", ...links.map(([name]) => name)].filter((name) => isGiven(object[name]));
    throw new QuernError(
      "VALUE_INVALID",
      `An order of ${type.name} has ${given.join(" and ")} in one object; give each an object of its own, by "then"`,
    );
  }
  if (own) return [{ path, by: own }];
  return links.flatMap(([name, { field, key }]) => {
    const by = key(object[name]);
    if (by === undefined) return [];
    if (by.kind === "count") return [{ path, by: { count: field, direction: by.direction } }];
    if (field.target.kind === "union") return [];
    if (path.length === maxPath) throw new QuernError("VALUE_INVALID", `An order follows at most ${maxPath} links, one after the other`);
    return sortKeys({ type: field.target, path: [...path, field] }, by.order, api);
  });
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
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
export function compilePage({ first, offset }: PageArguments, { order, related }: CompiledOrder): Page | undefined {
  const count = typeof first === "number" ? first : 0;
  const skipped = typeof offset === "number" && offset > 0 ? offset : 0;
  if (count < 0) {
    const [key] = related ? related.map(nameOf) : order.map(({ field }) => field);
    if (key === undefined) return { last: -count };
    const message = `We do not yet support negative or infinite count with sorting: ${key} ${count}. Try flipping order and return first few elements instead.`;
    throw new QuernError("VALUE_INVALID", message);
  }
  if (count === 0 && skipped === 0) return undefined;
  return { ...(count > 0 ? { first: count } : {}), ...(skipped > 0 ? { offset: skipped } : {}) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
