// Reads a block level by level: one request for the nodes of each level, with the values that their fields show.

import { all, type Column, type EndName, type FollowRequest, type Links, type Predicate, run, type Uid } from "../../../core/plugin.ts";
import { textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { CountField, Field, Filter, PasswordField, PredicateField } from "../language/syntax.ts";
import { conditionOf } from "../plan/condition.ts";
import type { ConditionContext } from "../plan/context.ts";
import { cut, type ListPlan, planList, sortByVariable } from "../plan/list.ts";
import { fieldsOf } from "../schema/languages.ts";
import { listOf } from "../schema/values.ts";
import { sortedSet, type Variables, withVariable } from "../state/variables.ts";
import { type Cascade, cascadeBelow } from "./cascade.ts";
import { expandedFields } from "./expand.ts";
import { groupNames, groupSource } from "./group-source.ts";
import type { Cutter, EdgePart, GroupSource, Level, Part, ValuePart } from "./level.ts";
import { checkPassword } from "./password.ts";
import { loadRows, type ReadContext, type Rows, rowsOf } from "./rows.ts";

/** What a level knows of the levels above it. */
export interface LevelContext extends ReadContext {
  /** The variables that filters here may read. */
  readonly variables: Variables;
  readonly nearest: ConditionContext["nearest"];
  /** What nodes here need to be kept. */
  readonly cascade: Cascade;
}

/** The stored fields that come along with the nodes of a level. */
export function columnNames(fields: readonly Field[], { catalog }: Pick<ReadContext, "catalog">): readonly string[] {
  const names = fields.flatMap((field): readonly string[] => {
    if (field.kind !== "predicate" && field.kind !== "count" && field.kind !== "password") return [];
    return fieldsOf(field.predicate, catalog).filter((name) => catalog.meaningOf(name).kind === "value");
  });
  return [...new Set(names)];
}

/** Reads what `fields` ask of the nodes `rows`, and everything below. */
export async function readLevel(found: Rows, fields: readonly Field[], context: LevelContext): Promise<Level> {
  await context.work.pause();
  const asked = await expandedFields(fields, found.types, context);
  const rows = asked === fields ? found : await withColumns(found, columnNames(asked, context), context);
  const parts: Part[] = [];
  for (const field of asked) {
    if (context.work.isTurnOver) await context.work.pause();
    for (const part of await readField(field, rows, context)) parts.push(part);
  }
  assertDistinct(parts);
  const uidVariables = fields.flatMap((field) => (field.kind === "uid" && field.variable !== undefined ? [field.variable] : []));
  return { uids: rows.uids, types: rows.types, parts, uidVariables };
}

/** The rows with the columns that they do not have yet. */
export async function withColumns(rows: Rows, names: readonly string[], context: ReadContext): Promise<Rows> {
  const missing = names.filter((name) => !rows.columns.has(name));
  if (missing.length === 0) return rows;
  const loaded = await loadRows(rows.uids, missing, context);
  return { ...rows, columns: new Map([...rows.columns, ...loaded.columns]) };
}

function assertDistinct(parts: readonly Part[]): void {
  const keys = new Set<string>();
  for (const { key } of parts) {
    if (keys.has(key)) throw refusal(`${key} not allowed multiple times in same sub-query.`);
    keys.add(key);
  }
}

async function readField(field: Field, rows: Rows, context: LevelContext): Promise<readonly Part[]> {
  const base = { isAliased: field.alias !== undefined, variable: field.variable };
  switch (field.kind) {
    case "uid":
      return [{ kind: "uid", key: field.alias ?? "uid", ...base }];
    case "countUid":
      return [{ kind: "countUid", key: field.alias ?? "count", ...base }];
    case "val":
      return [{ kind: "val", key: field.alias ?? `val(${field.of})`, of: field.of, ...base }];
    case "aggregate": {
      const of = "variable" in field.of ? `val(${field.of.variable})` : field.of.predicate.name;
      return [{ kind: "computed", key: field.alias ?? `${field.name}(${of})`, field, of: "number", values: [], ...base }];
    }
    case "math":
      return [{ kind: "computed", key: field.alias ?? `val(${field.variable})`, field, of: "number", values: [], ...base }];
    case "count":
      return readCount(field, rows, context);
    case "password":
      return [await readPassword(field, rows, context)];
    case "predicate":
      return readPredicate(field, rows, context);
    case "expand":
      return [];
  }
}

async function readPassword(field: PasswordField, rows: Rows, context: ReadContext): Promise<Part> {
  const { name } = field.predicate;
  const meaning = context.catalog.meaningOf(name);
  if (meaning.kind !== "value" || meaning.field.kind !== "password") {
    const type = meaning.kind === "value" ? meaning.field.kind : "uid";
    throw refusal(`checkpwd fn can only be used on attr: [${name}] with schema type password. Got type: ${type}`);
  }
  const password = textOf(field.password, context.inputs);
  context.work.hold(rows.uids.length);
  const values: boolean[] = [];
  for (const [row] of rows.uids.entries()) values.push(await checkPassword(password, rows.columns.get(name)?.[row]));
  const key = field.alias ?? `checkpwd(${name})`;
  return { kind: "computed", key, isAliased: field.alias !== undefined, variable: field.variable, field, of: "boolean", values };
}

// ---- counts -------------------------------------------------------------------------------------------------------------------

async function readCount(field: CountField, rows: Rows, context: LevelContext): Promise<readonly Part[]> {
  const [name] = fieldsOf(field.predicate, context.catalog);
  const meaning = name === undefined ? undefined : context.catalog.meaningOf(name);
  if (name === undefined || meaning === undefined || (meaning.kind !== "edge" && meaning.kind !== "value")) return [];
  context.work.hold(rows.uids.length);
  const values =
    meaning.kind === "edge" ? await countEdges(field, { end: meaning.end.name, rows, context }) : countValues(rows.columns.get(name) ?? []);
  const base = { isAliased: field.alias !== undefined, variable: field.variable };
  return [{ kind: "computed", key: field.alias ?? `count(${field.predicate.name})`, field, of: "int", values, ...base }];
}

function countValues(column: Column): readonly bigint[] {
  return column.map((stored) => (stored === undefined ? 0n : BigInt(listOf(stored).length)));
}

interface Counting {
  readonly end: EndName;
  readonly rows: Rows;
  readonly context: LevelContext;
}

async function countEdges({ filter }: CountField, { end, rows, context }: Counting): Promise<readonly bigint[]> {
  const where = await whereOf(filter, context);
  const existing = existingRows(rows);
  const from = existing.map((row) => rows.uids[row] ?? 0);
  if (from.length === 0) return rows.uids.map(() => 0n);
  const counted = await context.snapshot.aggregate({ over: { from, end, where }, measures: [{ kind: "count" }] });
  const values = rows.uids.map(() => 0n);
  for (const [i, row] of existing.entries()) values[row] = BigInt(Number(counted[i]?.[0] ?? 0));
  return values;
}

function existingRows({ types }: Pick<Rows, "types">): readonly number[] {
  return types.flatMap((type, row) => (type === undefined ? [] : [row]));
}

// ---- predicates -----------------------------------------------------------------------------------------------------------------

async function readPredicate(field: PredicateField, rows: Rows, context: LevelContext): Promise<readonly Part[]> {
  const { catalog } = context;
  const { predicate } = field;
  const names = fieldsOf(predicate, catalog);
  if (predicate.languages === "*") return names.map((name) => valuePart(field, { key: name, names: [name], rows, context }));
  const key = field.alias ?? (predicate.languages === undefined ? predicate.name : `${predicate.name}@${predicate.languages}`);
  const meaning = catalog.meaningOf(names[0] ?? predicate.name);
  if (meaning.kind === "types" && predicate.languages === undefined)
    return [{ kind: "types", key, isAliased: field.alias !== undefined, variable: field.variable }];
  if (meaning.kind === "edge") return [await readEdge(field, { key, rows, context })];
  return [valuePart(field, { key, names, rows, context })];
}

interface ValueSource {
  readonly key: string;
  readonly names: readonly string[];
  readonly rows: Rows;
  readonly context: LevelContext;
}

/** A password is never shown. */
function valuePart({ alias, variable, predicate }: PredicateField, { key, names, rows, context: { catalog, work } }: ValueSource): ValuePart {
  const meaning = catalog.meaningOf(names[0] ?? "");
  const field = meaning.kind === "value" && meaning.field.kind !== "password" ? meaning.field : undefined;
  if (variable !== undefined && field?.list) throw refusal("Value variables not supported for predicate with list type.");
  const columns = field ? names.flatMap((name) => [rows.columns.get(name) ?? []]) : [];
  const [only = []] = columns;
  if (columns.length > 1) work.hold(rows.uids.length);
  const column = columns.length <= 1 ? only : rows.uids.map((_, row) => columns.find((each) => each[row] !== undefined)?.[row]);
  return { kind: "value", key, isAliased: alias !== undefined, variable, name: predicate.name, field, column };
}

interface EdgeSource {
  readonly key: string;
  readonly rows: Rows;
  readonly context: LevelContext;
}

async function readEdge(field: PredicateField, { key, rows, context }: EdgeSource): Promise<EdgePart> {
  const cascade = cascadeBelow(context.cascade, field.cascade);
  if (!isFollowed(field, context.cascade)) return { ...edgeBase(field, context), key, ...nothingFollowed(rows) };
  const names = field.groupBy ? groupNames(field, context) : columnNames(field.fields, context);
  const { part, found } = await followEdge(field, rows, { names, isCascaded: cascade !== undefined, context });
  const groups: GroupSource | undefined = field.groupBy ? await groupSource(field, found, context) : undefined;
  const below: LevelContext = { ...context, cascade, variables: withEdgeVariable(field, found.uids, context.variables) };
  const level = await readLevel(found, field.groupBy ? [] : field.fields, below);
  return { ...part, key, level, groups };
}

function edgeBase(field: PredicateField, { catalog }: ReadContext) {
  const { name } = field.predicate;
  const meaning = catalog.meaningOf(name);
  const many = meaning.kind === "edge" && meaning.end.many;
  return {
    kind: "edge" as const,
    key: field.alias ?? name,
    isAliased: field.alias !== undefined,
    variable: field.variable,
    name,
    field,
    many,
    groups: undefined,
    cutter: undefined,
  };
}

export interface EdgeReading {
  /** The columns of the nodes that the edge leads to. */
  readonly names: readonly string[];
  readonly isCascaded: boolean;
  readonly context: LevelContext;
}

/** The lists of an edge, and the nodes in them, of which nothing more is read. */
export async function followEdge(
  field: PredicateField,
  rows: Rows,
  { names, isCascaded, context }: EdgeReading,
): Promise<{ readonly part: EdgePart; readonly found: Rows }> {
  const list = await listPlanOf(field, context);
  const meaning = context.catalog.meaningOf(field.predicate.name);
  const end = meaning.kind === "edge" ? meaning.end.name : field.predicate.name;
  const { links, cutter } = await follow(list, { rows, end, names, isCascaded, context });
  context.work.spend(links.rows.length);
  const found = rowsOf(links.nodes, names);
  const level: Level = { uids: found.uids, types: found.types, parts: [], uidVariables: [] };
  return { part: { ...edgeBase(field, context), level, starts: links.starts, rows: links.rows, cutter }, found };
}

/** Without braces an edge shows nothing, and is read only when something else needs its nodes. */
function isFollowed(field: PredicateField, cascade: Cascade): boolean {
  return field.fields.length > 0 || field.variable !== undefined || field.groupBy !== undefined || cascade !== undefined;
}

function nothingFollowed(rows: Rows): Pick<EdgePart, "level" | "starts" | "rows"> {
  return { level: { uids: [], types: [], parts: [], uidVariables: [] }, starts: new Array(rows.uids.length + 1).fill(0), rows: [] };
}

async function listPlanOf({ filter, slice }: Pick<PredicateField, "filter" | "slice">, context: LevelContext): Promise<ListPlan> {
  return planList(slice, await whereOf(filter, context), context);
}

/** The condition of a filter, planned in turns. */
export async function whereOf(filter: Filter | undefined, context: LevelContext): Promise<Predicate> {
  return filter ? run(conditionOf(filter, context), context.work) : all;
}

function withEdgeVariable({ variable }: PredicateField, uids: readonly Uid[], variables: Variables): Variables {
  return variable === undefined ? variables : withVariable(variables, variable, { kind: "uids", uids: sortedSet(uids) });
}

/** The cuts that are left to do when the storage returned whole lists. */
function cutterFor(list: ListPlan, { isCascaded }: Pick<Following, "isCascaded">): Cutter | undefined {
  const { byVariable, page } = list;
  if (byVariable) return (rows, uidOf) => cut(sortByVariable(rows, uidOf, byVariable), page);
  return isCascaded && page ? (rows) => cut(rows, page) : undefined;
}

interface Following {
  readonly rows: Rows;
  readonly end: EndName;
  readonly names: readonly string[];
  readonly isCascaded: boolean;
  readonly context: ReadContext;
}

async function follow(
  list: ListPlan,
  { rows, end, names, isCascaded, context }: Following,
): Promise<{ readonly links: Links; readonly cutter: Cutter | undefined }> {
  const cutter = cutterFor(list, { isCascaded });
  const isWhole = cutter !== undefined;
  const existing = existingRows(rows);
  const request: FollowRequest = {
    from: existing.length === rows.uids.length ? rows.uids : existing.map((row) => rows.uids[row] ?? 0),
    end,
    fields: names,
    ...(list.where.kind !== "all" && { where: list.where }),
    ...(list.order && { order: list.order }),
    ...(!isWhole && list.page && { page: list.page }),
  };
  const links = await context.snapshot.follow(request);
  const aligned = existing.length === rows.uids.length ? links : { ...links, starts: spreadStarts(links.starts, rows) };
  // Without a cascade the cut is made at once, so that nothing is read below nodes that it drops.
  if (!cutter || isCascaded) return { links: aligned, cutter };
  return { links: cutLinks(aligned, cutter), cutter: undefined };
}

/** Rows without a node have no links. */
function spreadStarts(starts: readonly number[], { types }: Rows): readonly number[] {
  const spread = [0];
  let source = 0;
  for (const type of types) {
    if (type !== undefined) source++;
    spread.push(starts[source] ?? 0);
  }
  return spread;
}

function cutLinks({ starts, rows, nodes }: Links, cutter: Cutter): Links {
  const kept: number[] = [];
  const newStarts = [0];
  for (let i = 0; i + 1 < starts.length; i++) {
    for (const row of cutter(rows.slice(starts[i], starts[i + 1]), (each) => nodes.uids[each] ?? 0)) kept.push(row);
    newStarts.push(kept.length);
  }
  return withoutUnused({ starts: newStarts, rows: kept, nodes });
}

/** Drops the nodes that no list shows. */
function withoutUnused({ starts, rows, nodes }: Links): Links {
  const used = [...new Set(rows)].sort((a, b) => a - b);
  if (used.length === nodes.uids.length) return { starts, rows, nodes };
  const at = new Map(used.map((row, i) => [row, i]));
  const pick = <T>(list: readonly T[]): T[] => used.flatMap((row) => list.slice(row, row + 1));
  return {
    starts,
    rows: rows.map((row) => at.get(row) ?? 0),
    nodes: { uids: pick(nodes.uids), types: pick(nodes.types), columns: nodes.columns.map(pick) },
  };
}
