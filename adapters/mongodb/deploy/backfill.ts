// Computes derived fields, index tokens and key entries of a new layout from the documents, and again for nodes that are written during the
// build.

import type { AnyBulkWriteOperation, Document } from "mongodb";
import { type EdgeName, type MigrationStep, run, type TypeName, type Uid, type Work } from "../../../core/storage.ts";
import type { Connection, Doc } from "../connection/connection.ts";
import type { Lease } from "../database/lease.ts";
import { derive, entriesOf, type FieldRuntime, type LayoutRuntime, storedToken, type TokenIndexRuntime } from "../layout/layout-runtime.ts";
import { collectionOf, tokensProperty } from "../layout/names.ts";
import type { UniqueEntries } from "../layout/unique-entries.ts";
import { slices } from "../read/slices.ts";
import type { MongoPlan } from "./next-catalog.ts";

/** Documents in one chunk. */
const docsAtOnce = 500;

export interface BackfillOptions {
  readonly plan: MongoPlan;
  readonly schema: LayoutRuntime;
  readonly entries: readonly UniqueEntries[];
}

export class Backfill {
  readonly #connection: Connection;
  readonly #lease: Lease;
  readonly #schema: LayoutRuntime;
  readonly #indexes: readonly TokenIndexRuntime[];
  readonly #derived: readonly FieldRuntime[];
  readonly #entries: readonly UniqueEntries[];

  /** @param options.entries those to build, of the types whose nodes have none yet */
  constructor(connection: Connection, lease: Lease, { plan, schema, entries }: BackfillOptions) {
    this.#connection = connection;
    this.#lease = lease;
    this.#schema = schema;
    this.#indexes = schema.tokenIndexes.filter((index) => plan.indexes.has(index.id));
    this.#derived = plan.derived.flatMap((field) => schema.fields.get(field.name) ?? []);
    this.#entries = entries;
  }

  /** Types whose nodes need a backfill. */
  get types(): readonly TypeName[] {
    const types = [
      ...this.#indexes.flatMap((index) => index.field.types),
      ...this.#derived.flatMap((field) => [...field.holders]),
      ...this.#entries.flatMap(({ types }) => [...types]),
    ];
    return [...new Set(types)];
  }

  /** The label in progress messages. */
  get what(): string {
    return [
      ...this.#indexes.map((index) => `index ${index.name}`),
      ...this.#entries.map(({ what }) => what),
      ...this.#derived.map((field) => `field ${field.name}`),
    ].join(", ");
  }

