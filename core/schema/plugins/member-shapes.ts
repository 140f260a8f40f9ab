// What the members of hooks and of additions are: the lists that `model`, `layout` and `api` return, object by object.

import type { CompoundIndex, Derivation, FieldLayout, KeyLayout, NearestIndex, TokenIndex, TypeLayout, ValueIndex } from "../../contracts/layout.ts";
import type { ApiAdditions, LayoutAdditions, NearestArgument } from "../../contracts/plugin/api-additions.ts";
import type { BackgroundTask } from "../../contracts/plugin/background.ts";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { FieldMask, Hooks, SchemaWarning } from "../../contracts/plugin/hooks.ts";
import type { ListKind } from "../../contracts/plugin/level-step.ts";
import type { LinkFilter } from "../../contracts/plugin/link-filter.ts";
import type { LinkOrder } from "../../contracts/plugin/link-order.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import type { RootField } from "../../contracts/plugin/root-field.ts";
import type { UpdateMember } from "../../contracts/plugin/update-member.ts";
import { isObject } from "../../ground/is-object.ts";
import {
  aCount,
  aFlag,
  aFunction,
  anObject,
  anySdl,
  aText,
  listOf,
  type MemberKind,
  type MemberKinds,
  oneOf,
  problemOf,
  required,
  texts,
  textsByName,
  wrongMember,
} from "../../ground/member-kinds.ts";
import { valueKinds } from "../../ground/values/kinds.ts";
import { metrics } from "../../ground/values/vector.ts";

/** What is wrong with an item of a list, as the end of a sentence; undefined: nothing. */
type ItemCheck = (item: unknown) => string | undefined;
type ItemChecks<Of> = { readonly [Name in keyof Of]?: ItemCheck };

function like(kinds: Readonly<Record<string, MemberKind>>): ItemCheck {
  return (item) => problemOf(item, kinds);
}

function only({ fits, expected }: MemberKind): ItemCheck {
  return (item) => (fits(item) ? undefined : `must be ${expected}.`);
}

const purposes = Object.keys({
  query: true,
  password: true,
  add: true,
  choose: true,
  update: true,
  delete: true,
  reference: true,
  displaced: true,
  rule: true,
  updated: true,
} satisfies Record<Purpose, true>);

const aType: MemberKind = {
  fits: (value) => isObject(value) && typeof value.name === "string" && value.fields instanceof Map,
  expected: "a type of the model",
};

function aField(...roles: readonly string[]): MemberKind {
  return {
    fits: (value) => isObject(value) && typeof value.name === "string" && isObject(value.owner) && roles.includes(String(value.role)),
    expected: `a field of the model with the role ${roles.join(" or ")}`,
  };
}

const warning: MemberKinds<SchemaWarning> = { message: required(aText), at: anObject };

const mask: MemberKinds<FieldMask> = {
  field: required(aField("value", "link")),
  shows: required(oneOf(["null", "error"])),
  visible: required(aFunction),
};

const task: MemberKinds<BackgroundTask> = {
  name: required(aText),
  runs: required(oneOf(["everywhere", "once"])),
  leaseMs: aCount,
  run: required(aFunction),
};

/** The lists among the hooks. */
const hookItems: ItemChecks<Hooks> = {
  warnings: like(warning),
  headers: only(aText),
  narrows: only(oneOf(purposes)),
  masks: like(mask),
  background: like(task),
};

const filter: MemberKinds<FieldFilter> = {
  field: required(aField("value")),
  input: required(aText),
  predicate: required(aFunction),
  steps: aFunction,
};

const linkFilter: MemberKinds<LinkFilter> = { field: required(aField("link")), input: required(aText), condition: required(aFunction) };

const linkOrder: MemberKinds<LinkOrder> = { field: required(aField("link")), input: required(aText), key: required(aFunction) };

const list: MemberKinds<ListKind> = {
  type: required(aType),
  definitions: anySdl,
  signature: required(aText),
  description: anySdl,
  query: aText,
  companion: aFunction,
  plan: required(aFunction),
};

const root: MemberKinds<RootField> = {
  operation: required(oneOf(["query", "mutation"])),
  signature: required(aText),
  type: aType,
  members: listOf(aType, "a list of types of the model"),
  purpose: oneOf(purposes),
  run: required(aFunction),
};

const computed: MemberKinds<ComputedField> = {
  field: required(aField("computed", "value", "link", "id")),
  needs: required(texts),
  compute: required(aFunction),
  slow: aFlag,
  volatile: aFlag,
};

