// Applies changes to a transaction: reads the affected data in few queries, computes new documents and links, and writes them, so that the
// transaction's own reads see them.

import {
  type Change,
  type ChangedEntry,
  type Create,
  type FieldName,
  type Link,
  type Remove,
  run,
  type Set as SetChange,
  type Stored,
  type TypeName,
  type Uid,
  type Unlink,
  type Work,
} from "../../../core/storage.ts";
import { ChangeDispatch, type ChangeLog, distinctValues, uidTaken } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import type { Database } from "../database/database.ts";
import { derive, type EdgeRuntime, entriesOf, type LayoutRuntime, putStored, type StoreRuntime, tokensOf } from "../layout/layout-runtime.ts";
import { tokensProperty } from "../layout/names.ts";
import { encodeStored, equalityText } from "../layout/values.ts";
import type { SessionSource } from "../session/source.ts";
import type { CommitRecord } from "./commit-record.ts";
import { Flush } from "./flush.ts";
import type { Holds } from "./holds.ts";
import { KeyOrder } from "./key-order.ts";
import type { LockView } from "./keyed-mutex.ts";
import type { LinkLocks } from "./link-locks.ts";
import { LinkStates, setAt } from "./link-states.ts";
import { type NodeState, type NodeStates, updateOf } from "./node-states.ts";

/** The number of changes in a slice. */
const changesAtOnce = 2_000;

