// The links of nodes in a collection of their own, and the documents at the other end, in one query. `$lookup` finds all documents by one list of uids: for one
// parent it takes half the time of two queries, for a hundred with three links each two thirds. Applied to each link it takes four times as long as two.

import type { Document } from "mongodb";
import { QuernError, type TypeName, type Uid } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import { collectionOf } from "../layout/names.ts";
import type { Following } from "./following.ts";
import { isPlain, shortList } from "./long-lists.ts";
import { compileMatch } from "./match.ts";
import type { Reader } from "./reader.ts";
import { type Pair, projectionOf, Row, sidesOf } from "./rows.ts";
import { wantedOf } from "./sorted.ts";

/** The links and the nodes they lead to, where the condition holds. */
export interface LinkedTogether {
  readonly pairs: readonly Pair[];
  readonly rows: ReadonlyMap<Uid, Row>;
}

/** More nodes have so many links that two queries are as good. */
const mostSources = 1_000;
/** More links do not fit into a document, or take a turn too long to read. */
const mostPairs = 2_000;

/** Undefined: two queries are better, or the answer is too large. `long`: there are too many links. */
export async function linkedTogether(reader: Reader, following: Following): Promise<LinkedTogether | "long" | undefined> {
  const query = queryOf(reader, following);
  if (query === undefined) return undefined;
  const pairs: Pair[] = [];
  const rows = new Map<Uid, Row>();
  const take = ({ own, other, nodes }: Doc) => {
    for (const [i, source] of own.entries()) pairs.push({ source: Number(source), partner: Number(other[i]), type: query.type });
    for (const doc of nodes) rows.set(Number(doc._id), new Row(reader.schema, query.type, doc));
    reader.budget?.spend(pairs.length + rows.size);
  };
  try {
    await reader.each(query.collection, query.pipeline, take);
  } catch (thrown) {
    if (isTooLarge(thrown)) return undefined;
    throw thrown;
  }
  return pairs.length > query.most ? "long" : { pairs, rows };
}

function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof QuernError && thrown.code === "TOO_LARGE";
}

interface LinkedQuery {
  readonly type: TypeName;
  readonly collection: string;
  /** Of more links no nodes are read. */
  readonly most: number;
  readonly pipeline: readonly Document[];
}

function queryOf({ schema, documents }: Reader, { end, sources, types, where, joined, order, page, fields }: Following): LinkedQuery | undefined {
  const { placement } = end.store;
  const [type, ...others] = types;
  // What a transaction has read or written is in memory. A router would ask for each node apart.
  if (
    documents !== undefined ||
    schema.sharded ||
    placement.shape !== "pairs" ||
    type === undefined ||
    others.length > 0 ||
    sources.length > mostSources
  )
    return undefined;
  const { filter, exact } = compileMatch(where, type, { schema, joined });
  if (!exact || filter === false) return undefined;
  const plain = isPlain({ where, order });
  if (plain && fields.length === 0) return undefined;
  // The links decide the page. Of several nodes it is cut before the nodes are read.
  const isPaged = plain && page !== undefined;
  if (isPaged && (sources.length > 1 || "last" in page)) return undefined;
  const wanted = isPaged ? wantedOf(page) : undefined;
  const most = !plain && wantedOf(page) !== undefined ? Math.min(mostPairs, shortList * sources.length) : mostPairs;
  const [own, other] = sidesOf(end);
  const links = { [own]: { $in: [...sources] }, [`${own}Type`]: { $in: [...end.types] }, [`${other}Type`]: type };
  const names = [...fields, ...order.map((key) => key.field)];
  const ofNodes = [...(filter === true ? [] : [{ $match: filter }]), { $project: projectionOf(schema, type, names) }];
  const pipeline = [
    { $match: links },
    ...(wanted === undefined ? [] : [{ $sort: { [own]: 1, [other]: 1 } }]),
    { $limit: Math.min(wanted ?? Number.POSITIVE_INFINITY, most + 1) },
    { $group: { _id: null, own: { $push: `$${own}` }, other: { $push: `$${other}` } } },
    { $set: { wanted: { $cond: [{ $gt: [{ $size: "$other" }, most] }, [], "$other"] } } },
    { $lookup: { from: collectionOf(type), localField: "wanted", foreignField: "_id", pipeline: ofNodes, as: "nodes" } },
    { $project: { _id: 0, own: 1, other: 1, nodes: 1 } },
  ];
  return { type, collection: placement.collection, most, pipeline };
}