const nearest: MemberKinds<NearestArgument> = { type: required(aType), signature: required(aText), nearest: required(aFunction), distance: aText };

const update: MemberKinds<UpdateMember> = { type: required(aType), signature: required(aText), changes: aFunction, steps: aFunction };

const aList: MemberKind = { fits: Array.isArray, expected: "a list" };

const api: MemberKinds<ApiAdditions> = {
  definitions: anySdl,
  filters: aList,
  linkFilters: aList,
  linkOrders: aList,
  lists: aList,
  roots: aList,
  computed: aList,
  nearest: aList,
  updates: aList,
  deprecated: textsByName,
  live: texts,
  atomic: texts,
  counting: texts,
  jsonKeys: textsByName,
};

const apiItems: ItemChecks<ApiAdditions> = {
  filters: like(filter),
  linkFilters: like(linkFilter),
  linkOrders: like(linkOrder),
  lists: like(list),
  roots: like(root),
  computed: like(computed),
  nearest: like(nearest),
  updates: like(update),
};

const type: MemberKinds<TypeLayout> = { name: required(aText), fields: required(texts) };

const derivation: MemberKinds<Derivation> = { id: required(aText), from: required(texts), derive: required(aFunction) };

const field: MemberKinds<FieldLayout> = {
  name: required(aText),
  kind: required(oneOf(valueKinds)),
  list: required(aFlag),
  derived: { fits: (value) => problemOf(value, derivation) === undefined, expected: "{ id, from, derive }" },
};

const key: MemberKinds<KeyLayout> = { name: required(aText), fields: required(texts), ends: texts, types: required(texts) };

const indexBase = { name: required(aText), field: required(aText), by: required(oneOf(["value", "tokens", "nearest", "compound"])) };

const valueIndex: MemberKinds<ValueIndex> = { ...indexBase, ordered: required(aFlag) };

const tokenIndex: MemberKinds<TokenIndex> = { ...indexBase, id: required(aText), tokens: required(aFunction) };

const nearestIndex: MemberKinds<NearestIndex> = {
  ...indexBase,
  metric: required(oneOf(metrics)),
  buildBreadth: aCount,
  searchBreadth: aCount,
  quantize: oneOf(["int8"]),
};

const compoundIndex: MemberKinds<CompoundIndex> = { ...indexBase, within: required(texts) };

const indexes: Readonly<Record<string, ItemCheck>> = {
  value: like(valueIndex),
  tokens: like(tokenIndex),
  nearest: like(nearestIndex),
  compound: like(compoundIndex),
};

const layout: MemberKinds<LayoutAdditions> = { types: aList, fields: aList, indexes: aList, keys: aList };

const layoutItems: ItemChecks<LayoutAdditions> = {
  types: like(type),
  fields: like(field),
  indexes: (item) => ((isObject(item) && indexes[String(item.by)]) || like(indexBase))(item),
  keys: like(key),
};

/** What is wrong with the items of a list among the hooks: `background[0] has a wrong runs: ...`. Undefined: nothing. */
export function hookProblem(name: string, member: unknown): string | undefined {
  return itemProblem(hookItems, name, member);
}

/** What is wrong with what `layout` returns. */
export function layoutProblem(additions: unknown): string | undefined {
  return additionsProblem(additions, layout, layoutItems);
}

/** What is wrong with what `api` returns. */
export function apiProblem(additions: unknown): string | undefined {
  return additionsProblem(additions, api, apiItems);
}

function additionsProblem<Of>(additions: unknown, kinds: MemberKinds<Of>, items: ItemChecks<Of>): string | undefined {
  if (!isObject(additions)) return "it must return what it adds, or {}.";
  const problem = wrongMember(additions, { ...kinds });
  if (problem !== undefined) return `what it returns ${problem}`;
  for (const [name, member] of Object.entries(additions)) {
    const found = itemProblem(items, name, member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function itemProblem<Of>(checks: ItemChecks<Of>, name: string, items: unknown): string | undefined {
  const check = Object.entries<ItemCheck | undefined>(checks).find(([known]) => known === name)?.[1];
  if (check === undefined || !Array.isArray(items)) return undefined;
  for (const [i, item] of items.entries()) {
    const problem = check(item);
    if (problem !== undefined) return `${name}[${i}] ${problem}`;
  }
  return undefined;
}
