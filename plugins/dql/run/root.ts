// The nodes that a block starts from.

import { and, type Column, matcher, type Predicate, type Uid } from "../../../core/plugin.ts";
import type { RootSet } from "../plan/condition.ts";
import { cut, type ListPlan, sortByVariable } from "../plan/list.ts";
import { ascending } from "../state/variables.ts";
import { loadRows, type ReadContext, type Rows, rowsOf } from "./rows.ts";

export interface RootRequest {
  readonly set: RootSet;
  readonly list: ListPlan;
  /** The stored fields to read. */
  readonly names: readonly string[];
  /** True: `@cascade` drops nodes before the list is cut. */
  readonly isWhole: boolean;
  /** False: no condition and no order needs the nodes' values. */
  readonly isFiltered: boolean;
}

/** The rows of a block in order, cut to the page unless `isWhole`. */
export async function readRoot(request: RootRequest, context: ReadContext): Promise<Rows> {
  const { set } = request;
  if (set.kind === "find") return findNodes(set, request, context);
  return request.isFiltered || request.list.order ? findAmong(set, request, context) : pickUids(set, request, context);
}

async function findNodes({ types, where }: Extract<RootSet, { kind: "find" }>, request: RootRequest, { snapshot }: ReadContext): Promise<Rows> {
  const { list, names, isWhole } = request;
  if (types.length === 0) return { uids: [], types: [], columns: new Map(names.map((name) => [name, []])) };
  const { order, page, byVariable } = list;
  const storageCuts = !isWhole && !byVariable && page;
  const condition = and(where, list.where);
  const batch = await snapshot.find({
    types,
    fields: names,
    ...(condition.kind !== "all" && { where: condition }),
    ...(order && { order }),
    ...(storageCuts && { page }),
  });
  const rows = rowsOf(batch, names);
  if (!byVariable) return rows;
  const sorted = sortByVariable([...rows.uids.keys()], (row) => rows.uids[row] ?? 0, byVariable);
  return pickRows(rows, isWhole ? sorted : cut(sorted, page));
}

function pickRows({ uids, types, columns }: Rows, rows: readonly number[]): Rows {
  const pick = <T>(list: readonly T[]): T[] => rows.flatMap((row) => list.slice(row, row + 1));
  return { uids: pick(uids), types: pick(types), columns: new Map([...columns].map(([name, column]): [string, Column] => [name, pick(column)])) };
}

type UidSet = Extract<RootSet, { kind: "uids" }>;

/** Uids need no search: they are ordered and cut before anything is read. */
async function pickUids(set: UidSet, { list, names, isWhole }: RootRequest, context: ReadContext): Promise<Rows> {
  const passes = passesWithoutValues(list.where, context);
  const passing = list.where.kind === "all" ? set.uids : set.uids.filter(passes);
  const sorted = list.byVariable ? sortByVariable(passing, (uid) => uid, list.byVariable) : passing;
  return loadRows(isWhole ? sorted : cut(sorted, list.page), names, context);
}

/** Whether a condition holds for a node without type, values and links: one that does not exist. */
function passesWithoutValues(where: Predicate, { catalog }: ReadContext): (uid: Uid) => boolean {
  const kinds = new Map(catalog.layout.fields.map((field) => [field.name, field.kind]));
  const indexes = new Map(catalog.layout.indexes.map((index) => [index.name, index]));
  const holds = matcher(where, { kindOf: (field) => kinds.get(field) ?? "string", index: (name) => indexes.get(name), linked: () => false });
  return (uid) => holds({ uid, type: "", value: () => undefined });
}

async function findAmong(set: UidSet, request: RootRequest, context: ReadContext): Promise<Rows> {
  const { list, names } = request;
  const { uids } = set;
  if (uids.length === 0) return { uids: [], types: [], columns: new Map(names.map((name) => [name, []])) };
  const where: Predicate = { kind: "uids", uids: set.inPathOrder ? [...uids].sort(ascending) : uids };
  const missing = set.given ? await missingAmong(uids, list.where, context) : [];
  const isWhole = request.isWhole || missing.length > 0 || set.inPathOrder;
  const found = await findNodes({ kind: "find", types: context.catalog.types, where }, { ...request, isWhole }, context);
  if (!set.inPathOrder && missing.length === 0) return found;
  const joined = withMissing(found, missing);
  const order = list.order ? [...joined.uids.keys()] : inOrder(joined.uids, uids);
  return pickRows(joined, request.isWhole ? order : cut(order, list.page));
}

/** Nodes that do not exist pass a filter that asks for nothing, such as `not has(p)`. */
async function missingAmong(uids: readonly Uid[], where: Predicate, context: ReadContext): Promise<readonly Uid[]> {
  const existing = new Set((await context.snapshot.load({ uids, types: context.catalog.types, fields: [] })).uids);
  return uids.filter((uid) => !existing.has(uid)).filter(passesWithoutValues(where, context));
}

function withMissing(rows: Rows, missing: readonly Uid[]): Rows {
  const none = missing.map(() => undefined);
  return {
    uids: [...rows.uids, ...missing],
    types: [...rows.types, ...none],
    columns: new Map([...rows.columns].map(([name, column]) => [name, [...column, ...none]])),
  };
}

/** The rows of `uids` in the order in which `wanted` names them. */
function inOrder(uids: readonly Uid[], wanted: readonly Uid[]): readonly number[] {
  const place = new Map(wanted.map((uid, i) => [uid, i]));
  return [...uids.keys()].sort((a, b) => (place.get(uids[a] ?? 0) ?? 0) - (place.get(uids[b] ?? 0) ?? 0));
}
