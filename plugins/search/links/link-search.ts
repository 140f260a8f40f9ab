// `@search` on a link: filters by the objects that it leads to.

import type { DirectiveUse, LinkField, LinkFilter, LinkOrder, ModelContext, NodeType, UnionType } from "../../../core/plugin.ts";
import { countCondition } from "./count-condition.ts";
import { isOrderable, linkOrder, manyOrderInput } from "./orders.ts";

/** The problem of a link that cannot have the directive; undefined: it can. */
export function linkProblem({ owner, name }: LinkField): string | undefined {
  if (!joined.includes(name)) return undefined;
  return `Type ${owner.name}; Field ${name}: has the @search directive, but the filter or the order of ${owner.name} has a member ${name} of its own (${joined.join(", ")}). Give the field another name.`;
}

/** Members that filters and orders have anyway. */
const joined: readonly string[] = ["asc", "desc", "then", "and", "or", "not", "has"];

/** Whether a use means the link: without words. */
export function isLinkSearch(use: DirectiveUse): use is DirectiveUse & { readonly field: LinkField } {
  return use.field?.role === "link" && (use.node.arguments ?? []).length === 0;
}

/** Links with the directive, in the final model. Those that lead to something with an order become members of orders. */
export function searchedLinks({ uses, record }: Pick<ModelContext, "uses" | "record">): () => readonly LinkField[] {
  const found = uses("search").filter(isLinkSearch);
  const many = new Set(found.filter(({ field }) => field.type.list).map(({ type }) => type));
  for (const { field } of found) {
    const isOrder = field.type.list || (field.target.kind !== "union" && (many.has(field.target) || isOrderable(field.target)));
    if (isOrder) record.exposure(field, { order: true });
  }
  return () =>
    found.flatMap(({ type, field }) => {
      const link = type?.fields.get(field.name);
      return link?.role === "link" ? [link] : [];
    });
}

/** What links with the directive add to the API. */
export interface LinkAdditions {
  readonly linkFilters: readonly LinkFilter[];
  readonly linkOrders: readonly LinkOrder[];
  /** SDL of the inputs. */
  readonly definitions: readonly string[];
}

export function linkAdditions(links: readonly LinkField[]): LinkAdditions {
  const many = [...new Set(links.filter(({ type }) => type.list).map(({ target }) => target))];
  return {
    linkFilters: links.map((field) => (field.type.list ? toMany(field) : toOne(field))),
    linkOrders: links.flatMap(linkOrder),
    definitions: [...many.map(manyFilterInput), ...many.map(manyOrderInput)],
  };
}

const filterName = ({ name }: NodeType | UnionType): string => `${name}Filter`;
const manyFilterName = ({ name }: NodeType | UnionType): string => `${name}ManyFilter`;

function manyFilterInput(target: NodeType | UnionType): string {
  const filter = filterName(target);
  return `"Conditions on linked objects. All must hold."
input ${manyFilterName(target)} {
  "One linked object or more satisfies it."
  some: ${filter}
  "Every linked object satisfies it, or there is none."
  every: ${filter}
  "No linked object satisfies it."
  none: ${filter}
  "The number of linked objects."
  count: IntFilter
}`;
}

/** There is a partner, and the filter holds for it. */
function toOne(field: LinkField): LinkFilter {
  return { field, input: filterName(field.target), condition: (filter) => ({ kind: "partners", filter, satisfying: true, atLeast: 1 }) };
}

function toMany(field: LinkField): LinkFilter {
  return {
    field,
    input: manyFilterName(field.target),
    condition: (operand) => {
      const { some, every, none, count } = members(operand);
      const of = [
        ...(isGiven(some) ? [{ kind: "partners" as const, filter: some, satisfying: true, atLeast: 1 }] : []),
        ...(isGiven(every) ? [{ kind: "not" as const, of: { kind: "partners" as const, filter: every, satisfying: false, atLeast: 1 } }] : []),
        ...(isGiven(none) ? [{ kind: "not" as const, of: { kind: "partners" as const, filter: none, satisfying: true, atLeast: 1 } }] : []),
        ...(isGiven(count) ? countCondition(members(count)) : []),
      ];
      return of.length === 0 ? undefined : { kind: "and", of };
    },
  };
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
