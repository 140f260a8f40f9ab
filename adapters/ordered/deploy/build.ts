// Builds what a new layout lacks, in slices of the writer's time, while reads and writes go on under the old one.

import { formatUid, type MigrationStep, type Uid } from "../../../core/index.ts";
import type { CellView } from "../cells/family.ts";
import type { Database } from "../database.ts";
import { lowerBound } from "../structures/posting-lists.ts";
import type { OpenRecord } from "../structures/records.ts";
import { addEntry, entriesOf, keyTextOf } from "../write/entries.ts";
import { type BuildWatch, derive } from "../write/maintenance.ts";
import { shownValue } from "../write/writer.ts";
import type { DeployPlan, EdgeBuild, EdgeSource } from "./plan.ts";
import type { EdgeRuntime, EndRuntime, IndexRuntime, KeyRuntime, LinkStoreRuntime, Schema } from "./schema.ts";

/** Nodes taken on in one slice. */
const sliceNodes = 500;
/** A slice ends early when it has held the writer so long. */
const sliceMs = 20;
const listedOffenders = 10;

export class Build implements BuildWatch {
  readonly #database: Database;
  readonly #plan: DeployPlan;
  readonly #schema: Schema;
  readonly #indexes: readonly IndexRuntime[];
  readonly #keys: readonly KeyRuntime[];
  readonly #edges: readonly BuildingEdge[];
  /** Key texts that several nodes held at some time. */
  readonly #crowdedKeys = new Map<KeyRuntime, Set<string>>();
  readonly #crowdedEnds = new Map<EndRuntime, Set<Uid>>();

  constructor(database: Database, plan: DeployPlan, schema: Schema) {
    this.#database = database;
    this.#plan = plan;
    this.#schema = schema;
    this.#indexes = [...schema.indexes.values()].filter((index) => plan.indexes.has(index.id));
    this.#keys = schema.keys.filter((key) => plan.keys.has(key.id));
    this.#edges = plan.edges.flatMap((build) => this.#buildingEdge(build) ?? []);
  }

