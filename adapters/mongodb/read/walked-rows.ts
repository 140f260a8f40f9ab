// The first nodes that have a link, in the order of uids. The index of the links names nodes in that order, so that a page reads as many links as it needs.

import type { Document } from "mongodb";
import type { Linked, Predicate, Uid } from "../../../core/storage.ts";
import { type EndRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { findRows, type RowsRequest } from "./find-rows.ts";
import type { Reader } from "./reader.ts";
import { type Row, sidesOf, sideTypes } from "./rows.ts";
import { fewToTry } from "./tried-rows.ts";

export interface Walking {
  /** Nodes of the page, and before it. */
  readonly wanted: number;
  /** Links to read, about. */
  readonly most: number;
}

/** Whether the page has the order of uids and no condition but a link. */
export function canWalk(reader: Reader, { where, order = [] }: Omit<RowsRequest, "joined">): boolean {
  return order.length === 0 && walkOf(reader, where) !== undefined;
}

/** Undefined: so many links do not fill the page. They lead from nodes of other types, or from few. */
export async function walkedRows(
  reader: Reader,
  request: Omit<RowsRequest, "joined">,
  { wanted, most: mostWalked }: Walking,
): Promise<Row[] | undefined> {
  const { where, page } = request;
  const walk = walkOf(reader, where);
  if (walk === undefined || page === undefined || "last" in page) return undefined;
  const rows: Row[] = [];
  let { after } = walk;
  for (let most = fewToTry(wanted), read = 0; read < mostWalked; most *= 4) {
    const found = await sourcesAfter(reader, walk.end, { after, most });
    const among: Predicate = { kind: "uids", uids: found.uids };
    const joined = new Map([[walk.linked, { by: "uid", uids: found.uids } as const]]);
    const left = { offset: 0, first: wanted - rows.length };
    rows.push(...(await findRows(reader, { ...request, where: { kind: "and", of: [among, where] }, joined, page: left })));
    if (rows.length >= wanted || found.end === undefined) return rows.slice(page.offset ?? 0);
    after = found.end;
    read += most;
  }
  return undefined;
}

interface Walk {
  readonly linked: Linked;
  readonly end: EndRuntime;
  readonly after: Uid;
}

/** Of a condition that demands a link, and else only a place. */
function walkOf({ schema }: Reader, where: Predicate): Walk | undefined {
  const parts = where.kind === "and" ? where.of : [where];
  const [linked, ...others] = parts.filter((part) => part.kind === "linked");
  if (linked?.kind !== "linked" || others.length > 0 || linked.where.kind !== "all" || linked.atLeast > 1) return undefined;
  const end = schema.ends.get(linked.end);
  if (end === undefined || end.near || !parts.every(({ kind }) => kind === "linked" || kind === "after" || kind === "type")) return undefined;
  return { linked, end, after: Math.max(0, ...parts.map((part) => (part.kind === "after" ? part.uid : 0))) };
}

interface Part {
  readonly after: Uid;
  /** Links to read. */
  readonly most: number;
}

/** Nodes that have a link, ascending. `end`: there may be more after this one. */
interface Sources {
  readonly uids: readonly Uid[];
  readonly end: Uid | undefined;
}

async function sourcesAfter(reader: Reader, end: EndRuntime, { after, most }: Part): Promise<Sources> {
  const lists = await Promise.all(placesOf(end).map((place) => readSources(reader, place, { after, most })));
  const ends = lists.flatMap((list) => list.end ?? []);
  const last = ends.length === 0 ? undefined : Math.min(...ends);
  const uids = new Set(lists.flatMap((list) => list.uids));
  return { uids: [...uids].filter((uid) => last === undefined || uid <= last).sort((a, b) => a - b), end: last };
}

/** Where an index names the nodes that have an end. */
interface Place {
  readonly collection: string;
  readonly property: string;
  /** What links of this end have, where there are others. */
  readonly types: Readonly<Record<string, ReadonlySet<string>>>;
}

function placesOf(end: EndRuntime): readonly Place[] {
  const { placement } = end.store;
  if (placement.shape === "pairs") return [{ collection: placement.collection, property: sidesOf(end)[0], types: sideTypes(end) }];
  return [...end.partners].map((type) => ({ collection: collectionOf(type), property: linkPropertyOf(end.store, type), types: {} }));
}

async function readSources(reader: Reader, { collection, property, types }: Place, { after, most }: Part): Promise<Sources> {
  const project: Document = { _id: 0, [property]: 1 };
  for (const name of Object.keys(types)) project[name] = 1;
  const stages = [{ $match: { [property]: { $gt: after } } }, { $sort: { [property]: 1 } }, { $limit: most }, { $project: project }];
  const uids = new Set<Uid>();
  let read = 0;
  let last = after;
  await reader.each(collection, stages, (doc) => {
    read++;
    last = Number(doc[property]);
    if (Object.entries(types).every(([name, names]) => names.has(String(doc[name])))) uids.add(last);
  });
  return { uids: [...uids], end: read < most ? undefined : last };
}
