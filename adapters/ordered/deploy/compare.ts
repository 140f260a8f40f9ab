// What a deploy would build, and which data forbid it. Changes nothing.

import { type Layout, type LayoutComparison, run, type TypeName, type Uid, type Work } from "../../../core/storage.ts";
import {
  buildSteps,
  type DeployPlan,
  describeWork,
  type EdgeBuild,
  endViolation,
  isDeployedLayout,
  otherSide,
  planDeploy,
} from "../../storage-kit/index.ts";
import type { Database } from "../database/database.ts";
import type { ReaderView } from "../keyspaces/epoch.ts";
import type { Catalog } from "../layout/catalog.ts";
import { buildLayoutRuntime, type KeyRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { ofTypes } from "../read/of-types.ts";
import { Reader } from "../read/reader.ts";
import { ascending } from "../read/stream.ts";
import { keyTextOf, type PartnerAt, partnersIn } from "../write/entries.ts";
import { violatedConditions } from "./conditions.ts";
import { duplicateKey } from "./duplicate-key.ts";

export async function compareLayout(database: Database, layout: Layout): Promise<LayoutComparison> {
  const { catalog } = database;
  if (isDeployedLayout(catalog, layout)) return { obstacles: [], work: [] };
  const plan = planDeploy(layout, catalog);
  const obstacles = await violatedConditions(database, plan.conditions);
  const schema = buildLayoutRuntime(layout, plan.next, database.registry);
  const view = database.read();
  try {
    for (const key of schema.keys) {
      if (plan.keys.has(key.id)) obstacles.push(...(await run(keyObstacles(new Reader({ view, schema, budget: undefined }), key, plan.edges))));
    }
    for (const build of plan.edges) obstacles.push(...(await run(edgeObstacles(database, view, build))));
  } finally {
    view.close();
    for (const id of [...plan.indexes, ...plan.keys, ...plan.edges.map((edge) => edge.id)]) database.registry.forget(id);
  }
  return { obstacles, work: workOf(database, plan, schema) };
}

function workOf(database: Database, plan: DeployPlan<Catalog>, schema: LayoutRuntime): string[] {
  const view = database.read();
  const count = (type: TypeName) => schema.nodes.byType.count(database.catalog.types[type] ?? 0, view);
  try {
    const indexes = new Map([...schema.indexes.values(), ...schema.nearest].map((index) => [index.name, index]));
    return describeWork(
      buildSteps(plan, { ...schema, indexes }).map(({ title, types }) => ({
        title,
        nodes: [...types].reduce((nodes, type) => nodes + count(type), 0),
      })),
    );
  } finally {
    view.close();
  }
}

/** Two passes: the first finds texts with equal hashes, the second compares these texts. */
function* keyObstacles(reader: Reader, key: KeyRuntime, builds: readonly EdgeBuild[]): Work<string[]> {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  const partnersOf = (uid: Uid) => futurePartners(reader, uid, builds);
  yield* eachKeyText(reader, { key, partnersOf }, (text) => {
    const hash = hashOf(text);
    if (seen.has(hash)) repeated.add(hash);
    else seen.add(hash);
  });
  if (repeated.size === 0) return [];
  const holders = new Map<string, Uid[]>();
  yield* eachKeyText(reader, { key, partnersOf }, (text, uid) => {
    if (!repeated.has(hashOf(text))) return;
    const uids = holders.get(text);
    if (uids === undefined) holders.set(text, [uid]);
    else uids.push(uid);
  });
  const groups = [...holders.values()].filter((uids) => uids.length > 1);
  return groups.length === 0 ? [] : [duplicateKey(reader.schema, reader.view, { key, groups, partnersOf })];
}

/** The partners of a node once the edges of the deploy are built. */
function futurePartners(reader: Reader, uid: Uid, builds: readonly EdgeBuild[]): PartnerAt {
  const typeOf = (partner: Uid) => reader.typeOf(partner);
  const today = partnersIn(reader.view, uid, typeOf);
  return (end) => {
    const build = builds.find(({ id }) => id === end.edge.store.id);
    if (build === undefined) return today(end);
    const joined = joinedPartners(reader, build.sources, { uid, side: end.side, symmetric: build.edge.sides.length === 1 });
    return joined.find((partner) => end.partners.has(typeOf(partner) ?? ""));
  };
}

interface ReadKey {
  readonly key: KeyRuntime;
  readonly partnersOf: (uid: Uid) => PartnerAt;
}

function* eachKeyText(reader: Reader, { key, partnersOf }: ReadKey, visit: (text: string, uid: Uid) => void): Work<void> {
  for (const type of key.types) {
    const { stream } = ofTypes(reader, [type]);
    const uids = stream === undefined ? undefined : yield* stream();
    for (let c = 0; uids !== undefined && c < uids.chunkCount; c++) {
      const chunk = uids.chunk(c);
      yield* reader.prefetch(chunk);
      for (const uid of chunk) {
        const record = reader.record(uid);
        const text = record && keyTextOf(key, record, partnersOf(uid));
        if (text !== undefined) visit(text, uid);
      }
      yield;
    }
  }
}

/** 53 bits, well mixed: two 32-bit multiplicative hashes side by side. */
function hashOf(text: string): number {
  let a = 0x9dc5_811c;
  let b = 0x85eb_ca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x0100_0193);
    b = Math.imul(b ^ unit, 0xc2b2_ae35) ^ (b >>> 15);
  }
  return (a >>> 0) * 0x20_0000 + ((b >>> 0) & 0x1f_ffff);
}

/** Single ends that would lead to several nodes once the links are joined. */
function* edgeObstacles(database: Database, view: ReaderView, { edge, sources }: EdgeBuild): Work<string[]> {
  const reader = new Reader({ view, schema: database.schema, budget: undefined });
  const messages: string[] = [];
  for (const [s, side] of edge.sides.entries()) {
    for (const end of side.ends) {
      if (end.many) continue;
      const offenders: { readonly uid: Uid; readonly partners: readonly Uid[] }[] = [];
      for (const type of end.types) {
        const list = reader.nodes.byType.open(database.catalog.types[type] ?? 0, view);
        for (let c = 0; c < list.chunkCount; c++) {
          for (const uid of list.chunk(c)) {
            const partners = joinedPartners(reader, sources, { uid, side: s, symmetric: edge.sides.length === 1 }).filter((partner) =>
              end.partners.includes(reader.typeOf(partner) ?? ""),
            );
            if (partners.length > 1) offenders.push({ uid, partners });
          }
          yield;
        }
      }
      if (offenders.length > 0) messages.push(endViolation(end.name, offenders));
    }
  }
  return messages;
}

interface SeenFrom {
  readonly uid: Uid;
  readonly side: number;
  readonly symmetric: boolean;
}

/** The partners that a node would have, seen from one side of the joined edge. */
function joinedPartners(reader: Reader, sources: EdgeBuild["sources"], { uid, side, symmetric }: SeenFrom): Uid[] {
  const found: Uid[] = [];
  for (const { side: own, end, carried } of sources) {
    const store = reader.schema.linkStores.find((each) => each.id === end.links);
    if (store === undefined) continue;
    const has = (node: Uid, partner: Uid) => carried.has(reader.typeOf(node) ?? "", reader.typeOf(partner) ?? "");
    if (own === side) for (const partner of store.lists[end.side].open(uid, reader.view).all()) if (has(uid, partner)) found.push(partner);
    if (own !== side || symmetric)
      for (const node of store.lists[otherSide(end.side)].open(uid, reader.view).all()) if (has(node, uid)) found.push(node);
  }
  return ascending(found);
}
