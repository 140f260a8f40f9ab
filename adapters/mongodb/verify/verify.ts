// Checks all data against each other. Documents decide about values; a stored link counts if both nodes exist.

import type { ClientSession, Document } from "mongodb";
import { QuernError, run, type TypeName, type VerifyOptions, type VerifyReport } from "../../../core/storage.ts";
import { misfitText, otherSide, VerifyReportBuilder } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import type { Database } from "../database/database.ts";
import type { Lease } from "../database/lease.ts";
import { derive, entriesOf, keyTextOf, type LayoutRuntime, linkPropertyOf, type StoreRuntime, tokensOf } from "../layout/layout-runtime.ts";
import { collectionOf, tokensProperty } from "../layout/names.ts";
import type { UniqueEntries } from "../layout/unique-entries.ts";
import { decodeStored } from "../layout/values.ts";
import { slices } from "../read/slices.ts";

const docsAtOnce = 1_000;
/** The documents that are nodes. */
const written = { _id: { $gt: 0 } } as const;

export async function verify(database: Database, { repair = false, progress }: VerifyOptions): Promise<VerifyReport> {
  if (database.catalog.document !== undefined && database.schema.version !== database.catalog.version) {
    throw new QuernError("NO_SCHEMA", "hand in the layout first: the check needs its tokenizers", {
      hint: "Call migrate with the deployed document.",
    });
  }
  const findings = new VerifyReportBuilder({ repairs: repair });
  const check = new Check(database, findings, progress ?? (() => undefined));
  if (!repair) {
    await check.run(undefined);
    return findings.report();
  }
  const { gate } = database;
  await gate.alone(database.newId(), (lease) =>
    gate.shut(
      lease,
      () => database.catalog.version,
      () => check.run(lease),
    ),
  );
  return findings.report();
}

class Check {
  readonly #database: Database;
  readonly #schema: LayoutRuntime;
  readonly #findings: VerifyReportBuilder;
  readonly #progress: NonNullable<VerifyOptions["progress"]>;
  #lease: Lease | undefined;
  #session: ClientSession | undefined;

  constructor(database: Database, findings: VerifyReportBuilder, progress: NonNullable<VerifyOptions["progress"]>) {
    this.#database = database;
    this.#schema = database.schema;
    this.#findings = findings;
    this.#progress = progress;
  }

  /** @param lease set for a repair */
  async run(lease: Lease | undefined): Promise<void> {
    this.#lease = lease;
    for (const type of this.#schema.allTypes) await this.#checkNodes(type);
    for (const entries of this.#schema.uniqueEntries) await this.#checkUniqueEntries(entries);
    for (const store of this.#schema.stores.values()) await this.#checkStore(store);
  }

  async #checkNodes(type: TypeName): Promise<void> {
    // An estimate may be far off after a member has stopped uncleanly.
    const total = await this.#collection(type).countDocuments(written, { hint: "_id_" });
    let done = 0;
    await this.#checkForeign(type);
    await this.#eachChunk(collectionOf(type), written, async (docs) => {
      for (const doc of docs) await this.#checkDoc(type, doc);
      done += docs.length;
      this.#progress({ what: type, done: Math.min(done, total), total });
    });
  }

