// Builds the missing structures of a new layout, slice by slice in the writer's turn. Reads and writes go on under the old layout.

import { type MigrationStep, run, type TypeName, turnsOf, type Uid, type Work } from "../../../core/storage.ts";
import { type DeployPlan, type EdgeBuild, type EdgeSource, endViolation } from "../../storage-kit/index.ts";
import { BuildProgress } from "../build/build-progress.ts";
import { CatchUp } from "../build/catch-up.ts";
import type { LoadedIndexes } from "../build/loaded-indexes.ts";
import type { NodePlace, PlacedNote, ReadNote } from "../build/progress-notes.ts";
import { resumedAt, SortedIndexes } from "../build/sorted-indexes.ts";
import type { Database } from "../database/database.ts";
import type { ReaderView } from "../keyspaces/epoch.ts";
import type { BegunBuild, Catalog } from "../layout/catalog.ts";
import type { EdgeRuntime, EndRuntime, IndexRuntime, KeyRuntime, LayoutRuntime, LinkStoreRuntime, NearestRuntime } from "../layout/layout-runtime.ts";
import { type NodeRecord, type OpenRecord, typeIdOf } from "../structures/records.ts";
import { keyTextOf, type PartnerAt, partnersIn, vectorOf } from "../write/entries.ts";
import { type BuildObserver, derive } from "../write/maintenance.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { eachNode } from "./each-node.ts";
import { expectNewLists, textListsOf } from "./load-mode.ts";

/** Each takes some milliseconds; a concurrent writer waits for them. */
const vectorsAtOnce = 16;
const changesAtOnce = 250;
/** A step that builds more is described by their number. */
const namesInStep = 3;

export interface BuildOptions {
  /** The layout that is built. */
  readonly schema: LayoutRuntime;
  /** Kept of the build, so that the next one goes on; its ids are those of the plan. Undefined when it builds no indexes, keys or fields. */
  readonly begun: BegunBuild | undefined;
  /** What indexes gather in memory before they use the disk, counted in uids. */
  readonly gatheredAtMost: number | undefined;
  /** All indexes that are to be built, but for those of nearest nodes. */
  readonly loaded: LoadedIndexes | undefined;
}

/** Thrown when the indexes that were loaded turn out to be of no use. */
export const lateChanges: unique symbol = Symbol("a load has changed nodes while another thread wrote their index entries");

export class Build implements BuildObserver {
  readonly #database: Database;
  readonly #plan: DeployPlan<Catalog>;
  readonly #schema: LayoutRuntime;
  readonly #kept: BuildProgress | undefined;
  readonly #indexes: readonly IndexRuntime[];
  /** None where they are loaded. */
  readonly #sorted: SortedIndexes;
  readonly #loaded: LoadedIndexes | undefined;
  readonly #nearest: readonly NearestRuntime[];
  readonly #keys: readonly KeyRuntime[];
  /** Built last, when their links are there. */
  readonly #linkedKeys: readonly KeyRuntime[];
  readonly #edges: readonly BuildingEdge[];
  /** Key texts that several nodes held at some point of the build. */
  readonly #duplicateKeys = new Map<KeyRuntime, Set<string>>();
  readonly #crowdedEnds = new Map<EndRuntime, Set<Uid>>();

  constructor(database: Database, plan: DeployPlan<Catalog>, { schema, begun, gatheredAtMost, loaded }: BuildOptions) {
    this.#database = database;
    this.#plan = plan;
    this.#schema = schema;
    this.#kept = begun && new BuildProgress(database, begun);
    this.#indexes = [...schema.indexes.values()].filter((index) => plan.indexes.has(index.id));
    this.#loaded = loaded;
    this.#sorted = new SortedIndexes(database, loaded === undefined ? this.#indexes : [], { gatheredAtMost, kept: this.#kept });
    this.#nearest = schema.nearest.filter((index) => plan.indexes.has(index.id));
    const keys = schema.keys.filter((key) => plan.keys.has(key.id));
    this.#keys = keys.filter((key) => key.ends.length === 0);
    this.#linkedKeys = keys.filter((key) => key.ends.length > 0);
    this.#edges = plan.edges.flatMap((build) => this.#buildingEdge(build) ?? []);
  }

