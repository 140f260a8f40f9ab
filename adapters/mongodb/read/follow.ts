// Follows one end of many nodes at once: one round trip when the links are stored in the partners' documents, else two.

import { type FollowRequest, type Links, type Page, type Predicate, run, type TypeName, topInSteps, type Uid } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import { linkPropertyOf } from "../layout/layout-runtime.ts";
import { findRows, rowMatcher, type TypeMatch, typeMatches } from "./find-rows.ts";
import type { Following } from "./following.ts";
import { type LinkedTogether, linkedTogether } from "./linked-together.ts";
import { backsOf } from "./links-back.ts";
import { isPlain, pagedPairs, pagesOfLongLists } from "./long-lists.ts";
import { conjunction } from "./match.ts";
import type { Reader } from "./reader.ts";
import { comparatorOf, cutRows } from "./row-order.ts";
import { readUnion } from "./row-queries.ts";
import { batchOf, eachPair, namesIn, type Pair, projectionOf, Row } from "./rows.ts";
import { joinAll } from "./semi-joins.ts";
import { slices } from "./slices.ts";
import { orderedBy, sortedStages, wantedOf } from "./sorted.ts";
import { mostWanted, topRows } from "./top-rows.ts";

export async function follow(reader: Reader, request: FollowRequest): Promise<Links> {
  const following = await followingOf(reader, request);
  const partners = following === undefined ? new Map<Uid, readonly Row[]>() : await partnersOf(reader, following);
  const nodes: Row[] = [];
  const rowOf = new Map<Uid, number>();
  const starts = [0];
  const rows: number[] = [];
  const place = (row: Row) => {
    let placement = rowOf.get(row.uid);
    if (placement === undefined) {
      placement = nodes.push(row) - 1;
      rowOf.set(row.uid, placement);
    }
    rows.push(placement);
  };
  for (const source of request.from) {
    if (reader.turns.isDue()) await reader.turns.turn();
    await reader.turns.each(partners.get(source) ?? [], place);
    starts.push(rows.length);
  }
  return { starts, rows, nodes: await batchOf(reader, nodes, request.fields) };
}

export async function followingOf(
  reader: Reader,
  { from, end: name, types, page, fields, ...request }: FollowRequest,
): Promise<Following | undefined> {
  const end = reader.schema.ends.get(name);
  if (end === undefined || from.length === 0) return undefined;
  const seen = types === undefined ? [...end.partners] : types.filter((type) => end.partners.has(type));
  const joined = await joinAll(reader, request.where);
  return { end, sources: await reader.turns.distinct(from), types: seen, joined, ...orderedBy(reader.schema, request), page, fields };
}

/** The partners of each source, in order, cut to the page. */
export async function partnersOf(reader: Reader, following: Following): Promise<ReadonlyMap<Uid, readonly Row[]>> {
  const { end } = following;
  return end.store.placement.shape === "field" && !end.near ? await farPartners(reader, following) : await pairedPartners(reader, following);
}

// --- links in the partners' documents

/** Up to this many sources get a query each, so that an index limits the page. */
const sourcesApart = 20;

async function farPartners(reader: Reader, following: Following): Promise<ReadonlyMap<Uid, readonly Row[]>> {
  const found = new Map<Uid, Row[]>();
  for (const sources of slices(following.sources))
    await reader.turns.each(await farRows(reader, following, sources), (row) => keep(found, row, following.end));
  const compare = comparatorOf(reader, following.order);
  for (const [source, rows] of found) {
    if (reader.turns.isDue(rows.length)) await reader.turns.turn();
    found.set(source, await cutRows(reader, rows, following, compare));
  }
  return found;
}

function keep(found: Map<Uid, Row[]>, row: Row, end: EndRuntime): void {
  const source = row.partner(end);
  if (source === undefined) return;
  const rows = found.get(source);
  if (rows === undefined) found.set(source, [row]);
  else rows.push(row);
}

