// Finds rows after semi-joins are evaluated: predicates, orders and pages go to the server as one query; what it cannot decide exactly is
// decided here.

import type { Document } from "mongodb";
import {
  type EndName,
  type FieldName,
  type Linked,
  matcher,
  type NodeView,
  type Order,
  type Page,
  type Place,
  type Predicate,
  rowComparator,
  run,
  type TypeName,
  topInSteps,
} from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import { collectionOf } from "../layout/names.ts";
import { type KeptDocuments, namesFew, namesOne, uidsIn } from "./kept-documents.ts";
import { keptRows } from "./kept-rows.ts";
import { compileMatch, type Match } from "./match.ts";
import type { Reader } from "./reader.ts";
import { namesIn, projectionOf, Row } from "./rows.ts";
import type { SemiJoinResult } from "./semi-join-result.ts";
import { sortedStages, wantedOf } from "./sorted.ts";

export interface RowsRequest {
  readonly types: readonly TypeName[];
  readonly where: Predicate;
  readonly joined: ReadonlyMap<Linked, SemiJoinResult>;
  /** Of `orderedBy`. */
  readonly order?: Order;
  readonly after?: Place | undefined;
  readonly page?: Page;
  readonly fields: readonly (FieldName | EndName)[];
}

interface TypeMatch {
  readonly type: TypeName;
  readonly match: Match;
}

/** In order, cut to the page. */
export async function findRows(reader: Reader, request: RowsRequest): Promise<Row[]> {
  const { schema } = reader;
  const { order = [], after, page } = request;
  const kept = keptNodes(reader, request);
  if (kept !== undefined) return await cutRows(reader, kept, { order, after, page });
  const types = typeMatches(reader, request);
  if (types.length === 0) return [];
  const exact = types.every(({ match }) => match.exact) && !order.some(({ field }) => schema.fields.get(field)?.converted);
  return exact ? await exactRows(reader, types, request) : await checkedRows(reader, types, request);
}

/** The rows of nodes named by uid whose documents are all in memory; undefined: some are not. */
function keptNodes(reader: Reader, { types, where, joined }: RowsRequest): Row[] | undefined {
  if (joined.size > 0) return undefined;
  const uids = uidsIn(where);
  const rows = uids && keptRows(reader, uids, types);
  if (rows === undefined) return undefined;
  const holds = rowMatcher(reader, where, joined);
  const found = [...rows.values()].filter(holds);
  reader.budget?.spend(found.length);
  return found;
}

export function typeMatches(reader: Reader, { types, where, joined }: Pick<RowsRequest, "types" | "where" | "joined">): TypeMatch[] {
  return types
    .filter((type) => reader.schema.allTypes.includes(type))
    .map((type) => ({ type, match: compileMatch(where, type, { schema: reader.schema, joined }) }))
    .filter(({ match }) => match.filter !== false);
}

async function exactRows(reader: Reader, types: readonly TypeMatch[], { where, order = [], after, page, fields }: RowsRequest): Promise<Row[]> {
  const backwards = page !== undefined && "last" in page;
  const alone = types.length === 1;
  const limit = alone && page !== undefined && "first" in page ? page.first : wantedOf(page);
  const skip = alone && page !== undefined && "offset" in page ? page.offset : 0;
  const queries = types.map(({ type, match }) => ({
    type,
    stages: sortedStages(reader.schema, {
      type,
      filter: match.filter === false ? { _id: { $in: [] } } : match.filter,
      order,
      after,
      single: namesOne(where, type, reader.schema),
      backwards,
      project: projectionOf(reader.schema, type, alone ? fields : [...fields, ...order.map((key) => key.field)]),
      ...(skip !== undefined && { skip }),
      ...(limit !== undefined && { limit }),
    }),
  }));
  const isWhole = (alone || page === undefined) && order.length === 0 && namesFew(where, reader.schema);
  const rows = isWhole && reader.documents?.keeps ? await wholeRows(reader, queries, reader.documents) : await readUnion(reader, queries);
  if (alone) return backwards ? rows.reverse() : rows;
  return await cutRows(reader, rows, { order, page });
}

export interface TypeQuery {
  readonly type: TypeName;
  readonly stages: readonly Document[];
}

/** The rows of several types in one round trip, type after type. */
export async function readUnion(reader: Reader, queries: readonly TypeQuery[]): Promise<Row[]> {
  const [first, ...others] = queries;
  if (first === undefined) return [];
  const rows: Row[] = [];
  if (others.length === 0) {
    await reader.each(collectionOf(first.type), first.stages, (doc) => void rows.push(new Row(reader.schema, first.type, doc)));
    return rows;
  }
  const mark = (i: number) => ({ $set: { _type: { $literal: i } } });
  const union = others.map(({ type, stages }, i) => ({ $unionWith: { coll: collectionOf(type), pipeline: [...stages, mark(i + 1)] } }));
  await reader.each(collectionOf(first.type), [...first.stages, mark(0), ...union], (doc) => {
    const type = queries[Number(doc._type)]?.type;
    if (type !== undefined) rows.push(new Row(reader.schema, type, doc));
  });
  return rows;
}