  /** Nobody repairs them: they are the data of somebody else. */
  async #checkForeign(type: TypeName): Promise<void> {
    const name = collectionOf(type);
    const foreign = { _id: { $not: written._id } };
    const count = await this.#database.connection.collection(name).countDocuments(foreign);
    if (count === 0) return;
    const [first] = await this.#find(name, foreign, { _id: 1 }, 1);
    const documents = count === 1 ? "1 document" : `${count.toLocaleString("en")} documents`;
    await this.#findings.fault("record", `the collection "${name}" has ${documents} that Quern did not write, such as that with _id ${first?._id}`);
  }

  async #checkDoc(type: TypeName, doc: Doc): Promise<void> {
    this.#findings.nodes++;
    for (const index of this.#schema.indexes.values()) this.#findings.entries += (await run(entriesOf(index, type, doc))).size;
    for (const key of this.#schema.keys) if (key.types.has(type) && keyTextOf(key, type, doc) !== undefined) this.#findings.entries++;
    await this.#checkValues(type, doc);
    const whole = { ...doc };
    derive(this.#schema, type, whole);
    for (const field of this.#schema.derived) {
      const property = field.property(type);
      if (!field.holders.has(type) || JSON.stringify(whole[property]) === JSON.stringify(doc[property])) continue;
      await this.#findings.fault("record", `${field.name} of ${type} ${doc._id} is not what it is derived from`, () =>
        this.#put(type, doc, property, whole[property]),
      );
    }
    const known = new Set(this.#schema.tokenIndexes.map((index) => String(index.id)));
    const had = (Array.isArray(doc[tokensProperty]) ? doc[tokensProperty] : [])
      .map(String)
      .filter((token) => known.has(token.split(":", 1)[0] ?? ""));
    const wanted = await run(tokensOf(this.#schema, type, whole));
    const stored = new Set(had);
    if (had.length === stored.size && had.length === wanted.length && wanted.every((token) => stored.has(token))) return;
    await this.#findings.fault("index", `the index tokens of ${type} ${doc._id} are not those of its values`, () =>
      this.#put(type, doc, tokensProperty, wanted.length === 0 ? undefined : wanted),
    );
  }

  /** Nothing says what a value of a wrong kind should be, so no repair changes it. */
  async #checkValues(type: TypeName, doc: Doc): Promise<void> {
    for (const field of this.#schema.fields.values()) {
      if (!field.holders.has(type) || field.layout.derived !== undefined) continue;
      if (field.isMisfit(decodeStored(doc[field.property(type)]))) await this.#findings.fault("value", misfitText(field, `${type} ${doc._id}`));
    }
  }

  async #checkUniqueEntries({ collection: name, name: what, types, textOf }: UniqueEntries): Promise<void> {
    const entries = this.#database.connection.collection(name);
    for (const type of types) {
      await this.#eachChunk(collectionOf(type), written, async (docs) => {
        const held = new Map(
          (await this.#find(name, { _id: { $in: docs.map((doc) => doc._id) } })).map((entry) => [Number(entry._id), String(entry.k)]),
        );
        for (const doc of docs) {
          const text = textOf(type, doc);
          if (held.get(Number(doc._id)) === text) continue;
          await this.#findings.fault("key", `${what} does not know what ${type} ${doc._id} holds`, async () => {
            await entries.deleteMany({ _id: doc._id });
            if (text !== undefined) await entries.insertOne({ _id: doc._id, k: text, type });
          });
        }
      });
      await this.#eachChunk(name, { type }, async (docs) => {
        const there = await this.#there(
          type,
          docs.map((doc) => Number(doc._id)),
        );
        for (const doc of docs)
          if (!there.has(Number(doc._id)))
            await this.#findings.fault("key", `${what} knows ${type} ${doc._id}, which is not there`, () => entries.deleteMany({ _id: doc._id }));
      });
    }
  }

  async #checkStore(store: StoreRuntime): Promise<void> {
    if (store.placement.shape === "pairs") await this.#checkPairs(store, store.placement.collection);
    else for (const type of store.types[store.placement.side]) await this.#checkField(store, store.placement.side, type);
  }

  async #checkField(store: StoreRuntime, side: 0 | 1, type: TypeName): Promise<void> {
    const property = linkPropertyOf(store, type);
    await this.#eachChunk(collectionOf(type), { [property]: { $exists: true } }, async (docs) => {
      const wanted = docs.map((doc) => Number(doc[property]));
      const there = new Map<number, Doc>();
      for (const other of store.types[store.symmetric ? side : otherSide(side)])
        for (const doc of await this.#find(collectionOf(other), { _id: { $in: wanted } }))
          there.set(Number(doc._id), { ...doc, back: doc[linkPropertyOf(store, other)] });
      for (const doc of docs) {
        this.#findings.links++;
        const partner = there.get(Number(doc[property]));
        if (partner === undefined) await this.#dangling(type, doc, property, "is not there");
        else if (store.symmetric && Number(partner.back) !== Number(doc._id)) await this.#dangling(type, doc, property, "does not lead back");
      }
    });
  }

  async #dangling(type: TypeName, doc: Doc, property: string, why: string): Promise<void> {
    await this.#findings.fault("edge", `${property} of ${type} ${doc._id} leads to ${doc[property]}, which ${why}`, () =>
      this.#put(type, doc, property, undefined),
    );
  }

  async #checkPairs(store: StoreRuntime, name: string): Promise<void> {
    const pairs = this.#database.connection.collection(name);
    await this.#eachChunk(name, {}, async (docs) => {
      const there = new Set<number>();
      for (const side of ["a", "b"] as const)
        for (const type of new Set(docs.map((doc) => String(doc[`${side}Type`]))))
          for (const uid of await this.#there(
            type,
            docs.filter((doc) => doc[`${side}Type`] === type).map((doc) => Number(doc[side])),
          ))
            there.add(uid);
      const mirrors = store.symmetric ? await this.#mirrors(name, docs) : undefined;
      for (const doc of docs) {
        if (!store.symmetric || Number(doc.a) <= Number(doc.b)) this.#findings.links++;
        if (!there.has(Number(doc.a)) || !there.has(Number(doc.b)))
          await this.#findings.fault("edge", `a link of ${name}, ${doc._id}, leads to a node that is not there`, () =>
            pairs.deleteOne({ _id: doc._id }),
          );
        else if (mirrors !== undefined && !mirrors.has(`${doc.b}>${doc.a}`))
          await this.#findings.fault("edge", `a link of ${name}, ${doc._id}, is seen from one side`, () => this.#mirror(name, doc));
      }
    });
  }

  async #mirrors(name: string, docs: readonly Doc[]): Promise<ReadonlySet<string>> {
    const found = await this.#find(name, { _id: { $in: docs.map((doc) => `${doc.b}>${doc.a}`) } });
    return new Set(found.map((doc) => String(doc._id)));
  }

  async #mirror(name: string, { a, b, aType, bType }: Doc): Promise<void> {
    await this.#database.connection
      .collection(name)
      .replaceOne({ _id: `${b}>${a}`, a: b, b: a }, { a: b, b: a, aType: bType, bType: aType }, { upsert: true });
  }

  async #there(type: TypeName, uids: readonly number[]): Promise<ReadonlySet<number>> {
    const there = new Set<number>();
    for (const slice of slices(uids))
      for (const doc of await this.#find(collectionOf(type), { _id: { $in: slice } }, { _id: 1 })) there.add(Number(doc._id));
    return there;
  }

  async #put(type: TypeName, doc: Doc, property: string, value: unknown): Promise<void> {
    const update: Document = value === undefined ? { $unset: { [property]: "" } } : { $set: { [property]: value } };
    await this.#collection(type).updateOne({ _id: doc._id }, update);
  }

  /** Reads each chunk and the data it is compared with at one time: writers wait for a repair, and go on during a check. */
  async #eachChunk(name: string, filter: Document, visit: (docs: readonly Doc[]) => Promise<void>): Promise<void> {
    for (let after: Doc["_id"] | undefined, done = false; !done; ) {
      const from: Document = after === undefined ? filter : { ...filter, _id: { ...filter._id, $gt: after } };
      const session = this.#findings.repairs ? undefined : this.#database.connection.client.startSession({ snapshot: true });
      this.#session = session;
      try {
        const docs = await this.#find(name, from, undefined, docsAtOnce);
        await this.#lease?.assertHeld();
        await visit(docs);
        after = docs.at(-1)?._id;
        done = docs.length < docsAtOnce;
      } finally {
        this.#session = undefined;
        await session?.endSession();
      }
    }
  }

  async #find(name: string, filter: Document, projection?: Document, limit = 0): Promise<Doc[]> {
    const options = { ...(projection && { projection }), ...(this.#session && { session: this.#session }) };
    return await this.#database.connection.collection(name).find(filter, options).sort({ _id: 1 }).limit(limit).toArray();
  }

  #collection(type: TypeName) {
    return this.#database.connection.collection(collectionOf(type));
  }
}