async function farRows(reader: Reader, following: Following, sources: readonly Uid[]): Promise<Row[]> {
  const { schema } = reader;
  const { end, where, joined, order, after, page, fields } = following;
  const matches = typeMatches(reader, following);
  const exact = matches.every(({ match }) => match.exact) && !order.some(({ field }) => schema.fields.get(field)?.converted);
  const names = [...fields, ...order.map((key) => key.field), ...(exact ? [] : namesIn(schema, where))];
  const limit = exact ? wantedOf(page) : undefined;
  const apart = limit !== undefined && sources.length <= sourcesApart;
  const backs = await backsOf(reader, end, sources);
  const documentsOf = (group: readonly Uid[], { type, match }: TypeMatch) => {
    const property = linkPropertyOf(end.store, type);
    const linked = { filter: { [property]: group.length === 1 ? group[0] : { $in: [...group] } }, exact: true };
    const back = backs.get(type);
    const { filter } = conjunction([...(back === undefined ? [] : [{ filter: { _id: { $in: [...back] } }, exact: true }]), linked, match]);
    return {
      type,
      filter: typeof filter === "object" ? filter : { _id: { $in: [] } },
      after: exact ? after : undefined,
      from: exact ? following.from : undefined,
      project: { ...projectionOf(schema, type, names), [property]: 1 },
      backwards: page !== undefined && "last" in page,
    };
  };
  if (apart && order.length > 1 && limit <= mostWanted) {
    const parts = sources.map((source) => ({ wanted: limit, documents: matches.map((each) => documentsOf([source], each)) }));
    return (await topRows(reader, parts, { order })).flat();
  }
  const queries = matches.flatMap((each) => {
    const { type } = each;
    const groups = apart ? sources.map((source) => [source]) : [sources];
    return groups.map((group) => {
      const sorted = { ...documentsOf(group, each), order };
      if (apart || limit === undefined) return { type, stages: sortedStages(schema, { ...sorted, ...(limit !== undefined && { limit }) }) };
      const first = { $group: { _id: `$${linkPropertyOf(end.store, type)}`, rows: { $firstN: { n: limit, input: "$$ROOT" } } } };
      return { type, stages: [...sortedStages(schema, sorted), first, { $unwind: "$rows" }, { $replaceRoot: { newRoot: "$rows" } }] };
    });
  });
  const rows = await readUnion(reader, queries);
  if (exact) return rows;
  const holds = rowMatcher(reader, where, joined);
  const held: Row[] = [];
  await reader.turns.each(rows, (row) => {
    if (holds(row)) held.push(row);
  });
  return held;
}

// --- links in the sources' documents, or in a collection of their own

async function pairedPartners(reader: Reader, following: Following): Promise<ReadonlyMap<Uid, readonly Row[]>> {
  if (following.end.store.placement.shape !== "pairs") return await readPairs(reader, following, undefined);
  const together = await linkedTogether(reader, following);
  if (typeof together === "object") return await readPairs(reader, following, together);
  const pages = await pagesOfLongLists(reader, following, together);
  const sources = following.sources.filter((source) => !pages.has(source));
  return sources.length === 0 ? pages : new Map([...pages, ...(await readPairs(reader, { ...following, sources }, undefined))]);
}

async function readPairs(reader: Reader, following: Following, together: LinkedTogether | undefined): Promise<ReadonlyMap<Uid, readonly Row[]>> {
  const { end, order, after, page, fields } = following;
  const pairs = together === undefined ? await pairsOf(reader, following) : bySource(together.pairs);
  const typesKnown = end.store.placement.shape === "pairs";
  const plain = isPlain(following);
  for (const [source, list] of pairs) {
    if (reader.turns.isDue(list.length)) await reader.turns.turn();
    const sorted = await sortedPairs(reader, list);
    // Only the links decide: the page is cut before any node is read.
    pairs.set(source, plain && typesKnown ? cutPairs(sorted, page) : sorted);
  }
  const areBare = plain && typesKnown && fields.length === 0;
  const byUid = areBare ? await bareRows(reader, pairs) : (together?.rows ?? (await readPartners(reader, following, pairs)));
  const found = new Map<Uid, readonly Row[]>();
  const compare = comparatorOf(reader, order);
  for (const [source, list] of pairs) {
    if (reader.turns.isDue()) await reader.turns.turn();
    const rows: Row[] = [];
    await reader.turns.each(list, ({ partner }) => {
      const row = byUid.get(partner);
      if (row !== undefined) rows.push(row);
    });
    found.set(source, plain && typesKnown ? rows : await cutRows(reader, rows, { order, after, page }, compare));
  }
  return found;
}