  #buildingEdge(build: EdgeBuild): BuildingEdge | undefined {
    const edge = this.#schema.edges.find((each) => each.store.id === build.id);
    if (edge === undefined) return undefined;
    const sources = build.sources.flatMap((source) => {
      const store = this.#database.schema.linkStores.find((each) => each.id === source.end.links);
      return store === undefined ? [] : [{ ...source, store }];
    });
    return { edge, sources };
  }

  /** Builds everything. Until the switch, writers maintain the new structures. */
  async run(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    await this.#beginMaintaining();
    const read = this.#kept?.note("read");
    if (read !== undefined) this.#sorted.resume(read, this.#kept?.note("written"));
    if ((this.#loaded ? 0 : this.#indexes.length) + this.#keys.length + this.#plan.derived.length > 0) {
      await this.#readNodes(read, progress);
      await this.#sorted.write(progress);
      await this.#sorted.indexChanged();
    }
    await this.#keepNodes();
    await this.#placeAllVectors(progress);
    for (const building of this.#edges) {
      const types = new Set(building.sources.flatMap((source) => source.carried.types));
      const visit = (uid: Uid, type: string) => {
        if (types.has(type)) for (const source of building.sources) this.#buildLinks(building, source, { uid, type });
      };
      await this.#eachNode(`edge ${building.edge.layout.name}`, progress, { visit: inOneStep(visit) });
    }
    for (const key of this.#linkedKeys) {
      const visit = (uid: Uid, type: string) => {
        const record = key.types.has(type) ? this.#schema.nodes.records.keyspace.read(uid, this.#database.writerView) : undefined;
        if (record !== undefined) this.#addKey(key, uid, record);
      };
      await this.#eachNode(`key ${key.layout.name}`, progress, { visit: inOneStep(visit) });
    }
  }

  /** From here on writers maintain what is built. What changed while the build was interrupted is made up for. */
  async #beginMaintaining(): Promise<void> {
    const database = this.#database;
    const { result } = await database.write(async () => {
      await expectNewLists(database, textListsOf(this.#indexes, [...this.#keys, ...this.#linkedKeys]));
      await database.engine.settled();
      const missed = this.#loaded ? this.#loaded.missed() : [];
      if (missed === undefined) throw lateChanges;
      database.keepUp({ schema: this.#schema, observer: this });
      return { result: { view: database.read(), missed }, wrote: false };
    });
    const { view: before, missed } = result;
    try {
      await this.#indexMissed(missed);
      if (this.#kept?.isKept === true) await this.#catchUp(this.#kept, before);
    } finally {
      before.close();
    }
  }

  /** Nodes that loaded indexes do not hold. */
  async #indexMissed(uids: readonly Uid[]): Promise<void> {
    if (uids.length === 0) return;
    const late = new SortedIndexes(this.#database, this.#indexes, { gatheredAtMost: undefined, kept: undefined });
    for (const uid of uids) late.changed(uid);
    await late.indexChanged();
    for (let start = 0; start < uids.length; start += changesAtOnce) {
      const some = uids.slice(start, start + changesAtOnce);
      await this.#database.write(() => {
        for (const uid of some) this.#setColumns(uid, this.#schema.nodes.records.keyspace.read(uid, this.#database.writerView));
        return { result: undefined, wrote: true };
      });
    }
  }

  #setColumns(uid: Uid, record: NodeRecord | undefined): void {
    for (const index of this.#indexes) {
      if (index.by === "ordered") index.column?.set(uid, record && index.field.values(record)[0], this.#database.writerView);
    }
  }

  async #catchUp(kept: BuildProgress, before: ReaderView): Promise<void> {
    let missed: Uid[] = [];
    for await (const [uid, what] of kept.changes(before)) {
      this.#sorted.changed(uid);
      if (what !== "followed") missed.push(uid);
      if (missed.length < changesAtOnce) continue;
      await this.#followMissed(kept, missed);
      missed = [];
    }
    if (missed.length > 0) await this.#followMissed(kept, missed);
  }

  async #followMissed({ log }: BuildProgress, uids: readonly Uid[]): Promise<void> {
    const view = this.#database.writerView;
    const catchUp = new CatchUp({
      indexes: this.#indexes,
      nearest: this.#nearest,
      keys: this.#keys,
      view,
      duplicate: (key, text) => this.duplicate(key, text),
    });
    const turns = turnsOf(undefined);
    await this.#database.write(async () => {
      for (const uid of uids) {
        const before = log.recordBefore(uid, view);
        const after = this.#derived(uid);
        const of = after ?? before;
        if (of !== undefined) await run(catchUp.follow(uid, { before, after, type: this.#schema.typeNames.get(typeIdOf(of)) ?? "" }), turns);
        log.caughtUp(uid);
        if (turns.isTurnOver) await turns.turn();
      }
      return { result: undefined, wrote: true };
    });
  }

  async #readNodes(read: ReadNote | undefined, progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    if (read !== undefined && read.place === null) return;
    const nodes = await this.#eachNode(this.#nodeWork(), progress, {
      visit: (uid, type) => this.#buildNode(uid, type),
      between: (place, nodes) => this.#sorted.spillIfFull({ place, nodes }),
      ...(read?.place && { from: { place: read.place, nodes: read.nodes } }),
    });
    await this.#sorted.endReading(nodes);
  }

  /** The parts that are built now are not built again after an interruption of those that follow. */
  async #keepNodes(): Promise<void> {
    if (this.#kept === undefined || this.#kept.isKept || this.#nearest.length + this.#edges.length + this.#linkedKeys.length === 0) return;
    await this.#kept.keep({ read: { place: null, nodes: 0, parts: [] }, written: { parts: this.#indexes.length, entries: 0 } });
  }

  #addKey(key: KeyRuntime, uid: Uid, record: NodeRecord): void {
    const view = this.#database.writerView;
    const text = keyTextOf(key, record, this.#partnersOf(uid));
    if (text === undefined) return;
    key.lists.add(text, uid, view);
    if (key.lists.count(text, view) > 1) this.duplicate(key, text);
  }

  #partnersOf(uid: Uid): PartnerAt {
    const { nodes, typeNames } = this.#schema;
    const view = this.#database.writerView;
    return partnersIn(view, uid, (partner) => typeNames.get(nodes.types.of(partner, view)));
  }

  async #placeAllVectors(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    const placed = this.#kept?.note("placed");
    for (const [graphs, index] of this.#nearest.entries()) {
      if (placed !== undefined && graphs < placed.graphs) continue;
      const from = placed !== undefined && graphs === placed.graphs ? placed : undefined;
      await this.#placeVectors(index, { graphs, from, progress });
    }
  }

  /** Readers run between two vectors, other writers after a few. */
  async #placeVectors(index: NearestRuntime, { graphs, from, progress }: Placing): Promise<void> {
    const view = this.#database.writerView;
    const { records } = this.#schema.nodes;
    const total = index.field.types.reduce((sum, type) => sum + this.#schema.nodes.byType.count(this.#typeId(type), view), 0);
    const what = `index ${index.name}${from === undefined ? "" : resumedAt(from.nodes)}`;
    const turns = turnsOf(undefined);
    let done = from?.nodes ?? 0;
    for (const { type, after } of placesFrom(index.field.types, from?.place)) {
      const work = async (uids: readonly Uid[]) => {
        for (const uid of uids) {
          index.graph.set(uid, vectorOf(index, records.keyspace.read(uid, view)), view);
          if (turns.isTurnOver) await turns.turn();
        }
        done += uids.length;
        this.#kept?.put("placed", { graphs, place: { type, after: uids.at(-1) ?? after }, nodes: done });
        progress?.({ what, done: Math.min(done, total), total });
        return undefined;
      };
      await eachNode(this.#database, this.#typeId(type), work, { sliceNodes: vectorsAtOnce, after });
    }
    progress?.({ what, done: total, total });
  }

  #typeId(type: TypeName): number {
    return this.#database.catalog.types[type] ?? 0;
  }

  async abandon(): Promise<void> {
    this.#database.keepUp();
  }

  /** Structures that nothing needs after the build. */
  get garbage(): readonly number[] {
    return this.#kept?.garbage ?? [];
  }

  /** @param isOver nobody goes on with this build */
  async end({ isOver }: { readonly isOver: boolean }): Promise<void> {
    if (isOver) await this.#sorted.removeRuns();
  }

  #nodeWork(): string {
    const kinds = [
      { one: "index", many: "indexes", names: this.#indexes.map(({ name }) => name) },
      { one: "key", many: "keys", names: this.#keys.map(({ layout }) => layout.name) },
      { one: "field", many: "fields", names: this.#plan.derived.map(({ name }) => name) },
    ].filter(({ names }) => names.length > 0);
    const total = kinds.reduce((sum, { names }) => sum + names.length, 0);
    const named = kinds.flatMap(({ one, names }) => names.map((name) => `${one} ${name}`));
    const counted = kinds.map(({ one, many, names }) => `${names.length} ${names.length === 1 ? one : many}`);
    return (total > namesInStep ? counted : named).join(", ");
  }

  /** @returns the number of nodes */
  async #eachNode(name: string, progress: ((step: MigrationStep) => void) | undefined, { visit, between, from }: NodeVisit): Promise<number> {
    const types = Object.keys(this.#database.catalog.types);
    const total = types.reduce((sum, type) => sum + this.#schema.nodes.byType.count(this.#typeId(type), this.#database.writerView), 0);
    const what = from === undefined ? name : `${name}${resumedAt(from.nodes)}`;
    let done = from?.nodes ?? 0;
    if (from !== undefined) progress?.({ what, done, total });
    for (const begin of placesFrom(types, from?.place)) {
      let place = begin;
      const { type } = begin;
      const turns = turnsOf(undefined);
      const visitAll = function* (uids: readonly Uid[]): Work<undefined> {
        for (const uid of uids) {
          yield* visit(uid, type);
          yield;
        }
        place = { type, after: uids.at(-1) ?? place.after };
        done += uids.length;
        progress?.({ what, done: Math.min(done, total), total });
        return undefined;
      };
      const work = (uids: readonly Uid[]) => run(visitAll(uids), turns);
      await eachNode(this.#database, this.#typeId(type), work, { after: begin.after, ...(between && { between: () => between(place, done) }) });
    }
    progress?.({ what, done: total, total });
    return done;
  }

  /** The record of a node, with the values of new derivations. */
  #derived(uid: Uid): NodeRecord | undefined {
    const { records } = this.#schema.nodes;
    const record = records.keyspace.read(uid, this.#database.writerView);
    if (record === undefined || this.#plan.derived.length === 0) return record;
    const derived: OpenRecord = { ...record };
    derive(this.#database.maintenance, this.#schema.typeNames.get(typeIdOf(record)) ?? "", derived);
    records.keyspace.put(uid, derived);
    return derived;
  }

  *#buildNode(uid: Uid, type: TypeName): Work<void> {
    const record = this.#derived(uid);
    if (record === undefined) return;
    yield* this.#sorted.gather(uid, record);
    this.#setColumns(uid, record);
    for (const key of this.#keys) if (key.types.has(type)) this.#addKey(key, uid, record);
  }

  #buildLinks({ edge }: BuildingEdge, source: BuildingSource, { uid, type }: { readonly uid: Uid; readonly type: string }): void {
    const view = this.#database.writerView;
    const { nodes, typeNames } = this.#schema;
    for (const partner of source.store.lists[source.end.side].open(uid, view).all()) {
      if (!source.carried.has(type, typeNames.get(nodes.types.of(partner, view)) ?? "")) continue;
      if (source.side === 0) this.#setPair(edge, uid, partner, { present: true });
      else this.#setPair(edge, partner, uid, { present: true });
    }
  }

  #setPair(edge: EdgeRuntime, first: Uid, second: Uid, { present }: { readonly present: boolean }): void {
    const view = this.#database.writerView;
    const [forward, backward] = edge.store.lists;
    if (present) {
      forward.add(first, second, view);
      backward.add(second, first, view);
      this.#noteCrowd(edge, first, 0);
      this.#noteCrowd(edge, second, edge.store.symmetric ? 0 : 1);
    } else {
      forward.remove(first, second, view);
      backward.remove(second, first, view);
    }
  }

  #noteCrowd(edge: EdgeRuntime, uid: Uid, side: 0 | 1): void {
    for (const end of edge.sides[side] ?? []) {
      if (end.many || end.lists.count(uid, this.#database.writerView) < 2) continue;
      const crowd = this.#crowdedEnds.get(end) ?? new Set();
      this.#crowdedEnds.set(end, crowd.add(uid));
    }
  }

  changed(uid: Uid): void {
    this.#sorted.changed(uid);
    this.#kept?.changed(uid);
  }

  /** Writers add its entries. */
  created(): void {}

  duplicate(key: KeyRuntime, text: string): void {
    if (!this.#plan.keys.has(key.id)) return;
    const crowd = this.#duplicateKeys.get(key) ?? new Set();
    this.#duplicateKeys.set(key, crowd.add(text));
  }

  /** A pair was added to or removed from a source of an edge that is being built. The edge has a pair if any of its sources has it. */
  linked(store: LinkStoreRuntime, first: Uid, second: Uid): void {
    for (const building of this.#edges) {
      for (const source of building.sources) {
        if (source.store.id !== store.id) continue;
        const [node, partner] = source.end.side === 0 ? [first, second] : [second, first];
        this.#mirror(building, source, node, partner);
        if (store.symmetric) this.#mirror(building, source, partner, node);
      }
    }
  }

  #mirror(building: BuildingEdge, { side }: BuildingSource, node: Uid, partner: Uid): void {
    const [first, second] = side === 0 ? [node, partner] : [partner, node];
    const has = (a: Uid, b: Uid) => building.sources.some((source) => (source.side === 0 ? this.#has(source, a, b) : this.#has(source, b, a)));
    const present = has(first, second) || (building.edge.store.symmetric && has(second, first));
    this.#setPair(building.edge, first, second, { present });
  }

  #has(source: BuildingSource, node: Uid, partner: Uid): boolean {
    const view = this.#database.writerView;
    const { nodes, typeNames } = this.#schema;
    const typeOf = (uid: Uid) => typeNames.get(nodes.types.of(uid, view)) ?? "";
    return source.carried.has(typeOf(node), typeOf(partner)) && source.store.lists[source.end.side].open(node, view).contains(partner);
  }

  /** Sentences about data that the new layout forbids; each names up to ten nodes. Call it in the writer's turn. */
  violations(): string[] {
    return [...this.#keyViolations(), ...this.#endViolations()];
  }

  *#keyViolations(): Generator<string> {
    const view = this.#database.writerView;
    for (const [key, texts] of this.#duplicateKeys) {
      const held = [...texts].map((text) => key.lists.open(text, view)).filter((list) => list.count > 1);
      if (held.length > 0)
        yield duplicateKey(this.#schema, view, { key, groups: held.map((list) => list.all()), partnersOf: (uid) => this.#partnersOf(uid) });
    }
  }

  *#endViolations(): Generator<string> {
    const view = this.#database.writerView;
    const { nodes, typeNames } = this.#schema;
    const isOf = (types: ReadonlySet<string>, uid: Uid) => types.has(typeNames.get(nodes.types.of(uid, view)) ?? "");
    for (const [end, crowd] of this.#crowdedEnds) {
      const offenders = [...crowd]
        .filter((uid) => isOf(end.types, uid))
        .map((uid) => ({
          uid,
          partners: end.lists
            .open(uid, view)
            .all()
            .filter((partner) => isOf(end.partners, partner)),
        }))
        .filter(({ partners }) => partners.length > 1);
      if (offenders.length > 0) yield endViolation(end.name, offenders);
    }
  }
}

interface NodeVisit {
  readonly visit: (uid: Uid, type: TypeName) => Work<void>;
  /** Called between two slices with the place and the number of the nodes that were visited. */
  readonly between?: (place: NodePlace, nodes: number) => Promise<void> | undefined;
  /** Where an interrupted build goes on. */
  readonly from?: { readonly place: NodePlace; readonly nodes: number };
}

function inOneStep(visit: (uid: Uid, type: TypeName) => void): NodeVisit["visit"] {
  // biome-ignore lint/correctness/useYield: a step that needs no other
  return function* (uid, type) {
    visit(uid, type);
  };
}

interface Placing {
  /** Graphs that are complete. */
  readonly graphs: number;
  readonly from: PlacedNote | undefined;
  readonly progress: ((step: MigrationStep) => void) | undefined;
}

/** The types that are left to visit, each with the last uid that was visited. */
function placesFrom(types: readonly TypeName[], from: NodePlace | undefined): readonly NodePlace[] {
  const first = from === undefined ? 0 : Math.max(0, types.indexOf(from.type));
  return types.slice(first).map((type) => ({ type, after: type === from?.type ? from.after : 0 }));
}

interface BuildingEdge {
  readonly edge: EdgeRuntime;
  readonly sources: readonly BuildingSource[];
}
interface BuildingSource extends EdgeSource {
  readonly store: LinkStoreRuntime;
}