export interface WriterOptions {
  readonly database: Database;
  readonly schema: LayoutRuntime;
  readonly source: SessionSource;
  readonly holds: Holds;
  readonly locks: LinkLocks;
  readonly record: CommitRecord;
  readonly log: ChangeLog;
  readonly lockView: LockView;
  /** Whether this transaction got the uid from the storage. */
  readonly isGiven: (uid: Uid) => boolean;
  readonly nodes: NodeStates;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #schema: LayoutRuntime;
  readonly #nodes: NodeStates;
  readonly #links: LinkStates;
  readonly #flush: Flush;
  readonly #dispatch: ChangeDispatch;
  #keyOrder: KeyOrder;
  /** What is left to do for the change that was applied last: its node has more tokens than one step takes. */
  #left: Work<void> | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#schema = options.schema;
    this.#keyOrder = new KeyOrder(options.schema, []);
    this.#nodes = options.nodes;
    this.#links = new LinkStates(options.source, options.schema, this.#nodes);
    this.#flush = new Flush({ ...options, links: this.#links });
    this.#dispatch = new ChangeDispatch({
      handlers: {
        create: (change) => this.#begin(this.#create(change)),
        set: (change) => this.#begin(this.#set(change)),
        link: (change) => this.#link(change),
        unlink: (change) => this.#unlink(change),
        remove: (change) => this.#begin(this.#remove(change)),
      },
      log: options.log,
      maxChanges: options.database.options.maxChanges,
    });
  }

  /** Applies changes in order. A refused change refuses the whole transaction. */
  async write(changes: readonly Change[]): Promise<void> {
    // A part of the changes may leave a node with its new values and its old link, which together another node has.
    if (this.#schema.keys.some(({ ends }) => ends.length > 0)) return await this.#writeSlice(changes);
    for (let from = 0; from < changes.length; from += changesAtOnce) await this.#writeSlice(changes.slice(from, from + changesAtOnce));
  }

  async #writeSlice(changes: readonly Change[]): Promise<void> {
    await this.#claim(changes);
    await this.#nodes.load(this.#wanted(changes));
    await this.#links.prepare(changes);
    this.#keyOrder = new KeyOrder(this.#schema, changes);
    for (const change of changes) {
      this.#dispatch.apply(change);
      if (this.#left !== undefined) await this.#finishLeft(this.#left);
    }
    await this.#flush.run();
  }

  /** Does the first step at once: most changes have no second one. */
  #begin(steps: Work<void>): void {
    if (steps.next().done !== true) this.#left = steps;
  }

  async #finishLeft(left: Work<void>): Promise<void> {
    this.#left = undefined;
    await run(left);
  }

  /** Reserves uids that an import chose. */
  async #claim(changes: readonly Change[]): Promise<void> {
    const own = changes.flatMap((change) => (change.kind === "create" && !this.#options.isGiven(change.uid) ? [change.uid] : []));
    if (own.length === 0) return;
    const wanted = new Set(own);
    if (wanted.size < own.length) throw uidTaken(own.find((uid, i) => own.indexOf(uid) !== i) ?? 0);
    for (const type of this.#schema.allTypes) {
      await this.#options.source.project(this.#flush.collectionName(type), { _id: { $in: own } }, { _id: 1 }, (doc) => {
        throw uidTaken(Number(doc._id));
      });
    }
    await this.#options.database.uids.claim(own);
  }

  #wanted(changes: readonly Change[]): ReadonlyMap<TypeName, ReadonlySet<Uid>> {
    const wanted = new Map<TypeName, Set<Uid>>();
    const created = new Set<Uid>();
    const want = (type: TypeName, uid: Uid) => {
      if (!created.has(uid)) setAt(wanted, type).add(uid);
    };
    for (const change of changes) {
      if (change.kind === "create") created.add(change.uid);
      else if (change.kind === "set" || change.kind === "remove") want(change.type, change.uid);
      else {
        const { store, own } = this.#links.end(change.end);
        if (store.placement.shape !== "field") continue;
        if (store.symmetric || store.placement.side === own) want(change.fromType, change.from);
        if (store.symmetric || store.placement.side !== own) want(change.toType, change.to);
      }
    }
    return wanted;
  }

  *#create({ uid, type, fields }: Create): Work<void> {
    this.#assertType(type);
    const known = this.#nodes.get(uid, type);
    if (known?.doc !== undefined) throw uidTaken(uid);
    const doc: Doc = { _id: uid };
    for (const name in fields) this.#assign(type, doc, name, fields[name]);
    yield* this.#finish(type, doc);
    this.#keyOrder.changes({ uid, type }, undefined, doc);
    this.#nodes.put({ uid, type, stored: known?.stored, doc });
    this.#flush.touch(uid, type);
    this.#options.log.node(uid, { type, what: "created", fields: Object.keys(fields) });
    yield* this.#logNewEntries(uid, type, doc);
  }

  *#set({ uid, type, fields }: SetChange): Work<void> {
    this.#assertType(type);
    const state = this.#nodes.get(uid, type);
    if (state?.doc === undefined) return;
    const before = state.doc;
    const after: Doc = { ...before };
    for (const name in fields) this.#assign(type, after, name, fields[name]);
    yield* this.#finish(type, after);
    if (updateOf(before, after) === undefined) return;
    this.#keyOrder.changes(state, before, after);
    state.doc = after;
    this.#flush.touch(uid, type);
    yield* this.#logEntries(state, before, after);
    this.#options.log.node(uid, { type, what: "changed", fields: Object.keys(fields).filter((name) => this.#differs(name, type, before, after)) });
  }

  /** `putStored` keeps the object of an equal value. */
  #differs(name: FieldName, type: TypeName, before: Doc, after: Doc): boolean {
    const property = this.#schema.fields.get(name)?.property(type) ?? "";
    return before[property] !== after[property];
  }

  *#remove({ uid, type }: Remove): Work<void> {
    const state = this.#nodes.get(uid, type);
    if (state?.doc === undefined) return;
    this.#links.detach({ uid, type }, (store, a, b) => this.#logLink(store, a, b));
    const before = state.doc;
    this.#keyOrder.changes(state, before, undefined);
    state.doc = undefined;
    this.#flush.touch(uid, type);
    yield* this.#logEntries(state, before, undefined);
    const fields = [...this.#schema.fields.values()].filter(
      (field) => before[field.property(type)] !== undefined && field.layout.derived === undefined,
    );
    this.#options.log.node(uid, { type, what: "removed", fields: fields.map((field) => field.name) });
  }

  #link(link: Link): void {
    const end = this.#links.end(link.end);
    if (!this.#links.link(link, (store, a, b) => this.#logLink(store, a, b))) return;
    this.#flush.link(end, link);
    this.#logEnd(end.edge, end.own, { from: link.from, to: link.to, on: true });
  }

  #unlink(link: Unlink): void {
    const end = this.#links.end(link.end);
    if (!this.#links.unlink(link)) return;
    this.#logEnd(end.edge, end.own, { from: link.from, to: link.to, on: false });
  }

  // --- documents

  #assertType(type: TypeName): void {
    if (!this.#schema.types.includes(type)) throw new TypeError(`no type ${type} in the deployed layout`);
  }

  #assign(type: TypeName, doc: Doc, name: FieldName, value: Stored | null | undefined): void {
    const field = this.#schema.fields.get(name);
    if (field === undefined) throw new TypeError(`no field ${name} in the deployed layout`);
    const kept = value === null || value === undefined || !field.list ? value : distinctValues(field.kind, value, equalityText);
    if (kept === null || kept === undefined) delete doc[field.property(type)];
    else putStored(doc, field.property(type), encodeStored(field.kind, kept));
  }

  /** Sets derived fields and index tokens. */
  *#finish(type: TypeName, doc: Doc): Work<void> {
    derive(this.#schema, type, doc);
    const tokens = yield* tokensOf(this.#schema, type, doc);
    if (tokens.length === 0) delete doc[tokensProperty];
    else if (!isSame(doc[tokensProperty], tokens)) doc[tokensProperty] = tokens;
  }

  // --- the change record

  *#logNewEntries(uid: Uid, type: TypeName, doc: Doc): Work<void> {
    const entries: ChangedEntry[] = [];
    for (const index of this.#schema.indexes.values()) {
      for (const key of (yield* entriesOf(index, type, doc)).values()) entries.push({ index: index.name, key, uid, on: true });
    }
    this.#options.log.newEntries(() => entries, entries.length);
  }

  *#logEntries({ uid, type }: NodeState, before: Doc, after: Doc | undefined): Work<void> {
    for (const index of this.#schema.indexes.values()) {
      const old = yield* entriesOf(index, type, before);
      const now = yield* entriesOf(index, type, after);
      for (const [text, key] of old) if (!now.has(text)) this.#options.log.entry(index.name, key, uid, { on: false });
      for (const [text, key] of now) if (!old.has(text)) this.#options.log.entry(index.name, key, uid, { on: true });
    }
  }

  #logEnd(edge: EdgeRuntime, own: 0 | 1, { from, to, on }: { readonly from: Uid; readonly to: Uid; readonly on: boolean }): void {
    const first = own === 0 ? { from, to } : { from: to, to: from };
    this.#options.log.link(edge.layout, edge.flipped ? { from: first.to, to: first.from, on } : { ...first, on });
  }

  #logLink({ edge }: StoreRuntime, a: Uid, b: Uid): void {
    if (edge !== undefined) this.#logEnd(edge, 0, { from: a, to: b, on: false });
  }
}

function isSame(before: unknown, after: readonly string[]): boolean {
  return Array.isArray(before) && before.length === after.length && before.every((each, i) => each === after[i]);
}
