// `filter`, `order`, `first` and `offset` of the lists of users and groups: all of them are about names.

import { isObject, QuernError } from "../../core/plugin.ts";

export interface ListArguments {
  readonly filter?: unknown;
  readonly order?: unknown;
  readonly first?: unknown;
  readonly offset?: unknown;
}

/** The names that a list shows. @param names ascending */
export function chosenNames(names: readonly string[], { filter, order, first, offset }: ListArguments): readonly string[] {
  const matching = names.filter(nameFilter(filter));
  const isOrdered = isObject(order) && (typeof order.asc === "string" || typeof order.desc === "string");
  const isDescending = isOrdered && typeof (order as { readonly asc?: unknown }).asc !== "string";
  return page(isDescending ? [...matching].reverse() : matching, { first, offset, isOrdered });
}

interface PageArguments {
  readonly first: unknown;
  readonly offset: unknown;
  readonly isOrdered: boolean;
}

function page(names: readonly string[], { first, offset, isOrdered }: PageArguments): readonly string[] {
  const count = typeof first === "number" ? first : 0;
  const from = typeof offset === "number" && offset > 0 ? offset : 0;
  if (count < 0 && isOrdered) {
    throw new QuernError(
      "VALUE_INVALID",
      `: We do not yet support negative or infinite count with sorting: dgraph.xid ${count}. Try flipping order and return first few elements instead.`,
    );
  }
  if (count < 0) return names.slice(count);
  return names.slice(from, count === 0 ? undefined : from + count);
}

/** Members of a filter are ANDed; `or` widens all of them; null and empty ones say nothing. `{ name: { eq: null } }` matches no name. */
export function nameFilter(filter: unknown): (name: string) => boolean {
  return condition(filter) ?? (() => true);
}

type Condition = (name: string) => boolean;

function condition(filter: unknown): Condition | undefined {
  if (!isObject(filter)) return undefined;
  const negated = condition(filter.not);
  const must = [nameCondition(filter.name), condition(filter.and), negated && ((name: string) => !negated(name))].filter(
    (each) => each !== undefined,
  );
  const may = condition(filter.or);
  const all = must.length === 0 ? undefined : (name: string) => must.every((each) => each(name));
  if (may === undefined) return all;
  return all === undefined ? may : (name) => all(name) || may(name);
}

function nameCondition(member: unknown): Condition | undefined {
  if (!isObject(member) || !("eq" in member) || member.eq === undefined) return undefined;
  const { eq } = member;
  return (name) => name === eq;
}
