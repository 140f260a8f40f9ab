// Writes the result of a slice of changes, one command for each collection and kind of operation, and explains refused writes.

import type { AnyBulkWriteOperation } from "mongodb";
import { type Link, QuernError, type TypeName, type Uid } from "../../../core/storage.ts";
import { keyTaken, otherSide, uidTaken } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import { isDuplicate, isLostRace } from "../connection/store-error.ts";
import type { Database } from "../database/database.ts";
import {
  type EndRuntime,
  endsOfSide,
  type KeyRuntime,
  keyPartsOf,
  keyPropertiesOf,
  keyTextOf,
  type LayoutRuntime,
  linkPropertyOf,
} from "../layout/layout-runtime.ts";
import { collectionOf, heldProperty, keyCollection } from "../layout/names.ts";
import type { SessionSource } from "../session/source.ts";
import type { CommitRecord } from "./commit-record.ts";
import type { Holds } from "./holds.ts";
import { Contended, type LockView } from "./keyed-mutex.ts";
import type { LinkLocks } from "./link-locks.ts";
import { type LinkStates, pairsById, setAt } from "./link-states.ts";
import { isStriped, type NodeState, type NodeStates, updateOf } from "./node-states.ts";
import { ownerRefusal } from "./owner-rules.ts";

export interface FlushOptions {
  readonly database: Database;
  readonly schema: LayoutRuntime;
  readonly source: SessionSource;
  readonly holds: Holds;
  readonly locks: LinkLocks;
  readonly record: CommitRecord;
  readonly nodes: NodeStates;
  readonly links: LinkStates;
  readonly lockView: LockView;
}

/** A unique index refused a value. Explained later, when the transaction is over. */
export class DuplicateKey extends Error {
  readonly states: readonly NodeState[];

  constructor(states: readonly NodeState[], cause: unknown) {
    super("a unique index has this value already", { cause });
    this.states = states;
  }
}

/** The most documents that a transaction keeps in memory; written ones can be read again. */
const nodesInMemory = 10_000;
/** A slice that writes more nodes and keys takes no locks: it would wait for too many others. */
const mostLockKeys = 8;

export class Flush {
  readonly #options: FlushOptions;
  /** Linked nodes that this transaction does not write. */
  readonly #linked = new Map<TypeName, Set<Uid>>();
  /** Nodes whose single end was set: no other transaction may set it. */
  readonly #excluding = new Map<TypeName, Set<Uid>>();

  constructor(options: FlushOptions) {
    this.#options = options;
  }

  collectionName(type: TypeName): string {
    return collectionOf(type);
  }

  /** Notes that the transaction writes this node. */
  touch(uid: Uid, _type: TypeName): void {
    this.#options.holds.owns(uid);
  }

  /** Keeps both nodes of a link there. */
  link(end: EndRuntime, link: Link): void {
    const { store, own } = end;
    const isSingle = (side: 0 | 1, type: TypeName) => endsOfSide(store, side).some((each) => !each.many && each.types.has(type));
    const other = store.symmetric ? own : otherSide(own);
    const near = store.placement.shape === "field" && (store.symmetric || store.placement.side === own);
    const far = store.placement.shape === "field" && (store.symmetric || store.placement.side !== own);
    this.#linkNode(link.from, link.fromType, { written: near, single: isSingle(own, link.fromType) });
    this.#linkNode(link.to, link.toType, { written: far, single: isSingle(other, link.toType) });
  }

  #linkNode(uid: Uid, type: TypeName, { written, single }: { readonly written: boolean; readonly single: boolean }): void {
    if (written) this.#options.holds.owns(uid);
    else if (single && !this.#isNew(uid, type)) setAt(this.#excluding, type).add(uid);
    else if (!this.#options.holds.has(uid)) setAt(this.#linked, type).add(uid);
  }

  #isNew(uid: Uid, type: TypeName): boolean {
    const state = this.#options.nodes.get(uid, type);
    return state !== undefined && state.stored === undefined;
  }

