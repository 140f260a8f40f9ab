// Applies changes to the running transaction: records with their index entries and keys, links from both sides.

import {
  type Budget,
  type Change,
  type Create,
  type FieldName,
  type Link,
  type Remove,
  runAtOnce,
  type Set as SetChange,
  type Stored,
  sameStored,
  type Token,
  type Turns,
  type TypeName,
  turnsOf,
  type Uid,
  type Unlink,
  type Value,
  type Work,
} from "../../../core/storage.ts";
import {
  ChangeDispatch,
  type ChangeLog,
  distinctValues,
  endTaken,
  isList,
  keyTaken,
  otherSide,
  uidTaken,
  wellFormed,
} from "../../storage-kit/index.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import { fieldOfProperty } from "../layout/catalog.ts";
import type { EndRuntime, IndexRuntime, KeyRuntime, LinkStoreRuntime } from "../layout/layout-runtime.ts";
import type { NodeStructures } from "../structures/node-structures.ts";
import { type NodeRecord, type OpenRecord, typeProperty } from "../structures/records.ts";
import { equalityText, type SortKey } from "../structures/sort-keys.ts";
import { Additions } from "./additions.ts";
import { eachEntry, entriesOf, keyPartsOf, keyTextOf, namedEntries, removeEntry, removeKnownEntry, stepEntries, vectorOf } from "./entries.ts";
import { LinkedKeys } from "./linked-keys.ts";
import { derive, type Maintenance } from "./maintenance.ts";

export interface WriterOptions {
  readonly maintenance: Maintenance;
  readonly view: EntryView;
  readonly log: ChangeLog;
  readonly maxChanges: number;
  /** Called with every uid that a change creates, so that it is never given again. */
  readonly claim: (uid: Uid) => void;
  readonly budget?: Budget | undefined;
}

/** A change takes some ten microseconds, a hundred with many terms. */
const changesBetweenLooks = 16;
/** Additions that are applied in one turn: some milliseconds. */
const settledAtOnce = 512;
/** More links may be of one list. */
const fewChanges = 32;
/** A vector takes some milliseconds. */
const vectorsBetweenLooks = 1;

export class Writer {
  readonly #nodes: NodeStructures;
  readonly #maintenance: Maintenance;
  readonly #view: EntryView;
  readonly #log: ChangeLog;
  readonly #dispatch: ChangeDispatch;
  readonly #claim: (uid: Uid) => void;
  readonly #additions: Additions;
  readonly #linkedKeys: LinkedKeys;
  /** Those of the request; a write waits for no other request. */
  readonly turns: Turns;
  /** What is left to do for the change that was applied last: its node has more entries than one step takes. */
  #left: Work<void> | undefined;
  /** Why a write ended in the middle of a change, or before its additions were applied. */
  #interrupted: unknown;