/** The same for few rows in a transaction, without the projection, which is the last stage; keeps the documents. */
export async function wholeRows(reader: Reader, queries: readonly TypeQuery[], documents: KeptDocuments): Promise<Row[]> {
  const rows = queries.map((): Row[] => []);
  await Promise.all(
    queries.map(({ type, stages }, i) => {
      const visit = (doc: Doc) => {
        documents.keep(type, doc);
        rows[i]?.push(new Row(reader.schema, type, doc));
      };
      return reader.each(collectionOf(type), stages.slice(0, -1), visit, { few: true });
    }),
  );
  return rows.flat();
}

export interface RowsCut {
  readonly order: Order;
  readonly after?: Place | undefined;
  readonly page: Page | undefined;
}

/** The page of rows in any order. */
export async function cutRows(reader: Reader, rows: readonly Row[], cut: RowsCut, compare = comparatorOf(reader, cut.order)): Promise<Row[]> {
  const { after, page = {} } = cut;
  const { offset = 0, first = undefined } = "last" in page ? {} : page;
  const passes = after && isBehind(reader, { ...cut, after });
  const sorted = await run(topInSteps(rows, { passes, compare, page: { offset, first } }), reader.turns);
  return "last" in page ? sorted.slice(Math.max(0, sorted.length - page.last)) : sorted;
}

function isBehind(reader: Reader, { order, after }: { readonly order: Order; readonly after: Place }): (row: Row) => boolean {
  const compare = rowComparator(order, (key) => reader.schema.fields.get(key.field)?.kind ?? "string");
  return (row) => compare({ uid: row.uid, keys: order.map((key) => row.value(key.field)) }, after) > 0;
}

export function comparatorOf(reader: Reader, order: Order): (a: Row, b: Row) => number {
  if (order.length === 0) return (a, b) => a.uid - b.uid;
  const compare = rowComparator(order, (key) => reader.schema.fields.get(key.field)?.kind ?? "string");
  const keys = new Map<Row, ReturnType<Row["value"]>[]>();
  const keyed = (row: Row) => {
    let values = keys.get(row);
    if (values === undefined) {
      values = order.map((key) => row.value(key.field));
      keys.set(row, values);
    }
    return { uid: row.uid, keys: values };
  };
  return (a, b) => compare(keyed(a), keyed(b));
}

/** Tests each candidate of the weaker filter; ends early when a page by uid is full. */
async function checkedRows(
  reader: Reader,
  types: readonly TypeMatch[],
  { where, joined, order = [], after, page, fields }: RowsRequest,
): Promise<Row[]> {
  const { schema } = reader;
  const holds = rowMatcher(reader, where, joined);
  const backwards = page !== undefined && "last" in page;
  const enough = order.length === 0 ? wantedOf(page) : undefined;
  const found: Row[] = [];
  await Promise.all(
    types.map(async ({ type, match }) => {
      let count = 0;
      const stages = sortedStages(schema, {
        type,
        filter: match.filter === false ? { _id: { $in: [] } } : match.filter,
        order: [],
        backwards,
        project: projectionOf(schema, type, [...fields, ...order.map((key) => key.field), ...namesIn(schema, where)]),
      });
      const visit = (doc: Doc) => {
        const row = new Row(schema, type, doc);
        if (!holds(row)) return true;
        found.push(row);
        return ++count !== enough;
      };
      await reader.each(collectionOf(type), stages, visit, { streamed: true });
    }),
  );
  return await cutRows(reader, found, { order, after, page });
}

/** Evaluates `where` on rows that hold the fields it needs. */
export function rowMatcher(reader: Reader, where: Predicate, joined: ReadonlyMap<Linked, SemiJoinResult>): (row: Row) => boolean {
  const { schema } = reader;
  const sets = new Map([...joined].map(([linked, found]) => [linked, setOf(found)]));
  return matcher(where, {
    kindOf: (name) => schema.fields.get(name)?.kind ?? "string",
    index: (name) => schema.layout.indexes.find((each) => each.name === name),
    linked: (node: NodeView, linked) => {
      const end = schema.ends.get(linked.end);
      const found = joined.get(linked);
      if (end === undefined || found === undefined || !end.types.has(node.type)) return false;
      if (found.by === "uid") return sets.get(linked)?.has(node.uid) ?? false;
      const partner = node instanceof Row ? node.partner(end) : undefined;
      return partner !== undefined && (found.partners === "any" || (sets.get(linked)?.has(partner) ?? false));
    },
  });
}

function setOf(found: SemiJoinResult): ReadonlySet<number> {
  const uids = found.by === "uid" ? found.uids : found.partners;
  return new Set(uids === "any" ? [] : uids);
}