  async run(): Promise<void> {
    const changed = [...this.#options.nodes.all()].filter((state) => state.stored !== state.doc);
    if (this.#options.lockView.heldByOthers(() => this.#thingsOf(changed)).length > 0) throw new Contended(this.#thingsOf(changed));
    await this.#excludeSingles();
    await this.#options.holds.holdPending();
    await this.#lockLinked();
    const striped = changed.filter((state) => state.stored !== undefined && isStriped(state.stored));
    await this.#options.holds.exclude(striped.map((state) => state.uid));
    await this.#options.holds.dropStripes(striped.filter((state) => state.doc === undefined).map((state) => state.uid));
    this.#options.locks.take(changed.filter((state) => state.doc === undefined && this.#canBeLinked(state.type)));
    await this.#options.record.writeManyLocks();
    const things = this.#thingsOf(changed);
    // The writes may be sent when all of this is stored already.
    const states = changed.map((state) => ({ ...state }));
    const explain = (thrown: unknown) => {
      if (isDuplicate(thrown)) return new DuplicateKey(states, thrown);
      return isLostRace(thrown) ? new Contended(things, { cause: thrown }) : thrown;
    };
    await this.#writeNodes(changed, explain);
    await this.#writeUniqueEntries(changed, explain);
    await this.#writePairs();
    for (const state of changed) {
      state.stored = state.doc;
      state.written = true;
    }
    if (this.#options.nodes.size > nodesInMemory) this.#options.nodes.forgetUnchanged();
  }

  /** The nodes and key values that only one transaction at a time can write. */
  #thingsOf(changed: readonly NodeState[]): readonly string[] {
    if (changed.length > mostLockKeys) return [];
    const lockKeys: string[] = [];
    for (const { uid, type, stored, doc } of changed) {
      if (stored !== undefined) lockKeys.push(`node ${uid}`);
      // Includes unchanged keys, so that a transaction that creates a node conflicts with one that looks it up.
      for (const key of this.#options.schema.keys) {
        if (!key.types.has(type)) continue;
        const texts = new Set([stored, doc].map((each) => each && keyTextOf(key, type, each)));
        for (const text of texts) if (text !== undefined) lockKeys.push(`key ${key.id} ${text}`);
      }
    }
    return lockKeys.length > mostLockKeys ? [] : lockKeys;
  }

  async #excludeSingles(): Promise<void> {
    for (const [type, uids] of this.#excluding) {
      await this.#options.source.inTurn((session) =>
        this.#collection(collectionOf(type)).updateMany({ _id: { $in: [...uids] } }, { $inc: { [heldProperty]: 1 } }, { session }),
      );
      for (const uid of uids) this.#options.holds.owns(uid);
    }
    this.#excluding.clear();
  }

  async #lockLinked(): Promise<void> {
    const { holds, locks } = this.#options;
    const linked = new Map<TypeName, Set<Uid>>();
    for (const [type, uids] of this.#linked) for (const uid of uids) if (!holds.has(uid)) setAt(linked, type).add(uid);
    this.#linked.clear();
    const { plain, striped, lost } = await locks.look(linked);
    if (holds.makesStripes) await holds.hold(plain);
    else locks.share(plain);
    locks.shareStripe(striped);
    if (lost.length > 0) throw new QuernError("CONFLICT", `nobody can link to ${lost.length} nodes that are gone`, { details: { uids: lost } });
  }

  #canBeLinked(type: TypeName): boolean {
    for (const { types } of this.#options.schema.stores.values()) if (types[0].includes(type) || types[1].includes(type)) return true;
    return false;
  }

  async #writeNodes(changed: readonly NodeState[], explain: Explain): Promise<void> {
    const byCollection = new Map<string, AnyBulkWriteOperation<Doc>[][]>();
    const operations = (type: TypeName) => {
      const name = collectionOf(type);
      let phases = byCollection.get(name);
      if (phases === undefined) {
        phases = [[], [], [], []];
        byCollection.set(name, phases);
      }
      return phases;
    };
    const givenUp = this.#released(changed);
    for (const { uid, type, stored, doc } of changed) {
      const [deletes = [], releases = [], updates = [], inserts = []] = operations(type);
      if (stored === undefined && doc !== undefined) inserts.push({ insertOne: { document: doc } });
      else if (stored !== undefined && doc === undefined) deletes.push({ deleteOne: { filter: { _id: uid } } });
      else if (stored !== undefined && doc !== undefined) {
        const released = givenUp.get(uid);
        const kept = released === undefined ? stored : without(stored, released);
        const update = updateOf(kept, doc);
        const release = updateOf(stored, kept);
        if (release !== undefined) releases.push({ updateOne: { filter: { _id: uid }, update: release } });
        if (update !== undefined) updates.push({ updateOne: { filter: { _id: uid }, update } });
      }
    }
    for (const [name, phases] of byCollection) await this.#bulk(name, phases.flat(), explain);
  }

  /** Properties with unique values that move from one node to another within a slice: unset first. */
  #released(changed: readonly NodeState[]): ReadonlyMap<Uid, ReadonlySet<string>> {
    const released = new Map<Uid, Set<string>>();
    if (changed.length < 2) return released;
    for (const { textOf, propertiesOf } of this.#uniques()) {
      const takers = new Map<string, Uid>();
      for (const { uid, type, doc } of changed) {
        const text = doc === undefined ? undefined : textOf(type, doc);
        if (text !== undefined) takers.set(text, uid);
      }
      for (const { uid, type, stored, doc } of changed) {
        const text = stored === undefined || doc === undefined ? undefined : textOf(type, stored);
        const taker = text === undefined ? undefined : takers.get(text);
        if (taker !== undefined && taker !== uid) for (const property of propertiesOf(type)) setAt(released, uid).add(property);
      }
    }
    return released;
  }

  /** The properties with unique indexes. */
  *#uniques(): Generator<Unique> {
    const { keys, stores, sharded } = this.#options.schema;
    for (const key of keys) {
      if (!key.native) continue;
      yield {
        textOf: (type, doc) => (key.types.has(type) ? keyTextOf(key, type, doc) : undefined),
        propertiesOf: (type) => keyPropertiesOf(key, type),
      };
    }
    for (const store of stores.values()) {
      const { placement } = store;
      if (placement.shape !== "field" || sharded) continue;
      const types = store.types[placement.side];
      yield {
        textOf: (type, doc) => (types.includes(type) ? linkText(type, doc[linkPropertyOf(store, type)]) : undefined),
        propertiesOf: (type) => [linkPropertyOf(store, type)],
      };
    }
  }

  async #writeUniqueEntries(changed: readonly NodeState[], explain: Explain): Promise<void> {
    const { uniqueEntries, sharded } = this.#options.schema;
    for (const entries of uniqueEntries) {
      const first: AnyBulkWriteOperation<Doc>[] = [];
      const then: AnyBulkWriteOperation<Doc>[] = [];
      for (const { uid, type, stored, doc } of changed) {
        if (!entries.types.has(type)) continue;
        const before = stored && entries.textOf(type, stored);
        const after = doc && entries.textOf(type, doc);
        if (before === after) continue;
        if (before !== undefined) first.push({ deleteOne: { filter: { _id: uid, ...(sharded && { k: before }) } } });
        if (after !== undefined) then.push({ insertOne: { document: { _id: uid, k: after, type } } });
      }
      await this.#bulk(entries.collection, [...first, ...then], explain);
    }
  }

  async #writePairs(): Promise<void> {
    const { made, gone } = this.#options.links.takePairs();
    for (const [name, ids] of gone) await this.#bulk(name, [{ deleteMany: { filter: pairsById(ids, this.#options.schema) } }]);
    for (const [name, docs] of made)
      await this.#bulk(
        name,
        docs.map((document) => ({ insertOne: { document } })),
      );
  }

  async #bulk(collection: string, operations: readonly AnyBulkWriteOperation<Doc>[], explain: Explain = (thrown) => thrown): Promise<void> {
    await this.#options.source.write({ collection, operations, explain: (thrown) => ownerRefusal(collection, thrown) ?? explain(thrown) });
  }

  #collection(name: string) {
    return this.#options.database.connection.collection(name);
  }
}