  constructor(options: WriterOptions) {
    this.#nodes = options.maintenance.schema.nodes;
    this.#maintenance = options.maintenance;
    this.#view = options.view;
    this.#log = options.log;
    this.#dispatch = new ChangeDispatch({
      handlers: {
        create: (change) => this.#create(change),
        set: (change) => this.#set(change),
        link: (change) => this.#link(change),
        unlink: (change) => this.#unlink(change),
        remove: (change) => this.#remove(change),
      },
      log: options.log,
      maxChanges: options.maxChanges,
    });
    this.#claim = options.claim;
    this.#additions = new Additions(options.view);
    this.#linkedKeys = new LinkedKeys(options.maintenance, options.view);
    this.turns = turnsOf(options.budget);
  }

  /** Does the first step at once: most changes have no second one. */
  #begin(steps: Work<void>): void {
    if (steps.next().done !== true) this.#left = steps;
  }

  #takeLeft(left: Work<void>): Work<void> {
    this.#left = undefined;
    return left;
  }

  #settle(): void {
    this.#settleAdditions();
    this.#linkedKeys.settle();
  }

  #settleAdditions(): void {
    if (this.#additions.count > 0) runAtOnce(this.#additions.settle());
  }

  /** Throws what refused an earlier change, when the transaction would commit a part of it. */
  assertWhole(): void {
    if (this.#interrupted !== undefined) throw this.#interrupted;
    this.#linkedKeys.assertWhole();
  }

  /**
   * Applies changes in order. A refused change has no effect; earlier ones stay in the transaction's view. Readers run between slices, and the write stops
   * after its deadline or when the request is aborted.
   */
  *write(changes: readonly Change[]): Work<void> {
    let count = 0;
    this.#additions.begin({ atOnce: areOfOneNode(changes) });
    const between = this.#maintenance.nearestByProperty.size > 0 ? vectorsBetweenLooks : changesBetweenLooks;
    try {
      for (const change of changes) {
        if (this.#additions.count > settledAtOnce && appliesAdditions(change)) yield* this.#inSlices(this.#additions.settle());
        this.#dispatch.apply(change);
        if (this.#left !== undefined) yield* this.#inSlices(this.#takeLeft(this.#left));
        else if (++count % between === 0) yield* this.#look();
      }
      if (this.#additions.count > settledAtOnce) yield* this.#inSlices(this.#additions.settle());
    } finally {
      if (this.#interrupted === undefined) this.#settle();
    }
  }

  *#inSlices(steps: Work<void>): Work<void> {
    while (steps.next().done !== true) yield* this.#look();
  }

  *#look(): Work<void> {
    try {
      yield;
    } catch (reason) {
      // What is left would hold the turn to its end: the transaction is not committed instead.
      this.#interrupted = reason;
      throw reason;
    }
  }

  #create({ uid, type, fields }: Create): void {
    const typeId = this.#typeId(type);
    if (this.#nodes.types.of(uid, this.#view) !== 0) throw uidTaken(uid);
    const record: OpenRecord = { [typeProperty]: typeId };
    for (const name in fields) this.#assign(record, name, fields[name]);
    derive(this.#maintenance, type, record);
    this.#assertKeysFree(uid, type, undefined, record);
    this.#claim(uid);
    this.#nodes.types.set(uid, typeId, this.#view);
    this.#additions.add(this.#nodes.byType, typeId, uid);
    this.#nodes.records.keyspace.put(uid, record);
    this.#begin(this.#index(uid, type, record));
    this.#maintenance.observer?.created(uid);
    this.#log.node(uid, { type, what: "created", fields: Object.keys(fields) });
  }

  #set({ uid, type, fields }: SetChange): void {
    const before = this.#nodes.records.keyspace.read(uid, this.#view);
    if (before === undefined || this.#nodes.types.of(uid, this.#view) !== this.#typeId(type)) return;
    const after: OpenRecord = { ...before };
    for (const name in fields) this.#assign(after, name, fields[name]);
    derive(this.#maintenance, type, after);
    const changed = changedProperties(before, after);
    if (changed.length === 0) return;
    this.#assertKeysFree(uid, type, before, after);
    this.#linkedKeys.beforeValues(uid, type, changed);
    this.#nodes.records.keyspace.put(uid, after);
    this.#begin(this.#follow(uid, type, before, after));
    this.#log.node(uid, { type, what: "changed", fields: Object.keys(fields).filter((name) => changed.includes(this.#propertyOf(name))) });
  }

  #propertyOf(name: FieldName): string {
    return this.#maintenance.schema.fields.get(name)?.property ?? "";
  }

  #remove({ uid, type }: Remove): void {
    const before = this.#nodes.records.keyspace.read(uid, this.#view);
    const typeId = this.#nodes.types.of(uid, this.#view);
    if (before === undefined || typeId === 0) return;
    this.#settleAdditions();
    this.#linkedKeys.beforeRemoval(uid, type);
    for (const store of this.#maintenance.linkStores) this.#detach(store, uid, type);
    this.#begin(this.#unindex(uid, type, before));
    this.#nodes.records.keyspace.put(uid, undefined);
    this.#nodes.byType.removeKnown(typeId, uid, this.#view);
    this.#nodes.types.set(uid, 0, this.#view);
    const fields = Object.keys(before)
      .map(fieldOfProperty)
      .filter((name) => this.#maintenance.schema.fields.has(name));
    this.#log.node(uid, { type, what: "removed", fields });
  }

  #typeId(type: TypeName): number {
    const id = this.#maintenance.typeIds.get(type);
    if (id === undefined) throw new TypeError(`no type ${type} in the deployed layout`);
    return id;
  }

  #assign(record: OpenRecord, name: string, value: Stored | null | undefined): void {
    const field = this.#maintenance.schema.fields.get(name);
    if (field === undefined) throw new TypeError(`no field ${name} in the deployed layout`);
    const whole = value === null || value === undefined ? undefined : wellFormedStored(value);
    const kept = whole === undefined || !field.list ? whole : distinctValues(field.kind, whole, equalityText);
    if (kept === undefined) delete record[field.property];
    else record[field.property] = kept;
  }

  #assertKeysFree(uid: Uid, type: TypeName, before: NodeRecord | undefined, after: NodeRecord): void {
    for (const { key, enforced } of this.#maintenance.keys) {
      if (!enforced || !key.types.has(type)) continue;
      const text = keyTextOf(key, after, noLinks);
      if (text === undefined) continue;
      const holder = key.lists.short(text, this.#view)?.find((each) => each !== uid);
      if (holder === undefined || (before !== undefined && keyTextOf(key, before, noLinks) === text)) continue;
      throw keyTaken(key.layout, keyPartsOf(key, after, noLinks), { uid, holder, type: this.#typeName(holder) });
    }
  }

  #typeName(uid: Uid): TypeName | undefined {
    return this.#maintenance.typeNames.get(this.#nodes.types.of(uid, this.#view));
  }

  /** Those of a field. A compound index, to which each of its fields leads, comes with the first one. */
  #indexesFrom(property: string): readonly IndexRuntime[] {
    const indexes = this.#maintenance.indexesByProperty.get(property) ?? noIndexes;
    const isOfOther = (index: IndexRuntime) => index.by === "compound" && index.within[0]?.property !== property;
    return indexes.some(isOfOther) ? indexes.filter((index) => !isOfOther(index)) : indexes;
  }

  /** Adds the index entries, column values and keys of a new node. */
  *#index(uid: Uid, type: TypeName, record: NodeRecord): Work<void> {
    const indexes: IndexRuntime[] = [];
    const before = this.#additions.addedEntries;
    for (const property in record) {
      for (const index of this.#indexesFrom(property)) {
        indexes.push(index);
        const left = this.#additions.addRecord(index, uid, record);
        if (left !== undefined) yield* left;
        if (index.by === "ordered") index.column?.set(uid, index.field.values(record)[0], this.#view);
      }
      this.#placeVectors(property, uid, record);
    }
    for (const { key } of this.#maintenance.keys) if (key.types.has(type)) this.#moveKey(key, uid, undefined, record);
    this.#log.newEntries(() => namedEntries(uid, record, indexes, { on: true }), this.#additions.addedEntries - before);
  }

  /** Removes those of a node. Its additions are settled. */
  *#unindex(uid: Uid, type: TypeName, record: NodeRecord): Work<void> {
    this.#maintenance.observer?.changed(uid, record);
    const indexes: IndexRuntime[] = [];
    let removed = 0;
    const remove = (index: IndexRuntime) => (key: SortKey) => {
      if (this.#removeEntry(index, key, uid)) removed++;
    };
    for (const property in record) {
      for (const index of this.#indexesFrom(property)) {
        indexes.push(index);
        const left = eachEntry(index, record, remove(index));
        if (left !== undefined) yield* left;
        if (index.by === "ordered") index.column?.set(uid, undefined, this.#view);
      }
      this.#placeVectors(property, uid, undefined);
    }
    for (const { key } of this.#maintenance.keys) if (key.types.has(type)) this.#moveKey(key, uid, record, undefined);
    this.#log.newEntries(() => namedEntries(uid, record, indexes, { on: false }), removed);
  }

  /** An index that is being built may lack the entry of a node that was there before. @returns false when it was not there */
  #removeEntry(index: IndexRuntime, key: SortKey, uid: Uid): boolean {
    if (this.#maintenance.observer !== undefined) return removeEntry(index, key, uid, this.#view);
    removeKnownEntry(index, key, uid, this.#view);
    return true;
  }

  /** Changes index entries, column values and keys from those of `before` to those of `after`. */
  *#follow(uid: Uid, type: TypeName, before: NodeRecord, after: NodeRecord): Work<void> {
    if (this.#additions.concerns(uid)) this.#settleAdditions();
    this.#maintenance.observer?.changed(uid, before);
    const properties = changedProperties(before, after);
    const keys = new Set<KeyRuntime>();
    const indexes = new Set(properties.flatMap((property) => this.#maintenance.indexesByProperty.get(property) ?? []));
    for (const index of indexes) yield* this.#moveEntries(index, uid, before, after);
    for (const property of properties) {
      for (const { key } of this.#maintenance.keysByProperty.get(property) ?? []) keys.add(key);
      this.#placeVectors(property, uid, after);
    }
    for (const key of keys) if (key.types.has(type)) this.#moveKey(key, uid, before, after);
  }

  *#moveEntries(index: IndexRuntime, uid: Uid, before: NodeRecord, after: NodeRecord): Work<void> {
    const old = yield* entriesOf(index, before);
    const now = yield* entriesOf(index, after);
    let count = 0;
    for (const [key, name] of old) {
      if (!now.has(key) && this.#removeEntry(index, key, uid)) this.#logEntry(index, name, uid, { on: false });
      if (++count % stepEntries === 0) yield;
    }
    for (const [key, name] of now) {
      if (++count % stepEntries === 0) yield;
      if (old.has(key)) continue;
      this.#additions.addEntry(index, key, uid);
      this.#logEntry(index, name, uid, { on: true });
    }
    if (index.by === "ordered") index.column?.set(uid, index.field.values(after)[0], this.#view);
  }

  /** The entries of compound indexes say nothing that others do not. */
  #logEntry(index: IndexRuntime, name: Token | Value, uid: Uid, options: { readonly on: boolean }): void {
    if (index.by !== "compound") this.#log.entry(index.name, name, uid, options);
  }

  #placeVectors(property: string, uid: Uid, record: NodeRecord | undefined): void {
    for (const index of this.#maintenance.nearestByProperty.get(property) ?? []) index.graph.set(uid, vectorOf(index, record), this.#view);
  }

  #moveKey(key: KeyRuntime, uid: Uid, before: NodeRecord | undefined, after: NodeRecord | undefined): void {
    const old = before && keyTextOf(key, before, noLinks);
    const now = after && keyTextOf(key, after, noLinks);
    if (old === now) return;
    if (old !== undefined) key.lists.remove(old, uid, this.#view);
    if (now === undefined) return;
    key.lists.add(now, uid, this.#view);
    if (key.lists.count(now, this.#view) > 1) this.#maintenance.observer?.duplicate(key, now);
  }

  #end(name: string): EndRuntime {
    const end = this.#maintenance.schema.ends.get(name);
    if (end === undefined) throw new TypeError(`no end ${name} in the deployed layout`);
    return end;
  }

  #link(link: Link): void {
    const end = this.#end(link.end);
    const { edge } = end;
    this.#additions.settleLists(end.lists);
    if (end.lists.has(link.from, link.to, this.#view)) return;
    const ownEnds = edge.sides[end.side] ?? [];
    const otherEnds = edge.sides[edge.sides.length === 1 ? 0 : 1 - end.side] ?? [];
    const from = { uid: link.from, type: link.fromType };
    const to = { uid: link.to, type: link.toType };
    this.#assertRoom({ own: ownEnds, other: otherEnds }, from, to);
    this.#assertRoom({ own: otherEnds, other: ownEnds }, to, from);
    this.#beforeLink(end, from, to);
    end.lists.add(link.from, link.to, this.#view);
    this.#additions.add(end.reverse, link.to, link.from);
    // A list that is its own reverse, and the observer of a migration, must see both sides at once.
    if (end.reverse === end.lists || this.#maintenance.observer?.linked !== undefined) this.#additions.settleLists(end.reverse);
    this.#linked(end, { from: link.from, to: link.to, on: true });
  }

  #unlink(link: Unlink): void {
    const end = this.#end(link.end);
    this.#additions.settleLists(end.lists);
    if (end.lists.has(link.from, link.to, this.#view)) this.#forgetLink(end, link.from, link.to);
  }

  #beforeLink(end: EndRuntime, ...nodes: readonly { readonly uid: Uid; readonly type: TypeName }[]): void {
    if (this.#linkedKeys.isEmpty) return;
    this.#additions.settleLists(end.lists);
    this.#additions.settleLists(end.reverse);
    for (const { uid, type } of nodes) this.#linkedKeys.beforeLink(uid, type, end.edge.store);
  }

  #linked(end: EndRuntime, link: { readonly from: Uid; readonly to: Uid; readonly on: boolean }): void {
    const { edge } = end;
    const [from, to] = end.side === 0 ? [link.from, link.to] : [link.to, link.from];
    this.#log.link(edge.layout, { from, to, on: link.on });
    if (edge.flipped) this.#maintenance.observer?.linked?.(edge.store, to, from);
    else this.#maintenance.observer?.linked?.(edge.store, from, to);
  }

  /**
   * A single end of `node` that would show `partner` must show no other node. A hidden link of an earlier schema is removed: it would become a
   * second one when its type returns.
   */
  #assertRoom(
    { own, other }: { readonly own: readonly EndRuntime[]; readonly other: readonly EndRuntime[] },
    node: { readonly uid: Uid; readonly type: TypeName },
    partner: { readonly uid: Uid; readonly type: TypeName },
  ): void {
    for (const end of own) {
      if (end.many || !end.types.has(node.type) || !end.partners.has(partner.type)) continue;
      this.#additions.settleLists(end.lists);
      const partners = end.lists.short(node.uid, this.#view) ?? end.lists.open(node.uid, this.#view).all();
      for (const uid of partners) {
        if (uid === partner.uid) continue;
        const type = this.#typeName(uid) ?? "";
        if (end.partners.has(type)) throw endTaken(end.name, { uid: node.uid, holder: uid, type });
        if (!someShows(own, node.type, type) && !someShows(other, type, node.type)) this.#forgetLink(end, node.uid, uid);
      }
    }
  }

  #forgetLink(end: EndRuntime, from: Uid, to: Uid): void {
    this.#additions.settleLists(end.reverse);
    this.#beforeLink(end, ...[from, to].map((uid) => ({ uid, type: this.#typeName(uid) ?? "" })));
    end.lists.remove(from, to, this.#view);
    end.reverse.remove(to, from, this.#view);
    this.#linked(end, { from, to, on: false });
  }

  /** Removes all links of a node from a link store, on both sides. */
  #detach(store: LinkStoreRuntime, uid: Uid, type: TypeName): void {
    const edge = this.#maintenance.schema.edges.find((each) => each.store.id === store.id);
    for (const side of store.symmetric ? [0 as const] : [0 as const, 1 as const]) {
      if (!store.types[side].has(type)) continue;
      const own = store.lists[side];
      const other = store.lists[otherSide(side)];
      const partners = own.open(uid, this.#view).all();
      for (const partner of this.#linkedKeys.isEmpty ? [] : partners) this.#linkedKeys.beforeLink(partner, this.#typeName(partner) ?? "", store);
      own.clear(uid, this.#view);
      for (const partner of partners) {
        // A build may have one side of a link before the other.
        if (this.#maintenance.observer === undefined) other.removeKnown(partner, uid, this.#view);
        else other.remove(partner, uid, this.#view);
        const [first, second] = side === 0 ? [uid, partner] : [partner, uid];
        if (edge !== undefined)
          this.#log.link(edge.layout, edge.flipped ? { from: second, to: first, on: false } : { from: first, to: second, on: false });
        this.#maintenance.observer?.linked?.(store, first, second);
      }
    }
  }
}

/** Whether a change reads what earlier ones have added. */
function appliesAdditions({ kind }: Change): boolean {
  return kind === "set" || kind === "remove";
}

/** Few changes of at most one node's values: they share hardly a list. */
function areOfOneNode(changes: readonly Change[]): boolean {
  return changes.length <= fewChanges && changes.filter(({ kind }) => kind === "create" || kind === "set").length <= 1;
}

const noIndexes: readonly IndexRuntime[] = Object.freeze([]);

/** Keys of values alone have no ends. */
const noLinks = () => undefined;

function changedProperties(before: NodeRecord, after: NodeRecord): string[] {
  const changed: string[] = [];
  for (const property in after) if (!sameStored(before[property], after[property])) changed.push(property);
  for (const property in before) if (before[property] !== undefined && !(property in after)) changed.push(property);
  return changed;
}

function wellFormedStored(stored: Stored): Stored {
  if (typeof stored === "string") return wellFormed(stored);
  return isList(stored) ? stored.map((value) => (typeof value === "string" ? wellFormed(value) : value)) : stored;
}

function someShows(ends: readonly EndRuntime[], type: TypeName, partner: TypeName): boolean {
  return ends.some((end) => end.types.has(type) && end.partners.has(partner));
}