  async fillAll(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    const { types, what } = this;
    if (types.length === 0) return;
    for (const { collection, types } of this.#entries) await this.#connection.collection(collection).deleteMany({ type: { $in: [...types] } });
    const counts = await Promise.all(types.map((type) => this.#connection.collection(collectionOf(type)).estimatedDocumentCount()));
    const total = counts.reduce((a, b) => a + b, 0);
    let done = 0;
    for (const type of types) {
      await this.#eachChunk(type, async (docs) => {
        await this.#fill(type, docs);
        done += docs.length;
        progress?.({ what, done: Math.min(done, total), total });
      });
    }
    progress?.({ what, done: total, total });
  }

  /** Computes again for nodes that were written or removed during the build. */
  async fillAgain(type: TypeName, uids: readonly Uid[]): Promise<void> {
    if (!this.types.includes(type)) return;
    for (const slice of slices(uids, docsAtOnce)) {
      const docs = await this.#connection
        .collection(collectionOf(type))
        .find({ _id: { $in: slice } })
        .toArray();
      await this.#fill(type, docs);
      const there = new Set(docs.map((doc) => Number(doc._id)));
      const gone = slice.filter((uid) => !there.has(uid));
      if (gone.length === 0) continue;
      for (const { collection } of this.#entries) await this.#connection.collection(collection).deleteMany({ _id: { $in: gone }, type });
    }
  }

  /** The types of nodes that may be at an end of a changed link of the edge, and have an entry that depends on it. */
  linkedTypes(edge: EdgeName): readonly TypeName[] {
    return [...new Set(this.#entries.filter(({ edges }) => edges.has(edge)).flatMap(({ types }) => [...types]))];
  }

  /** Entries that depend on links which were not there before: of the link stores `joined`. */
  async fillJoined(joined: ReadonlySet<number>): Promise<void> {
    for (const entries of this.#entries.filter(({ edges }) => [...edges.values()].some((store) => joined.has(store)))) {
      for (const type of entries.types) await this.#eachChunk(type, (docs) => this.#fillEntries(entries, type, docs));
    }
  }

  async #eachChunk(type: TypeName, fill: (docs: readonly Doc[]) => Promise<void>): Promise<void> {
    for (let after = 0; ; ) {
      const docs = await this.#connection
        .collection(collectionOf(type))
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(docsAtOnce)
        .toArray();
      const last = docs.at(-1);
      if (last === undefined) return;
      await this.#lease.assertHeld();
      await fill(docs);
      after = Number(last._id);
    }
  }

  async #fill(type: TypeName, docs: readonly Doc[]): Promise<void> {
    const updates: AnyBulkWriteOperation<Doc>[] = [];
    for (const doc of docs) {
      const update = await run(this.#updateOf(type, doc));
      if (update !== undefined) updates.push({ updateOne: { filter: { _id: doc._id, ...this.#derivedFrom(type, doc) }, update } });
    }
    if (updates.length > 0) await this.#connection.collection(collectionOf(type)).bulkWrite(updates, { ordered: false });
    for (const entries of this.#entries) if (entries.types.has(type)) await this.#fillEntries(entries, type, docs);
  }

  /** Writes only the new properties: writers change the others at the same time. */
  *#updateOf(type: TypeName, doc: Doc): Work<Document[] | undefined> {
    const whole = { ...doc };
    derive(this.#schema, type, whole);
    const set: Document = {};
    const unset: string[] = [];
    for (const field of this.#derived) {
      const property = field.property(type);
      if (!field.holders.has(type)) continue;
      if (whole[property] === undefined) {
        if (doc[property] !== undefined) unset.push(property);
      } else set[property] = { $literal: whole[property] };
    }
    if (this.#indexes.length > 0) {
      const tokens: string[] = [];
      for (const index of this.#indexes) for (const token of (yield* entriesOf(index, type, whole)).keys()) tokens.push(storedToken(index, token));
      const had: unknown = doc[tokensProperty];
      if (tokens.length > 0 || (Array.isArray(had) && had.some((token) => this.#isNew(String(token))))) set[tokensProperty] = this.#tokens(tokens);
    }
    const stages = [...(Object.keys(set).length > 0 ? [{ $set: set }] : []), ...(unset.length > 0 ? [{ $unset: unset }] : [])];
    return stages.length === 0 ? undefined : stages;
  }

  /** The values derive from the document as it was read. A later write is noticed by `ConcurrentWrites`, or its writer sets the values itself. */
  #derivedFrom(type: TypeName, doc: Doc): Document {
    const sources = this.#derived.flatMap((field) => (field.holders.has(type) ? (field.layout.derived?.from ?? []) : []));
    const properties = new Set(sources.flatMap((name) => this.#schema.fields.get(name)?.property(type) ?? []));
    return Object.fromEntries([...properties].map((name) => [name, doc[name] === undefined ? { $exists: false } : { $eq: doc[name] }]));
  }

  #isNew(token: string): boolean {
    return this.#indexes.some((index) => token.startsWith(`${index.id}:`));
  }

  #tokens(tokens: readonly string[]): Document {
    const number = { $arrayElemAt: [{ $split: ["$$this", ":"] }, 0] };
    const others = { $not: [{ $in: [number, this.#indexes.map((index) => String(index.id))] }] };
    return { $concatArrays: [{ $filter: { input: { $ifNull: [`$${tokensProperty}`, []] }, cond: others } }, { $literal: tokens }] };
  }

  /** An entry with another text may belong to another shard, so none is changed. */
  async #fillEntries({ collection, textOf }: UniqueEntries, type: TypeName, docs: readonly Doc[]): Promise<void> {
    if (docs.length === 0) return;
    const made = docs.flatMap((doc): AnyBulkWriteOperation<Doc>[] => {
      const k = textOf(type, doc);
      return k === undefined ? [] : [{ insertOne: { document: { _id: doc._id, k, type } } }];
    });
    const gone = { deleteMany: { filter: { _id: { $in: docs.map((doc) => doc._id) } } } };
    await this.#connection.collection(collection).bulkWrite([gone, ...made], { ordered: true });
  }
}
