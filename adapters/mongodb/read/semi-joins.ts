// Evaluates semi-joins before the read that contains them. One round trip each, inner ones first.

import type { Document } from "mongodb";
import { type Linked, type Predicate, run, type TypeName, topInSteps, type Uid } from "../../../core/storage.ts";
import { type EndRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { findRows } from "./find-rows.ts";
import { compileMatch, conjunction, type Match } from "./match.ts";
import type { Reader } from "./reader.ts";
import { sidesOf } from "./rows.ts";
import type { SemiJoinResult } from "./semi-join-result.ts";
import { slices } from "./slices.ts";

/** All semi-joins inside `predicate`, nested ones included. */
export async function joinAll(reader: Reader, predicate: Predicate | undefined): Promise<ReadonlyMap<Linked, SemiJoinResult>> {
  const joined = new Map<Linked, SemiJoinResult>();
  if (predicate !== undefined) await joinInside(reader, predicate, joined);
  return joined;
}

async function joinInside(reader: Reader, predicate: Predicate, joined: Map<Linked, SemiJoinResult>): Promise<void> {
  switch (predicate.kind) {
    case "and":
    case "or":
      await Promise.all(predicate.of.map((each) => joinInside(reader, each, joined)));
      return;
    case "not":
      await joinInside(reader, predicate.of, joined);
      return;
    case "linked":
      await joinInside(reader, predicate.where, joined);
      joined.set(predicate, await join(reader, predicate, joined));
      return;
    default:
  }
}

async function join(reader: Reader, linked: Linked, joined: ReadonlyMap<Linked, SemiJoinResult>): Promise<SemiJoinResult> {
  const end = reader.schema.ends.get(linked.end);
  if (end === undefined || linked.where.kind === "none") return { by: "uid", uids: [] };
  if (end.near) {
    if (linked.atLeast > 1) return { by: "uid", uids: [] };
    if (linked.where.kind === "all") return { by: "partner", partners: "any" };
    return { by: "partner", partners: await uidsOf(reader, [...end.partners], linked.where, joined) };
  }
  if (end.store.placement.shape === "pairs") return { by: "uid", uids: await fromPairs(reader, end, linked, joined) };
  return { by: "uid", uids: await fromFar(reader, end, linked, joined) };
}

/** Ascending. */
async function uidsOf(reader: Reader, types: readonly TypeName[], where: Predicate, joined: ReadonlyMap<Linked, SemiJoinResult>): Promise<Uid[]> {
  return await reader.turns.map(await findRows(reader, { types, where, joined, fields: [] }), (row) => row.uid);
}

/** For links in the partners' documents: counts matching partners by the node that they lead to. */
async function fromFar(reader: Reader, end: EndRuntime, linked: Linked, joined: ReadonlyMap<Linked, SemiJoinResult>): Promise<Uid[]> {
  const partners = [...end.partners];
  const matches = partners.map((type) => compileMatch(linked.where, type, { schema: reader.schema, joined }));
  if (!matches.every((match) => match.exact)) {
    const uids = await uidsOf(reader, partners, linked.where, joined);
    const counts = new Map<Uid, number>();
    await Promise.all(
      partners.map(async (type) => {
        const property = linkPropertyOf(end.store, type);
        for (const slice of slices(uids))
          await reader.each(
            collectionOf(type),
            [{ $match: { _id: { $in: slice }, [property]: { $exists: true } } }, { $project: { [property]: 1 } }],
            (doc) => {
              const source = Number(doc[property]);
              counts.set(source, (counts.get(source) ?? 0) + 1);
            },
          );
      }),
    );
    return await enough(reader, counts, linked.atLeast);
  }
  const counts = new Map<Uid, number>();
  const grouped = partners.map((type, i) => groupedBy(linkPropertyOf(end.store, type), matches[i] ?? { filter: false, exact: true }));
  await Promise.all(
    partners.map(async (type, i) => {
      const pipeline = grouped[i];
      if (pipeline === undefined) return;
      await reader.each(collectionOf(type), pipeline, (doc) => counts.set(Number(doc._id), (counts.get(Number(doc._id)) ?? 0) + Number(doc.n)));
    }),
  );
  return await enough(reader, counts, linked.atLeast);
}

function groupedBy(property: string, match: Match): Document[] | undefined {
  const { filter } = conjunction([{ filter: { [property]: { $exists: true } }, exact: true }, match]);
  return filter === false ? undefined : [{ $match: filter }, { $group: { _id: `$${property}`, n: { $sum: 1 } } }];
}

async function fromPairs(reader: Reader, end: EndRuntime, linked: Linked, joined: ReadonlyMap<Linked, SemiJoinResult>): Promise<Uid[]> {
  const { placement } = end.store;
  if (placement.shape !== "pairs") return [];
  const [own, other] = sidesOf(end);
  const types = { [`${own}Type`]: { $in: [...end.types] }, [`${other}Type`]: { $in: [...end.partners] } };
  const counts = new Map<Uid, number>();
  const count = (filter: Document) =>
    reader.each(placement.collection, [{ $match: filter }, { $group: { _id: `$${own}`, n: { $sum: 1 } } }], (doc) =>
      counts.set(Number(doc._id), (counts.get(Number(doc._id)) ?? 0) + Number(doc.n)),
    );
  if (linked.where.kind === "all") await count(types);
  else for (const slice of slices(await uidsOf(reader, [...end.partners], linked.where, joined))) await count({ [other]: { $in: slice }, ...types });
  return await enough(reader, counts, linked.atLeast);
}

/** Ascending. */
async function enough({ turns }: Reader, counts: ReadonlyMap<Uid, number>, atLeast: number): Promise<Uid[]> {
  const uids: Uid[] = [];
  await turns.each(counts, ([uid, count]) => {
    if (count >= atLeast) uids.push(uid);
  });
  return await run(topInSteps(uids, { compare: (a, b) => a - b, page: { offset: 0, first: undefined } }), turns);
}
