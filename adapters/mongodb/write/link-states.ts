// The links that a transaction reads and changes, wherever they are stored. Checks single ends.

import type { Document } from "mongodb";
import type { Change, Link, TypeName, Uid, Unlink } from "../../../core/storage.ts";
import { endTaken, otherSide } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import { type EndRuntime, endsOfSide, type LayoutRuntime, linkPropertyOf, type StoreRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { backText, partnerOfBack } from "../layout/unique-entries.ts";
import type { SessionSource } from "../session/source.ts";
import type { NodeStates } from "./node-states.ts";

type LinkChange = Link | Unlink;

interface PairState {
  readonly store: StoreRuntime;
  readonly a: Uid;
  readonly b: Uid;
  readonly aType: TypeName;
  readonly bType: TypeName;
  stored: boolean;
  present: boolean;
}

type VisitPair = (store: StoreRuntime, a: Uid, b: Uid) => void;

/** A node and its type. */
interface Node {
  readonly uid: Uid;
  readonly type: TypeName;
}

export interface PairDoc extends Doc {
  readonly _id: string;
  readonly a: Uid;
  readonly b: Uid;
  readonly aType: TypeName;
  readonly bType: TypeName;
}

export class LinkStates {
  readonly #source: SessionSource;
  readonly #schema: LayoutRuntime;
  readonly #nodes: NodeStates;
  /** The nodes whose field leads to a target, by store and target. */
  readonly #referrers = new Map<string, Map<Uid, TypeName>>();
  readonly #pairs = new Map<string, PairState>();
  /** Nodes whose partners are all known, by store, side and node. */
  readonly #partners = new Map<string, Map<Uid, TypeName>>();
  readonly #askedPairs = new Set<string>();
  readonly #changedPairs = new Set<PairState>();

  constructor(source: SessionSource, schema: LayoutRuntime, nodes: NodeStates) {
    this.#source = source;
    this.#schema = schema;
    this.#nodes = nodes;
  }

  end(name: string): EndRuntime {
    const end = this.#schema.ends.get(name);
    if (end === undefined) throw new TypeError(`no end ${name} in the deployed layout`);
    return end;
  }

  // --- reads before a slice of changes is applied

  async prepare(changes: readonly Change[]): Promise<void> {
    const referred = new Map<StoreRuntime, Set<Uid>>();
    const pairs = new Map<StoreRuntime, Set<string>>();
    const partners = new Map<StoreRuntime, [Set<Uid>, Set<Uid>]>();
    // A new node has no links yet.
    const created = new Set(changes.flatMap((change) => (change.kind === "create" ? [change.uid] : [])));
    for (const change of changes) {
      if (change.kind === "remove") this.#wantAll(change, referred, partners);
      if (change.kind !== "link" && change.kind !== "unlink") continue;
      const { store, own } = this.end(change.end);
      if (store.placement.shape === "pairs") {
        const [a, b] = this.#ordered(change);
        if (!created.has(a.uid) && !created.has(b.uid)) {
          setAt(pairs, store).add(pairId(a, b));
          if (store.symmetric) setAt(pairs, store).add(pairId(b, a));
        }
        if (change.kind === "link") this.#wantSingles(store, own, change, partners);
      } else if (change.kind === "link" && !store.symmetric && store.placement.shape === "field") {
        const [near, far] = this.#nearAndFar(change);
        const farSide = endsOfSide(store, otherSide(store.placement.side));
        // Where the far end is a list, it has room, and those who refer to it may be many.
        if (farSide.some((end) => !end.many && end.types.has(far.type) && end.partners.has(near.type))) setAt(referred, store).add(far.uid);
      }
    }
    await Promise.all([
      ...[...referred].map(([store, targets]) => this.#loadReferrers(store, targets)),
      ...[...pairs].map(([store, ids]) => this.#loadPairs(store, ids)),
      ...[...partners].map(([store, sides]) => this.#loadPartners(store, sides)),
    ]);
    await this.#loadNearOfRemoved(changes);
    await this.#loadUnseen(referred);
  }

  /** Hidden links to a node may have to be removed. */
  async #loadUnseen(referred: ReadonlyMap<StoreRuntime, ReadonlySet<Uid>>): Promise<void> {
    const unseen = new Map<TypeName, Set<Uid>>();
    for (const [store, targets] of referred) {
      if (store.placement.shape !== "field") continue;
      const ends = endsOfSide(store, otherSide(store.placement.side));
      for (const target of targets)
        for (const [uid, type] of this.#referrers.get(`${store.id}:${target}`) ?? [])
          if (!ends.every((end) => end.partners.has(type))) setAt(unseen, type).add(uid);
    }
    await this.#nodes.load(unseen);
  }

  async #loadNearOfRemoved(changes: readonly Change[]): Promise<void> {
    const near = new Map<TypeName, Set<Uid>>();
    for (const change of changes) {
      if (change.kind !== "remove") continue;
      for (const store of this.#schema.stores.values())
        for (const [uid, type] of this.#referrers.get(`${store.id}:${change.uid}`) ?? []) setAt(near, type).add(uid);
    }
    await this.#nodes.load(near);
  }

  /** Loads all links of removed nodes. */
  #wantAll({ uid, type }: Node, referred: Map<StoreRuntime, Set<Uid>>, partners: Map<StoreRuntime, [Set<Uid>, Set<Uid>]>): void {
    for (const store of this.#schema.stores.values()) {
      for (const side of [0, 1] as const) {
        if (!store.types[side].includes(type)) continue;
        if (store.placement.shape === "pairs") sidesAt(partners, store)[side].add(uid);
        else if (store.placement.side !== side || store.symmetric) setAt(referred, store).add(uid);
      }
    }
  }

  /** Loads the other partners of nodes whose single end a new pair would set. */
  #wantSingles(store: StoreRuntime, own: 0 | 1, link: LinkChange, partners: Map<StoreRuntime, [Set<Uid>, Set<Uid>]>): void {
    const isSingle = (side: 0 | 1, type: TypeName) => endsOfSide(store, side).some((end) => !end.many && end.types.has(type));
    if (isSingle(own, link.fromType)) sidesAt(partners, store)[own].add(link.from);
    if (isSingle(otherSide(own), link.toType)) sidesAt(partners, store)[store.symmetric ? own : otherSide(own)].add(link.to);
  }

  async #loadReferrers(store: StoreRuntime, targets: ReadonlySet<Uid>): Promise<void> {
    if (store.placement.shape !== "field") return;
    const missing = [...targets].filter((uid) => !this.#referrers.has(`${store.id}:${uid}`));
    if (missing.length === 0) return;
    for (const uid of missing) this.#referrers.set(`${store.id}:${uid}`, new Map());
    await Promise.all(
      store.types[store.placement.side].map((type) => {
        if (store.backs?.types.has(type)) return this.#loadBacks(store, store.backs.collection, { type, targets: missing });
        const property = linkPropertyOf(store, type);
        return this.#source.links(collectionOf(type), { [property]: { $in: missing } }, { [property]: 1 }, (doc) =>
          this.#referrers.get(`${store.id}:${doc[property]}`)?.set(Number(doc._id), type),
        );
      }),
    );
  }

  /** Each target has one referrer of the type at most, whose entry is found without the nodes. */
  #loadBacks(store: StoreRuntime, collection: string, { type, targets }: { readonly type: TypeName; readonly targets: readonly Uid[] }) {
    const wanted = { k: { $in: targets.map((target) => backText(target, type)) } };
    return this.#source.links(collection, wanted, { k: 1 }, (doc) =>
      this.#referrers.get(`${store.id}:${partnerOfBack(String(doc.k))}`)?.set(Number(doc._id), type),
    );
  }

  async #loadPairs(store: StoreRuntime, ids: ReadonlySet<string>): Promise<void> {
    const missing = [...ids].filter((id) => !this.#askedPairs.has(`${store.id}:${id}`));
    if (missing.length === 0 || store.placement.shape !== "pairs") return;
    for (const id of missing) this.#askedPairs.add(`${store.id}:${id}`);
    await this.#loadWhere(store, store.placement.collection, pairsById(missing, this.#schema));
  }

  async #loadPartners(store: StoreRuntime, sides: readonly [ReadonlySet<Uid>, ReadonlySet<Uid>]): Promise<void> {
    if (store.placement.shape !== "pairs") return;
    const { collection } = store.placement;
    const reads: Promise<void>[] = [];
    for (const side of store.symmetric ? ([0] as const) : ([0, 1] as const)) {
      const wanted = store.symmetric ? new Set([...sides[0], ...sides[1]]) : sides[side];
      const missing = [...wanted].filter((uid) => !this.#partners.has(`${store.id}:${side}:${uid}`));
      if (missing.length === 0) continue;
      for (const uid of missing) this.#partners.set(`${store.id}:${side}:${uid}`, new Map());
      reads.push(this.#loadWhere(store, collection, { [side === 0 ? "a" : "b"]: { $in: missing } }));
      // A symmetric pair is stored for both nodes.
      if (store.symmetric) reads.push(this.#loadWhere(store, collection, { b: { $in: missing } }));
    }
    await Promise.all(reads);
  }

  async #loadWhere(store: StoreRuntime, collection: string, filter: Document): Promise<void> {
    await this.#source.links(collection, filter, undefined, (doc) => this.#knowPair(store, doc));
  }

  #knowPair(store: StoreRuntime, doc: Doc): void {
    const { _id: id, a, b, aType, bType } = asPair(doc);
    const key = `${store.id}:${id}`;
    this.#askedPairs.add(key);
    let state = this.#pairs.get(key);
    if (state === undefined) {
      state = { store, a, b, aType, bType, stored: true, present: true };
      this.#pairs.set(key, state);
    }
    if (state.present) this.#notePartners(state);
  }

  #notePartners({ store, a, b, aType, bType, present }: PairState): void {
    const of = (side: 0 | 1, uid: Uid) => this.#partners.get(`${store.id}:${side}:${uid}`);
    const change = (known: Map<Uid, TypeName> | undefined, uid: Uid, type: TypeName) => {
      if (present) known?.set(uid, type);
      else known?.delete(uid);
    };
    change(of(0, a), b, bType);
    if (!store.symmetric) change(of(1, b), a, aType);
  }

  // --- changes

  /** @returns whether the link is new; throws when a single end is taken. Calls `visit` with removed hidden links. */
  link(link: Link, visit: VisitPair): boolean {
    const end = this.end(link.end);
    const from: Node = { uid: link.from, type: link.fromType };
    const to: Node = { uid: link.to, type: link.toType };
    if (this.#has(end, link)) return false;
    this.#makeRoom(end.store, end.own, { node: from, partner: to }, visit);
    this.#makeRoom(end.store, end.store.symmetric ? end.own : otherSide(end.own), { node: to, partner: from }, visit);
    if (end.store.placement.shape === "pairs") this.#setPair(end.store, this.#ordered(link), { present: true });
    else this.#setFields(link, link.to, link.from);
    return true;
  }

  /** @returns whether the link existed */
  unlink(link: Unlink): boolean {
    const end = this.end(link.end);
    if (!this.#has(end, link)) return false;
    if (end.store.placement.shape === "pairs") this.#setPair(end.store, this.#ordered(link), { present: false });
    else this.#setFields(link, undefined, undefined);
    return true;
  }

  #has(end: EndRuntime, link: LinkChange): boolean {
    if (end.store.placement.shape === "pairs") return this.#pairs.get(`${end.store.id}:${pairId(...this.#ordered(link))}`)?.present ?? false;
    const [near, far] = this.#nearAndFar(link);
    return this.#fieldOf(end.store, near) === far.uid;
  }

  #fieldOf(store: StoreRuntime, { uid, type }: Node): Uid | undefined {
    const partner = this.#nodes.get(uid, type)?.doc?.[linkPropertyOf(store, type)];
    return partner === undefined || partner === null ? undefined : Number(partner);
  }

  #nearAndFar(link: LinkChange): readonly [Node, Node] {
    const { store, own } = this.end(link.end);
    const from: Node = { uid: link.from, type: link.fromType };
    const to: Node = { uid: link.to, type: link.toType };
    return store.placement.shape === "field" && (store.symmetric || store.placement.side === own) ? [from, to] : [to, from];
  }

  /** The pair as the store holds it. */
  #ordered(link: LinkChange): readonly [Node, Node] {
    const from: Node = { uid: link.from, type: link.fromType };
    const to: Node = { uid: link.to, type: link.toType };
    return this.end(link.end).own === 0 ? [from, to] : [to, from];
  }

  #setFields(link: LinkChange, partner: Uid | undefined, back: Uid | undefined): void {
    const { store } = this.end(link.end);
    const [near, far] = this.#nearAndFar(link);
    if (!store.symmetric) this.setField(store, near, partner === undefined ? undefined : far.uid);
    else {
      this.setField(store, near, partner);
      if (near.uid !== far.uid) this.setField(store, far, back);
    }
  }

  setField(store: StoreRuntime, { uid, type }: Node, partner: Uid | undefined): void {
    const state = this.#nodes.get(uid, type);
    if (state?.doc === undefined) return;
    const property = linkPropertyOf(store, type);
    const before = this.#fieldOf(store, { uid, type });
    if (before !== undefined) this.#referrers.get(`${store.id}:${before}`)?.delete(uid);
    const { [property]: _, ...rest } = state.doc;
    state.doc = partner === undefined ? { ...rest, _id: state.doc._id } : { ...state.doc, [property]: partner };
    if (partner !== undefined) this.#referrers.get(`${store.id}:${partner}`)?.set(uid, type);
  }

  #setPair(store: StoreRuntime, [a, b]: readonly [Node, Node], { present }: PairPresence): void {
    this.#setOnePair(store, a, b, { present });
    if (store.symmetric && a.uid !== b.uid) this.#setOnePair(store, b, a, { present });
  }

  #setOnePair(store: StoreRuntime, a: Node, b: Node, { present }: PairPresence): void {
    const key = `${store.id}:${pairId(a, b)}`;
    let state = this.#pairs.get(key);
    if (state === undefined) {
      state = { store, a: a.uid, b: b.uid, aType: a.type, bType: b.type, stored: false, present };
      this.#pairs.set(key, state);
    }
    state.present = present;
    this.#changedPairs.add(state);
    this.#notePartners(state);
  }

  /**
   * A single end of `node` that would show `partner` must show no other node. A hidden link of an earlier schema is removed: it would become a
   * second one when its type returns.
   */
  #makeRoom(store: StoreRuntime, side: 0 | 1, { node, partner }: { readonly node: Node; readonly partner: Node }, visit: VisitPair): void {
    const [own, other] = [endsOfSide(store, side), endsOfSide(store, otherSide(side))];
    for (const end of own) {
      if (end.many || !end.types.has(node.type) || !end.partners.has(partner.type)) continue;
      for (const [uid, type] of [...this.#partnersOn(store, side, node)]) {
        if (uid === partner.uid) continue;
        if (type === undefined || end.partners.has(type)) throw endTaken(end.name, { uid: node.uid, holder: uid, type });
        if (!someShows(own, node.type, type) && !someShows(other, type, node.type)) this.#letGo(store, side, { node, partner: { uid, type } }, visit);
      }
    }
  }

  #letGo(store: StoreRuntime, side: 0 | 1, { node, partner }: { readonly node: Node; readonly partner: Node }, visit: VisitPair): void {
    const [a, b] = side === 0 ? [node, partner] : [partner, node];
    if (store.placement.shape === "pairs") this.#setPair(store, [a, b], { present: false });
    else this.setField(store, store.placement.side === 0 ? a : b, undefined);
    visit(store, a.uid, b.uid);
  }

  #partnersOn(store: StoreRuntime, side: 0 | 1, node: Node): Iterable<readonly [Uid, TypeName | undefined]> {
    if (store.placement.shape === "pairs") return this.#partners.get(`${store.id}:${store.symmetric ? 0 : side}:${node.uid}`) ?? [];
    if (!store.symmetric && store.placement.side !== side) return this.#referrers.get(`${store.id}:${node.uid}`) ?? [];
    const partner = this.#fieldOf(store, node);
    if (partner === undefined) return [];
    const types = store.types[otherSide(side)];
    return [[partner, types.length === 1 ? types[0] : undefined]];
  }

  /** Removes all links of a node, and calls `visit` with each. */
  detach(node: Node, visit: VisitPair): void {
    for (const store of this.#schema.stores.values()) {
      if (store.placement.shape === "pairs") this.#detachPairs(store, node, visit);
      else this.#detachFields(store, node, visit);
    }
  }

  #detachPairs(store: StoreRuntime, node: Node, visit: VisitPair): void {
    for (const side of store.symmetric ? ([0] as const) : ([0, 1] as const)) {
      const partners = this.#partners.get(`${store.id}:${side}:${node.uid}`);
      for (const [uid, type] of [...(partners ?? [])]) {
        const partner = { uid, type };
        const [a, b] = side === 0 ? [node, partner] : [partner, node];
        this.#setPair(store, [a, b], { present: false });
        visit(store, a.uid, b.uid);
      }
    }
  }

  #detachFields(store: StoreRuntime, node: Node, visit: VisitPair): void {
    if (store.placement.shape !== "field") return;
    const { side } = store.placement;
    const visitPair = (near: Uid, far: Uid) => (side === 0 ? visit(store, near, far) : visit(store, far, near));
    if (store.symmetric || store.types[side].includes(node.type)) {
      const partner = this.#fieldOf(store, node);
      if (partner !== undefined) {
        this.setField(store, node, undefined);
        visitPair(node.uid, partner);
      }
    }
    for (const [uid, type] of [...(this.#referrers.get(`${store.id}:${node.uid}`) ?? [])]) {
      this.setField(store, { uid, type }, undefined);
      if (!store.symmetric) visitPair(uid, node.uid);
    }
  }

  /** The pairs to insert and to delete, by collection. They count as written afterwards. */
  takePairs(): { readonly made: ReadonlyMap<string, readonly PairDoc[]>; readonly gone: ReadonlyMap<string, readonly string[]> } {
    const made = new Map<string, PairDoc[]>();
    const gone = new Map<string, string[]>();
    for (const state of this.#changedPairs) {
      const { store, a, b, aType, bType } = state;
      if (state.stored === state.present || store.placement.shape !== "pairs") continue;
      const id = `${a}>${b}`;
      if (state.present) listAt(made, store.placement.collection).push({ _id: id, a, b, aType, bType });
      else listAt(gone, store.placement.collection).push(id);
      state.stored = state.present;
    }
    this.#changedPairs.clear();
    return { made, gone };
  }
}

