// Finds rows after semi-joins are evaluated: predicates, orders and pages go to the server as one query; what it cannot decide exactly is
// decided here.

import {
  type EndName,
  type FieldName,
  matcher,
  type NodeView,
  type Order,
  type Page,
  type Place,
  type Predicate,
  type TypeName,
} from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import { collectionOf } from "../layout/names.ts";
import { type KeptDocuments, namesFew, namesOne, uidsIn } from "./kept-documents.ts";
import { keptRows } from "./kept-rows.ts";
import { compileMatch, type Match } from "./match.ts";
import type { Probes } from "./probes.ts";
import type { Reader } from "./reader.ts";
import { cutRows } from "./row-order.ts";
import { readUnion, type TypeQuery } from "./row-queries.ts";
import { namesIn, projectionOf, Row } from "./rows.ts";
import type { Joined, SemiJoinResult } from "./semi-join-result.ts";
import { type Sorted, sortedStages, wantedOf } from "./sorted.ts";
import { mostWanted, topRows } from "./top-rows.ts";

export interface RowsRequest {
  readonly types: readonly TypeName[];
  readonly where: Predicate;
  readonly joined: Joined;
  /** Of `orderedBy`. */
  readonly order?: Order;
  readonly after?: Place | undefined;
  readonly from?: Place | undefined;
  /** Conditions beside `where`. */
  readonly probes?: Probes;
  readonly page?: Page;
  readonly fields: readonly (FieldName | EndName)[];
}

export interface TypeMatch {
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
function keptNodes(reader: Reader, { types, where, joined, probes }: RowsRequest): Row[] | undefined {
  if (joined.size > 0 || probes !== undefined) return undefined;
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

async function exactRows(reader: Reader, types: readonly TypeMatch[], request: RowsRequest): Promise<Row[]> {
  const { where, order = [], after, probes, page } = request;
  const backwards = page !== undefined && "last" in page;
  const alone = types.length === 1;
  const wanted = wantedOf(page);
  const isPlain = alone && probes === undefined;
  const names = isPlain && order.length <= 1 ? request.fields : [...request.fields, ...order.map((key) => key.field)];
  const documents = types.map((each) => ({ ...sortedOf(reader, each, request, names), backwards, after }));
  if (order.length > 1 && wanted !== undefined && wanted <= mostWanted) {
    const [rows = []] = await topRows(reader, [{ documents, wanted }], { order, probes });
    return await cutRows(reader, rows, { order, page });
  }
  // The database leaves out what comes before the page, unless a mark may be among it.
  const cut = isPlain && page !== undefined && !("last" in page) ? { limit: page.first, skip: page.offset } : { limit: wanted };
  const queries = documents.map((sorted) => ({
    type: sorted.type,
    stages: sortedStages(reader.schema, { ...sorted, ...cut, order, single: namesOne(where, sorted.type, reader.schema) }),
  }));
  const isWhole = (alone || page === undefined) && order.length === 0 && namesFew(where, reader.schema);
  const read = isWhole && reader.documents?.keeps ? await wholeRows(reader, queries, reader.documents) : await readUnion(reader, queries);
  if (isPlain) return backwards ? read.reverse() : read;
  return await cutRows(reader, probes?.rowsOf(read) ?? read, { order, page });
}

function sortedOf(
  { schema }: Reader,
  { type, match }: TypeMatch,
  { from, probes }: RowsRequest,
  names: readonly (FieldName | EndName)[],
): Omit<Sorted, "order"> {
  const filter = match.filter === false ? { _id: { $in: [] } } : match.filter;
  return { type, filter, from, probe: probes?.of(type), project: projectionOf(schema, type, names) };
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

/** Candidates that are read at first, beside three for each node that is wanted. */
const fewCandidates = 20;
const none = { _id: { $in: [] } };

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
  const names = [...fields, ...order.map((key) => key.field), ...namesIn(schema, where)];
  const found: Row[] = [];
  await Promise.all(
    types.map(async ({ type, match: { filter } }) => {
      let count = 0;
      const visit = (row: Row) => {
        if (!holds(row)) return true;
        found.push(row);
        return ++count !== enough;
      };
      const sorted = { type, filter: filter === false ? none : filter, order: [], backwards, project: projectionOf(schema, type, names) };
      await eachCandidate(reader, sorted, { enough, visit });
    }),
  );
  return await cutRows(reader, found, { order, after, page });
}

interface Candidates {
  /** So many fill the page. */
  readonly enough: number | undefined;
  /** False: it is full. */
  readonly visit: (row: Row) => boolean;
}

/** Reads few documents first where few are wanted: the database sends them by the thousand. */
async function eachCandidate(reader: Reader, sorted: Sorted, { enough, visit }: Candidates): Promise<void> {
  const { type, backwards } = sorted;
  const streamed = (from: Sorted) =>
    reader.each(collectionOf(type), sortedStages(reader.schema, from), (doc) => visit(new Row(reader.schema, type, doc)), { streamed: true });
  const few = enough === undefined || enough > mostWanted ? undefined : fewCandidates + 3 * enough;
  if (few === undefined) return await streamed(sorted);
  const rows = await readUnion(reader, [{ type, stages: sortedStages(reader.schema, { ...sorted, limit: few }) }]);
  for (const row of rows) {
    if (!visit(row)) return;
    if (reader.turns.isDue()) await reader.turns.turn();
  }
  const last = rows[few - 1];
  if (last === undefined) return;
  const beyond = { _id: backwards ? { $lt: last.uid } : { $gt: last.uid } };
  await streamed({ ...sorted, filter: sorted.filter === true ? beyond : { $and: [beyond, sorted.filter] } });
}

/** Evaluates `where` on rows that hold the fields it needs. */
export function rowMatcher(reader: Reader, where: Predicate, joined: Joined): (row: Row) => boolean {
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
      if (found.by !== "partner") return false;
      const partner = node instanceof Row ? node.partner(end) : undefined;
      return partner !== undefined && (found.partners === "any" || (sets.get(linked)?.has(partner) ?? false));
    },
  });
}

function setOf(found: SemiJoinResult): ReadonlySet<number> {
  if (found.by === "uid") return new Set(found.uids);
  return new Set(found.by === "partner" && found.partners !== "any" ? found.partners : []);
}