  #buildingEdge(build: EdgeBuild): BuildingEdge | undefined {
    const edge = this.#schema.edges.find((each) => each.store.id === build.id);
    if (edge === undefined) return undefined;
    const sources = build.sources.flatMap((source) => {
      const store = this.#database.schema.linkStores.find((each) => each.id === source.end.links);
      return store === undefined ? [] : [{ ...source, store, types: new Set(source.end.types), partners: new Set(source.end.partners) }];
    });
    return { edge, sources };
  }

  /** Until the switch, writers keep up what is being built. */
  async run(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    await this.#database.write(() => {
      this.#database.keepUp({ schema: this.#schema, watch: this });
      return { result: undefined, wrote: false };
    });
    const buildsNodes = this.#indexes.length + this.#keys.length + this.#plan.derived.length > 0;
    if (buildsNodes) await this.#eachNode(this.#nodeWork(), progress, (uid, type, view) => this.#buildNode(uid, type, view));
    for (const building of this.#edges) {
      const types = new Set(building.sources.flatMap((source) => source.end.types));
      await this.#eachNode(`edge ${building.edge.layout.name}`, progress, (uid, type, view) => {
        if (types.has(type)) for (const source of building.sources) this.#buildLinks(building, source, { uid, type, view });
      });
    }
  }

  abandon(): void {
    this.#database.keepUp();
  }

  #nodeWork(): string {
    const names = [
      ...this.#indexes.map((index) => `index ${index.name}`),
      ...this.#keys.map((key) => `key ${key.layout.name}`),
      ...this.#plan.derived.map((field) => `field ${field.name}`),
    ];
    return names.join(", ");
  }

  async #eachNode(
    what: string,
    progress: ((step: MigrationStep) => void) | undefined,
    visit: (uid: Uid, type: string, view: CellView) => void,
  ): Promise<void> {
    const { nodes } = this.#schema;
    const view = this.#database.writerView;
    const types = Object.entries(this.#database.catalog.types);
    const total = types.reduce((sum, [, id]) => sum + nodes.byType.count(id, view), 0);
    let done = 0;
    for (const [type, id] of types) {
      for (let after: Uid | undefined = 0; after !== undefined; ) {
        const from: Uid = after;
        const slice = await this.#database.write(() => {
          const uids = nextUids(nodes.byType.open(id, view), from);
          const started = performance.now();
          let last = from;
          let count = 0;
          for (const uid of uids) {
            visit(uid, type, view);
            last = uid;
            count++;
            if (count % 32 === 0 && performance.now() - started > sliceMs) break;
          }
          return { result: { last: count === 0 ? undefined : last, count }, wrote: count > 0 };
        });
        after = slice.result.last;
        done += slice.result.count;
        if (slice.result.count > 0) progress?.({ what, done: Math.min(done, total), total });
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    progress?.({ what, done: total, total });
  }

  #buildNode(uid: Uid, type: string, view: CellView): void {
    const { nodes } = this.#schema;
    let record = nodes.records.family.read(uid, view);
    if (record === undefined) return;
    if (this.#plan.derived.length > 0) {
      const derived: OpenRecord = { ...record };
      derive(this.#database.maintenance, type, derived);
      nodes.records.family.put(uid, derived);
      record = derived;
    }
    for (const index of this.#indexes) {
      for (const key of entriesOf(index, record).keys()) addEntry(index, key, uid, view);
      if (index.by === "ordered" && index.column !== undefined) index.column.set(uid, index.field.values(record)[0], view);
    }
    for (const key of this.#keys) {
      const text = key.types.has(type) ? keyTextOf(key, record) : undefined;
      if (text === undefined) continue;
      key.lists.add(text, uid, view);
      if (key.lists.count(text, view) > 1) this.crowded(key, text);
    }
  }

  #buildLinks(
    { edge }: BuildingEdge,
    source: BuildingSource,
    { uid, type, view }: { readonly uid: Uid; readonly type: string; readonly view: CellView },
  ): void {
    if (!source.types.has(type)) return;
    const { nodes, typeNames } = this.#schema;
    for (const partner of source.store.lists[source.end.side].open(uid, view).all()) {
      if (!source.partners.has(typeNames.get(nodes.types.of(partner, view)) ?? "")) continue;
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

  crowded(key: KeyRuntime, text: string): void {
    if (!this.#plan.keys.has(key.id)) return;
    const crowd = this.#crowdedKeys.get(key) ?? new Set();
    this.#crowdedKeys.set(key, crowd.add(text));
  }

  /** A pair came into or went out of a store that some building edge draws on: the edge has what any of its sources shows. */
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
    const shows = (a: Uid, b: Uid) => building.sources.some((source) => (source.side === 0 ? this.#shows(source, a, b) : this.#shows(source, b, a)));
    const present = shows(first, second) || (building.edge.store.symmetric && shows(second, first));
    this.#setPair(building.edge, first, second, { present });
  }

  #shows(source: BuildingSource, node: Uid, partner: Uid): boolean {
    const view = this.#database.writerView;
    const { nodes, typeNames } = this.#schema;
    const typeOf = (uid: Uid) => typeNames.get(nodes.types.of(uid, view)) ?? "";
    return (
      source.types.has(typeOf(node)) && source.partners.has(typeOf(partner)) && source.store.lists[source.end.side].open(node, view).contains(partner)
    );
  }

  /** What the data hold against the new layout, as sentences that name up to ten offenders each. Asked in the writer's turn. */
  violations(): string[] {
    return [...this.#keyViolations(), ...this.#endViolations()];
  }

  *#keyViolations(): Generator<string> {
    const view = this.#database.writerView;
    for (const [key, texts] of this.#crowdedKeys) {
      const held = [...texts].map((text) => key.lists.open(text, view)).filter((list) => list.count > 1);
      if (held.length > 0) yield keyViolation(this.#schema, view, { key, groups: held.map((list) => list.all()) });
    }
  }

  *#endViolations(): Generator<string> {
    const view = this.#database.writerView;
    const { nodes, typeNames } = this.#schema;
    for (const [end, crowd] of this.#crowdedEnds) {
      const offenders: string[] = [];
      let count = 0;
      for (const uid of crowd) {
        if (!end.types.has(typeNames.get(nodes.types.of(uid, view)) ?? "")) continue;
        const partners = end.lists
          .open(uid, view)
          .all()
          .filter((partner) => end.partners.has(typeNames.get(nodes.types.of(partner, view)) ?? ""));
        if (partners.length < 2) continue;
        count++;
        if (offenders.length < listedOffenders)
          offenders.push(`${formatUid(uid)} leads to ${partners.slice(0, 3).map(formatUid).join(", ")}${partners.length > 3 ? ", ..." : ""}`);
      }
      if (count > 0) yield `${end.name} leads to at most one node, but ${offenders.join("; ")}${more(count)}`;
    }
  }
}

/** One sentence on the values that several nodes hold. */
export function keyViolation(
  schema: Schema,
  view: CellView,
  { key, groups }: { readonly key: KeyRuntime; readonly groups: readonly (readonly Uid[])[] },
): string {
  const shown = groups.slice(0, listedOffenders).map((uids) => {
    const record = schema.nodes.records.family.read(uids[0] ?? 0, view);
    const values = key.fields.map((field) => shownValue(record && field.read(record))).join(", ");
    return `${values} is held by ${uids.slice(0, 3).map(formatUid).join(" and ")}${uids.length > 3 ? ` and ${uids.length - 3} more` : ""}`;
  });
  return `${key.layout.fields.join(" and ")} must be unique, but ${shown.join("; ")}${more(groups.length)}`;
}

function more(count: number): string {
  return count > listedOffenders ? `; and ${count - listedOffenders} more` : "";
}

interface BuildingEdge {
  readonly edge: EdgeRuntime;
  readonly sources: readonly BuildingSource[];
}
interface BuildingSource extends EdgeSource {
  readonly store: LinkStoreRuntime;
  readonly types: ReadonlySet<string>;
  readonly partners: ReadonlySet<string>;
}

/** The next slice of a list that may have changed since the last one. */
function nextUids(list: { readonly chunkCount: number; chunkFor(uid: Uid): number; chunk(i: number): readonly Uid[] }, after: Uid): readonly Uid[] {
  for (let i = list.chunkFor(after + 1); i < list.chunkCount; i++) {
    const chunk = list.chunk(i);
    const start = lowerBound(chunk, after + 1);
    if (start < chunk.length) return chunk.slice(start, start + sliceNodes);
  }
  return [];
}
