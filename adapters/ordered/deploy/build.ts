// Builds the missing structures of a new layout, slice by slice in the writer's turn. Reads and writes go on under the old layout.

import type { MigrationStep, Uid } from "../../../core/storage.ts";
import { type DeployPlan, type EdgeBuild, type EdgeSource, endViolation } from "../../storage-kit/index.ts";
import { SortedIndexes } from "../build/sorted-indexes.ts";
import type { Database } from "../database.ts";
import { Pace, settle } from "../read/work.ts";
import type { NodeRecord, OpenRecord } from "../structures/records.ts";
import { keyTextOf, type PartnerAt, partnersIn, vectorOf } from "../write/entries.ts";
import { type BuildObserver, derive } from "../write/maintenance.ts";
import type { Catalog } from "./catalog.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { eachNode } from "./each-node.ts";
import type { EdgeRuntime, EndRuntime, IndexRuntime, KeyRuntime, LayoutRuntime, LinkStoreRuntime, NearestRuntime } from "./layout-runtime.ts";

/** Each takes some milliseconds; a concurrent writer waits for them. */
const vectorsAtOnce = 16;
/** A step that builds more is described by their number. */
const namesInStep = 3;

export interface BuildOptions {
  /** The layout that is built. */
  readonly schema: LayoutRuntime;
  /** What indexes gather in memory before they use the disk, counted in uids. */
  readonly gatheredAtMost: number | undefined;
}

export class Build implements BuildObserver {
  readonly #database: Database;
  readonly #plan: DeployPlan<Catalog>;
  readonly #schema: LayoutRuntime;
  readonly #indexes: readonly IndexRuntime[];
  readonly #sorted: SortedIndexes;
  readonly #nearest: readonly NearestRuntime[];
  readonly #keys: readonly KeyRuntime[];
  /** Built last, when their links are there. */
  readonly #linkedKeys: readonly KeyRuntime[];
  readonly #edges: readonly BuildingEdge[];
  /** Key texts that several nodes held at some point of the build. */
  readonly #duplicateKeys = new Map<KeyRuntime, Set<string>>();
  readonly #crowdedEnds = new Map<EndRuntime, Set<Uid>>();

  constructor(database: Database, plan: DeployPlan<Catalog>, { schema, gatheredAtMost }: BuildOptions) {
    this.#database = database;
    this.#plan = plan;
    this.#schema = schema;
    this.#indexes = [...schema.indexes.values()].filter((index) => plan.indexes.has(index.id));
    this.#sorted = new SortedIndexes(database, this.#indexes, gatheredAtMost);
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
    await this.#database.write(() => {
      this.#database.keepUp({ schema: this.#schema, observer: this });
      return { result: undefined, wrote: false };
    });
    const buildsNodes = this.#indexes.length + this.#keys.length + this.#plan.derived.length > 0;
    if (buildsNodes) {
      const between = () => this.#sorted.spillIfFull();
      await this.#eachNode(this.#nodeWork(), progress, { visit: (uid, type) => this.#buildNode(uid, type), between });
      await this.#sorted.write(progress);
      await this.#sorted.close();
    }
    for (const index of this.#nearest) await this.#placeVectors(index, progress);
    for (const building of this.#edges) {
      const types = new Set(building.sources.flatMap((source) => source.carried.types));
      const visit = (uid: Uid, type: string) => {
        if (types.has(type)) for (const source of building.sources) this.#buildLinks(building, source, { uid, type });
      };
      await this.#eachNode(`edge ${building.edge.layout.name}`, progress, { visit });
    }
    for (const key of this.#linkedKeys) {
      const visit = (uid: Uid, type: string) => {
        const record = key.types.has(type) ? this.#schema.nodes.records.keyspace.read(uid, this.#database.writerView) : undefined;
        if (record !== undefined) this.#addKey(key, uid, record);
      };
      await this.#eachNode(`key ${key.layout.name}`, progress, { visit });
    }
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

  /** Readers run between two vectors, other writers after a few. */
  async #placeVectors(index: NearestRuntime, progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    const view = this.#database.writerView;
    const { records } = this.#schema.nodes;
    const types = index.field.types.map((type) => this.#database.catalog.types[type] ?? 0);
    const total = types.reduce((sum, id) => sum + this.#schema.nodes.byType.count(id, view), 0);
    const what = `index ${index.name}`;
    const pace = new Pace();
    let done = 0;
    for (const id of types) {
      await eachNode(
        this.#database,
        id,
        async (uids) => {
          for (const uid of uids) {
            index.graph.set(uid, vectorOf(index, records.keyspace.read(uid, view)), view);
            await settle(pace.pauseIfDue());
          }
          done += uids.length;
          progress?.({ what, done: Math.min(done, total), total });
          return undefined;
        },
        { sliceNodes: vectorsAtOnce },
      );
    }
    progress?.({ what, done: total, total });
  }

  async abandon(): Promise<void> {
    this.#database.keepUp();
    await this.#sorted.close();
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

  async #eachNode(what: string, progress: ((step: MigrationStep) => void) | undefined, { visit, between }: NodeVisit): Promise<void> {
    const types = Object.entries(this.#database.catalog.types);
    const total = types.reduce((sum, [, id]) => sum + this.#schema.nodes.byType.count(id, this.#database.writerView), 0);
    let done = 0;
    for (const [type, id] of types) {
      const work = (uids: readonly Uid[]) => {
        for (const uid of uids) visit(uid, type);
        done += uids.length;
        progress?.({ what, done: Math.min(done, total), total });
        return undefined;
      };
      await eachNode(this.#database, id, work, between && { between });
    }
    progress?.({ what, done: total, total });
  }

  #buildNode(uid: Uid, type: string): void {
    const view = this.#database.writerView;
    const { nodes } = this.#schema;
    let record = nodes.records.keyspace.read(uid, view);
    if (record === undefined) return;
    if (this.#plan.derived.length > 0) {
      const derived: OpenRecord = { ...record };
      derive(this.#database.maintenance, type, derived);
      nodes.records.keyspace.put(uid, derived);
      record = derived;
    }
    this.#sorted.gather(uid, record);
    for (const index of this.#indexes) {
      if (index.by === "ordered") index.column?.set(uid, index.field.values(record)[0], view);
    }
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
  }

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
  readonly visit: (uid: Uid, type: string) => void;
  readonly between?: () => Promise<void> | undefined;
}

interface BuildingEdge {
  readonly edge: EdgeRuntime;
  readonly sources: readonly BuildingSource[];
}
interface BuildingSource extends EdgeSource {
  readonly store: LinkStoreRuntime;
}