async function pairsOf(reader: Reader, following: Following): Promise<Map<Uid, Pair[]>> {
  const { end, sources, types } = following;
  const paged = end.store.placement.shape === "pairs" ? await pagedPairs(reader, following) : undefined;
  if (paged !== undefined) return bySource(paged);
  const pairs = new Map<Uid, Pair[]>();
  await eachPair(reader, end, sources, (pair) => {
    if (pair.type === undefined || types.includes(pair.type)) addPair(pairs, pair);
  });
  return pairs;
}

function bySource(pairs: readonly Pair[]): Map<Uid, Pair[]> {
  const lists = new Map<Uid, Pair[]>();
  for (const pair of pairs) addPair(lists, pair);
  return lists;
}

function addPair(lists: Map<Uid, Pair[]>, pair: Pair): void {
  const known = lists.get(pair.source);
  if (known === undefined) lists.set(pair.source, [pair]);
  else known.push(pair);
}

/** Longer lists are sorted in turns. */
const sortedAtOnce = 512;

/** Ascending by partner. */
async function sortedPairs(reader: Reader, pairs: Pair[]): Promise<Pair[]> {
  const compare = (a: Pair, b: Pair) => a.partner - b.partner;
  return pairs.length <= sortedAtOnce ? pairs.sort(compare) : await run(topInSteps(pairs, { compare, page: wholePage }), reader.turns);
}

const wholePage = { offset: 0, first: undefined };

function cutPairs(pairs: Pair[], page: Page = {}): Pair[] {
  if ("last" in page) return pairs.slice(-page.last);
  const offset = page.offset ?? 0;
  return pairs.slice(offset, page.first === undefined ? undefined : offset + page.first);
}

async function bareRows(reader: Reader, pairs: ReadonlyMap<Uid, readonly Pair[]>): Promise<Map<Uid, Row>> {
  const rows = new Map<Uid, Row>();
  await reader.turns.each(each(pairs), ({ partner, type }) => {
    if (type !== undefined && !rows.has(partner)) rows.set(partner, new Row(reader.schema, type, { _id: partner }));
  });
  return rows;
}

function* each(pairs: ReadonlyMap<Uid, readonly Pair[]>): Iterable<Pair> {
  for (const list of pairs.values()) yield* list;
}

async function readPartners(reader: Reader, following: Following, pairs: ReadonlyMap<Uid, readonly Pair[]>): Promise<Map<Uid, Row>> {
  const partners = new Set<Uid>();
  const known = new Set<TypeName>();
  await reader.turns.each(each(pairs), ({ partner, type }) => {
    partners.add(partner);
    if (type !== undefined) known.add(type);
  });
  const uids = await run(topInSteps([...partners], { compare: (a, b) => a - b, page: wholePage }), reader.turns);
  const { where, joined, order } = following;
  const types = known.size === 0 ? following.types : following.types.filter((type) => known.has(type));
  const fields = [...following.fields, ...order.map((key) => key.field)];
  const rows = new Map<Uid, Row>();
  for (const slice of slices(uids)) {
    const among: Predicate = { kind: "uids", uids: slice };
    const both: Predicate = where.kind === "all" ? among : { kind: "and", of: [among, where] };
    await reader.turns.each(await findRows(reader, { types, where: both, joined, fields }), (row) => void rows.set(row.uid, row));
  }
  return rows;
}
