// Pages of lists whose links have a collection of their own. Where links alone decide, their index has the page. Else, of a long list, the nodes are tried one
// after the other in the order that is asked for; a short list is read whole.

import type { Document } from "mongodb";
import type { Page, TypeName, Uid } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import type { Following } from "./following.ts";
import type { Reader } from "./reader.ts";
import { type Pair, type Row, sidesOf } from "./rows.ts";
import { wantedOf } from "./sorted.ts";
import { mostWanted } from "./top-rows.ts";
import { fewToTry, mostTried, triedRows } from "./tried-rows.ts";

/** Up to this many sources get a query each. */
const sourcesApart = 20;
/** To read so many links and their nodes takes as long as to try the nodes of a page. */
export const shortList = 500;
/** To read so many takes as long as to try many nodes. */
const middleList = 20_000;

/** Whether the links alone decide which nodes are on the page. */
export function isPlain({ where, order }: Pick<Following, "where" | "order">): boolean {
  return where.kind === "all" && order.length === 0;
}

/** The links of the page of each source, in no order. Undefined: nodes decide, no page is asked for, or it is of too many sources. */
export async function pagedPairs(reader: Reader, following: Following): Promise<readonly Pair[] | undefined> {
  const { end, sources, page } = following;
  const wanted = wantedOf(page);
  if (!isPlain(following) || wanted === undefined || sources.length > sourcesApart) return undefined;
  const [own, other] = sidesOf(end);
  const cut = [
    { $sort: { [other]: backwards(page) ? -1 : 1 } },
    { $limit: wanted },
    { $project: { _id: 0, [own]: 1, [other]: 1, [`${other}Type`]: 1 } },
  ];
  const [first = [], ...others] = sources.map((source) => [{ $match: linksOf(following, [source]) }, ...cut]);
  const collection = collectionOfLinks(end);
  const pairs: Pair[] = [];
  await reader.each(collection, [...first, ...others.map((pipeline) => ({ $unionWith: { coll: collection, pipeline } }))], (doc) => {
    pairs.push({ source: Number(doc[own]), partner: Number(doc[other]), type: String(doc[`${other}Type`]) });
  });
  return pairs;
}

function backwards(page: Page | undefined): boolean {
  return page !== undefined && "last" in page;
}

function linksOf({ end, types }: Pick<Following, "end" | "types">, sources: readonly Uid[]): Document {
  const [own, other] = sidesOf(end);
  return { [own]: { $in: [...sources] }, [`${own}Type`]: { $in: [...end.types] }, [`${other}Type`]: { $in: [...types] } };
}

function collectionOfLinks({ store: { placement } }: EndRuntime): string {
  return placement.shape === "pairs" ? placement.collection : "";
}

/** The pages of sources whose lists are long, where trying nodes fills them. @param known of the links of all sources */
export async function pagesOfLongLists(reader: Reader, following: Following, known: "long" | undefined): Promise<Map<Uid, readonly Row[]>> {
  const pages = new Map<Uid, readonly Row[]>();
  const { sources, page } = following;
  const wanted = backwards(page) ? undefined : wantedOf(page);
  if (isPlain(following) || wanted === undefined || wanted > mostWanted || sources.length > sourcesApart) return pages;
  const one = known === "long" && sources.length === 1;
  if (!one && !(await hasMore(reader, following, sources, shortList * sources.length))) return pages;
  await Promise.all(
    sources.map(async (source) => {
      if (sources.length > 1 && !(await hasMore(reader, following, [source], shortList))) return;
      const rows = await triedPage(reader, following, source, wanted);
      if (rows !== undefined) pages.set(source, rows);
    }),
  );
  return pages;
}

/** Whether nodes have more links. Links to nodes of other types do not count. */
async function hasMore(reader: Reader, following: Following, sources: readonly Uid[], most: number): Promise<boolean> {
  let found = 0;
  const count = [{ $match: linksOf(following, sources) }, { $limit: most + 1 }, { $group: { _id: null, n: { $sum: 1 } } }];
  await reader.each(collectionOfLinks(following.end), count, ({ n }) => {
    found = Number(n);
  });
  return found > most;
}

/** Undefined: the nodes that were tried do not fill it. */
async function triedPage(reader: Reader, following: Following, source: Uid, wanted: number): Promise<Row[] | undefined> {
  const { types, where, order, after, from, page = {}, fields } = following;
  const request = { types, where, order, after, from, page, fields };
  const first = (type: TypeName) => linkedStages(following.end, source, type);
  const few = await triedRows(reader, request, { most: fewToTry(wanted), first });
  if (few !== undefined || !(await hasMore(reader, following, [source], middleList))) return few;
  return await triedRows(reader, request, { most: mostTried, first });
}

const linkProperty = "_link";

/** Drops the documents of a type to which no link of the source leads. */
function linkedStages(end: EndRuntime, source: Uid, type: TypeName): readonly Document[] {
  const [own, other] = sidesOf(end);
  const of = { [own]: source, [`${own}Type`]: { $in: [...end.types] }, [`${other}Type`]: type };
  const pipeline = [{ $match: of }, { $limit: 1 }, { $project: { _id: 1 } }];
  return [
    { $lookup: { from: collectionOfLinks(end), localField: "_id", foreignField: other, pipeline, as: linkProperty } },
    { $match: { [`${linkProperty}.0`]: { $exists: true } } },
    { $unset: linkProperty },
  ];
}
