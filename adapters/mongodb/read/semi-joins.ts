// Evaluates semi-joins, and comparisons with keys that have a collection of their own, before the read that contains them. One round trip each, inner ones
// first.

import type { Document } from "mongodb";
import { type And, type Compare, type Linked, type Predicate, run, type TypeName, topInSteps, type Uid } from "../../../core/storage.ts";
import { type EndRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { findRows, type TypeMatch, typeMatches } from "./find-rows.ts";
import { compileMatch, conjunction, type Match } from "./match.ts";
import { type AskedKey, askedKey, readKey } from "./own-keys.ts";
import type { Reader } from "./reader.ts";
import { readUnion } from "./row-queries.ts";
import { sidesOf, sideTypes } from "./rows.ts";
import type { Joined, SemiJoinResult } from "./semi-join-result.ts";
import { slices } from "./slices.ts";

/** All of them inside `predicate`, nested ones included. */
export async function joinAll(reader: Reader, predicate: Predicate | undefined): Promise<Joined> {
  return await new Joins(reader).all(predicate);
}

/** The same, as long as no step of it finds more than `most` nodes or links. Undefined: one does. */
export async function joinFew(reader: Reader, predicate: Predicate, most: number): Promise<Joined | undefined> {
  const joins = new Joins(reader, { most });
  const joined = await joins.all(predicate);
  return joins.areTooMany ? undefined : joined;
}

/** Only what keys with a collection of their own find. */
export async function joinKeys(reader: Reader, predicate: Predicate): Promise<Joined> {
  return await new Joins(reader, { onlyKeys: true }).all(predicate);
}

interface JoinOptions {
  readonly most?: number;
  readonly onlyKeys?: boolean;
}

class Joins {
  readonly #reader: Reader;
  readonly #most: number | undefined;
  readonly #onlyKeys: boolean;
  readonly #joined = new Map<Predicate, SemiJoinResult>();
  areTooMany = false;

  constructor(reader: Reader, { most, onlyKeys = false }: JoinOptions = {}) {
    this.#reader = reader;
    this.#most = most;
    this.#onlyKeys = onlyKeys;
  }

  async all(predicate: Predicate | undefined): Promise<Joined> {
    if (predicate !== undefined) await this.#inside(predicate);
    return this.#joined;
  }

  async #inside(predicate: Predicate): Promise<void> {
    switch (predicate.kind) {
      case "and": {
        // Beside uids nothing else need be looked up.
        const isNamed = predicate.of.some((each) => each.kind === "uids");
        const parts = predicate.of.filter((each) => !isNamed || each.kind !== "compare");
        const asked = isNamed ? undefined : this.#asked(predicate);
        await Promise.all([...parts.map((each) => this.#inside(each)), ...(asked === undefined ? [] : [this.#read(predicate, asked)])]);
        // A key within a link: by now it is known where the link leads.
        if (!isNamed && asked === undefined) await this.#byKey(predicate);
        return;
      }
      case "or":
        await Promise.all(predicate.of.map((each) => this.#inside(each)));
        return;
      case "not":
        await this.#inside(predicate.of);
        return;
      case "compare":
        await this.#byKey(predicate);
        return;
      case "linked":
        await this.#inside(predicate.where);
        if (!this.areTooMany && !this.#onlyKeys) this.#joined.set(predicate, await this.#join(predicate));
        return;
      default:
    }
  }

  async #byKey(predicate: Compare | And): Promise<void> {
    const asked = this.#asked(predicate);
    if (asked !== undefined) await this.#read(predicate, asked);
  }

  #asked(predicate: Compare | And): AskedKey | undefined {
    return askedKey(predicate, { schema: this.#reader.schema, joined: this.#joined });
  }

  async #read(predicate: Compare | And, asked: AskedKey): Promise<void> {
    this.#joined.set(predicate, await readKey(this.#reader, asked));
  }

  async #join(linked: Linked): Promise<SemiJoinResult> {
    const end = this.#reader.schema.ends.get(linked.end);
    if (end === undefined || linked.where.kind === "none") return { by: "uid", uids: [] };
    if (end.near) {
      if (linked.atLeast > 1) return { by: "uid", uids: [] };
      if (linked.where.kind === "all") return { by: "partner", partners: "any" };
      return { by: "partner", partners: await this.#uidsOf([...end.partners], linked.where) };
    }
    if (end.store.placement.shape === "pairs") return { by: "uid", uids: await this.#fromPairs(end, linked) };
    return { by: "uid", uids: await this.#fromFar(end, linked) };
  }

  /** Ascending; where they are too many, some of them. */
  async #uidsOf(types: readonly TypeName[], where: Predicate): Promise<readonly Uid[]> {
    const reader = this.#reader;
    const request = { types, where, joined: this.#joined };
    const few = this.#most === undefined ? undefined : await fewUids(reader, typeMatches(reader, request), this.#most + 1);
    if (few === undefined) return await reader.turns.map(await findRows(reader, { ...request, fields: [] }), (row) => row.uid);
    this.#note(few.length);
    return few;
  }

  #note(found: number): void {
    if (this.#most !== undefined && found > this.#most) this.areTooMany = true;
  }

  /** For links in the partners' documents: counts matching partners by the node that they lead to. */
  async #fromFar(end: EndRuntime, linked: Linked): Promise<Uid[]> {
    const reader = this.#reader;
    const partners = [...end.partners];
    const matches = partners.map((type) => compileMatch(linked.where, type, { schema: reader.schema, joined: this.#joined }));
    const counts = new Counts();
    if (matches.every((match) => match.exact)) {
      await Promise.all(
        partners.map(async (type, i) => {
          const property = linkPropertyOf(end.store, type);
          const filter = linkedFilter(property, matches[i] ?? { filter: false, exact: true });
          if (filter !== undefined) await this.#count(counts, { collection: collectionOf(type), filter, by: property });
        }),
      );
      return await this.#enough(counts, linked.atLeast);
    }
    const uids = await this.#uidsOf(partners, linked.where);
    await Promise.all(
      partners.map(async (type) => {
        const by = linkPropertyOf(end.store, type);
        for (const slice of slices(uids))
          await this.#count(counts, { collection: collectionOf(type), filter: { _id: { $in: slice }, [by]: { $exists: true } }, by });
      }),
    );
    return await this.#enough(counts, linked.atLeast);
  }

  async #fromPairs(end: EndRuntime, linked: Linked): Promise<Uid[]> {
    const { placement } = end.store;
    if (placement.shape !== "pairs") return [];
    const [by, other] = sidesOf(end);
    const counts = new Counts();
    const count = (filter: Document) => this.#count(counts, { collection: placement.collection, filter, by, types: sideTypes(end) });
    if (linked.where.kind === "all") await count({ [by]: written });
    else
      for (const slice of slices(await this.#uidsOf([...end.partners], linked.where))) if (!this.areTooMany) await count({ [other]: { $in: slice } });
    return await this.#enough(counts, linked.atLeast);
  }

  /** Links of other types count for what was read, which is what is bounded. */
  async #count(counts: Counts, { collection, filter, by, types = {} }: Counted) {
    const bound = this.#most === undefined ? [] : [{ $limit: this.#most + 1 }];
    const conditions = Object.entries(types).map(([property, names]) => ({ $in: [`$${property}`, [...names]] }));
    const n = { $sum: conditions.length === 0 ? 1 : { $cond: [{ $and: conditions }, 1, 0] } };
    const group = { $group: { _id: `$${by}`, all: { $sum: 1 }, n } };
    await this.#reader.each(collection, [{ $match: filter }, ...bound, group], (doc) =>
      counts.add(Number(doc._id), { all: Number(doc.all), fit: Number(doc.n) }),
    );
    this.#note(counts.total);
  }

  /** Ascending. */
  async #enough({ byUid }: Counts, atLeast: number): Promise<Uid[]> {
    const { turns } = this.#reader;
    const uids: Uid[] = [];
    await turns.each(byUid, ([uid, count]) => {
      if (count >= atLeast) uids.push(uid);
    });
    return await run(topInSteps(uids, { compare: (a, b) => a - b, page: { offset: 0, first: undefined } }), turns);
  }
}

/** Matches of nodes. */
class Counts {
  readonly byUid = new Map<Uid, number>();
  total = 0;

  add(uid: Uid, { all, fit }: { readonly all: number; readonly fit: number }): void {
    if (fit > 0) this.byUid.set(uid, (this.byUid.get(uid) ?? 0) + fit);
    this.total += all;
  }
}

interface Counted {
  readonly collection: string;
  readonly filter: Document;
  /** The property with the node that matches are counted for. */
  readonly by: string;
  readonly types?: Readonly<Record<string, Iterable<TypeName>>>;
}

function linkedFilter(property: string, match: Match): Document | undefined {
  const { filter } = conjunction([{ filter: { [property]: { $exists: true } }, exact: true }, match]);
  return typeof filter === "object" ? filter : undefined;
}

/** The bound of the uids leaves the choice of an index to MongoDB, which would else scan the collection where none fits. */
const written = { $gt: 0 } as const;

/** Up to `most` nodes of each type, in no order while the database looks for them. Ascending. Undefined: MongoDB cannot decide the condition. */
async function fewUids(reader: Reader, matches: readonly TypeMatch[], most: number): Promise<readonly Uid[] | undefined> {
  if (!matches.every(({ match }) => match.exact)) return undefined;
  const queries = matches.map(({ type, match }) => ({
    type,
    // The bound of the uids leaves the choice of an index to MongoDB, which would else scan the collection where none fits.
    stages: [
      { $match: { $and: [{ _id: written }, ...(typeof match.filter === "object" ? [match.filter] : [])] } },
      { $limit: most },
      { $project: { _id: 1 } },
    ],
  }));
  return (await readUnion(reader, queries)).map((row) => row.uid).sort((a, b) => a - b);
}