type Explain = (thrown: unknown) => unknown;

/** The unique properties of a collection. */
interface Unique {
  readonly textOf: (type: TypeName, doc: Doc) => string | undefined;
  readonly propertiesOf: (type: TypeName) => readonly string[];
}

function linkText(type: TypeName, partner: unknown): string | undefined {
  return partner === undefined ? undefined : `${type} ${partner}`;
}

function without(doc: Doc, properties: ReadonlySet<string>): Doc {
  const rest: Doc = { _id: doc._id };
  for (const name in doc) if (!properties.has(name)) rest[name] = doc[name];
  return rest;
}

/** The error for a duplicate, after the transaction: names the holder of the key. Undefined when it was a race. */
export async function explainDuplicate(database: Database, schema: LayoutRuntime, { states }: DuplicateKey): Promise<QuernError | undefined> {
  const { connection } = database;
  for (const { uid, type, stored, doc } of states) {
    if (doc === undefined) continue;
    for (const key of schema.keys) {
      const text = key.types.has(type) ? keyTextOf(key, type, doc) : undefined;
      if (text === undefined || (stored !== undefined && keyTextOf(key, type, stored) === text)) continue;
      const parts = keyPartsOf(key, type, doc);
      const inside = states.find(
        (other) => other.uid !== uid && other.doc !== undefined && key.types.has(other.type) && keyTextOf(key, other.type, other.doc) === text,
      );
      if (inside !== undefined) return keyTaken(key.layout, parts, { uid, holder: inside.uid, type: inside.type });
      const holder = await holderOf(database, key, type, doc, text);
      const moved = holder === undefined ? undefined : states.find((other) => other.uid === holder.uid);
      if (holder !== undefined && holder.uid !== uid && moved === undefined)
        return keyTaken(key.layout, parts, { uid, holder: holder.uid, type: holder.type });
    }
    if (stored === undefined && (await connection.collection(collectionOf(type)).countDocuments({ _id: uid }, { limit: 1 })) > 0)
      return uidTaken(uid);
  }
  return undefined;
}

async function holderOf(
  database: Database,
  key: KeyRuntime,
  type: TypeName,
  doc: Doc,
  text: string,
): Promise<{ readonly uid: Uid; readonly type: TypeName } | undefined> {
  const { connection } = database;
  if (!key.native) {
    const entry = await connection.collection(keyCollection(key.id)).findOne({ k: text });
    return entry === null ? undefined : { uid: Number(entry._id), type: String(entry.type) };
  }
  const links = key.ends.map(({ store }) => linkPropertyOf(store, type)).map((property) => [property, doc[property]] as const);
  const filter = Object.fromEntries([
    ...links,
    ...key.fields.map((field) => {
      const value = doc[field.property(type)];
      return field.kind === "dateTime" && typeof value === "object" && value !== null && "utc" in value
        ? [field.path(type), value.utc]
        : [field.property(type), value];
    }),
  ]);
  const found = await connection.collection(collectionOf(type)).findOne(filter, { projection: { _id: 1 } });
  return found === null ? undefined : { uid: Number(found._id), type };
}