interface PairPresence {
  readonly present: boolean;
}

function someShows(ends: readonly EndRuntime[], type: TypeName, partner: TypeName): boolean {
  return ends.some((end) => end.types.has(type) && end.partners.has(partner));
}

function pairId(a: Node, b: Node): string {
  return `${a.uid}>${b.uid}`;
}

/** Finds links by id; in a sharded database on the shards of their first sides. */
export function pairsById(ids: readonly string[], { sharded }: Pick<LayoutRuntime, "sharded">): Document {
  const firstSides = () => [...new Set(ids.map((id) => Number.parseInt(id, 10)))];
  return { _id: { $in: [...ids] }, ...(sharded && { a: { $in: firstSides() } }) };
}

/** Parses a stored document. */
function asPair(doc: Doc): PairDoc {
  return { _id: String(doc._id), a: Number(doc.a), b: Number(doc.b), aType: String(doc.aType), bType: String(doc.bType) };
}

export function setAt<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  let set = map.get(key);
  if (set === undefined) {
    set = new Set();
    map.set(key, set);
  }
  return set;
}

function listAt<V>(map: Map<string, V[]>, key: string): V[] {
  let list = map.get(key);
  if (list === undefined) {
    list = [];
    map.set(key, list);
  }
  return list;
}

function sidesAt(map: Map<StoreRuntime, [Set<Uid>, Set<Uid>]>, store: StoreRuntime): [Set<Uid>, Set<Uid>] {
  let sides = map.get(store);
  if (sides === undefined) {
    sides = [new Set(), new Set()];
    map.set(store, sides);
  }
  return sides;
}
