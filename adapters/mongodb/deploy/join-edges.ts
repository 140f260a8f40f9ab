// Collects the links that become the links of one edge, reports single ends that would have several, and writes them to the edge's store.

import type { AnyBulkWriteOperation } from "mongodb";
import type { EdgeLayout, TypeName, Uid } from "../../../core/storage.ts";
import { type EdgeBuild, type EdgeSource, endViolation } from "../../storage-kit/index.ts";
import type { Connection, Doc } from "../connection/connection.ts";
import type { Catalog } from "../layout/catalog.ts";
import { type LayoutRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { slices } from "../read/slices.ts";

/** Links seen from the edge's first side. */
export interface JoinedLinks {
  readonly edge: EdgeLayout;
  readonly partners: ReadonlyMap<Uid, ReadonlySet<Uid>>;
  readonly types: ReadonlyMap<Uid, TypeName>;
}

export async function gatherLinks(connection: Connection, catalog: Catalog, { edge, sources }: EdgeBuild): Promise<JoinedLinks> {
  const partners = new Map<Uid, Set<Uid>>();
  const types = new Map<Uid, TypeName>();
  const add = (first: Uid, second: Uid) => {
    const known = partners.get(first);
    if (known === undefined) partners.set(first, new Set([second]));
    else known.add(second);
  };
  for (const source of sources) {
    await eachLink(connection, catalog, source, types, (node, partner) => {
      const [first, second] = source.side === 0 ? [node, partner] : [partner, node];
      add(first, second);
      if (edge.sides.length === 1) add(second, first);
    });
  }
  return { edge, partners, types };
}

/** The links that go with an end, from a node that has it to its partner. */
async function eachLink(
  connection: Connection,
  catalog: Catalog,
  { end, carried }: EdgeSource,
  types: Map<Uid, TypeName>,
  visit: (node: Uid, partner: Uid) => void,
): Promise<void> {
  const placement = catalog.places[end.links];
  const store = catalog.links[end.links];
  if (placement === undefined || store === undefined) return;
  if (placement.shape === "pairs") {
    const [own, other] = end.side === 0 ? (["a", "b"] as const) : (["b", "a"] as const);
    for await (const doc of connection.collection(placement.collection).find()) {
      if (!carried.has(String(doc[`${own}Type`]), String(doc[`${other}Type`]))) continue;
      types.set(Number(doc[own]), String(doc[`${own}Type`])).set(Number(doc[other]), String(doc[`${other}Type`]));
      visit(Number(doc[own]), Number(doc[other]));
    }
    return;
  }
  const near = store.symmetric || placement.side === end.side;
  const [nearTypes, farTypes] = near ? [carried.types, carried.partners] : [carried.partners, carried.types];
  const found: (readonly [Uid, Uid])[] = [];
  for (const type of nearTypes) {
    const property = linkPropertyOf({ placement }, type);
    for await (const doc of connection.collection(collectionOf(type)).find({ [property]: { $exists: true } }, { projection: { [property]: 1 } })) {
      types.set(Number(doc._id), type);
      found.push([Number(doc._id), Number(doc[property])]);
    }
  }
  await learnTypes(
    connection,
    farTypes,
    found.map(([, far]) => far),
    types,
  );
  for (const [uid, far] of found) {
    const [node, partner] = near ? [uid, far] : [far, uid];
    const partnerType = types.get(partner);
    const type = types.get(node);
    if (type !== undefined && partnerType !== undefined && carried.has(type, partnerType)) visit(node, partner);
  }
}

async function learnTypes(connection: Connection, candidates: readonly TypeName[], uids: readonly Uid[], types: Map<Uid, TypeName>): Promise<void> {
  const unknown = [...new Set(uids)].filter((uid) => !types.has(uid));
  for (const type of candidates)
    for (const slice of slices(unknown))
      for await (const doc of connection.collection(collectionOf(type)).find({ _id: { $in: slice } }, { projection: { _id: 1 } }))
        types.set(Number(doc._id), type);
}

/** Sentences about single ends that would lead to several nodes. */
export function ambiguousEnds({ edge, partners, types }: JoinedLinks): string[] {
  const backwards = new Map<Uid, Set<Uid>>();
  for (const [first, seconds] of partners)
    for (const second of seconds) {
      const known = backwards.get(second);
      if (known === undefined) backwards.set(second, new Set([first]));
      else known.add(first);
    }
  return edge.sides.flatMap((side, s) =>
    side.ends.flatMap((end) => {
      if (end.many) return [];
      const offenders = [...(s === 0 ? partners : backwards)].flatMap(([uid, others]) => {
        if (!end.types.includes(types.get(uid) ?? "")) return [];
        const seen = [...others].filter((other) => end.partners.includes(types.get(other) ?? "")).sort((a, b) => a - b);
        return seen.length > 1 ? [{ uid, partners: seen }] : [];
      });
      return offenders.length > 0
        ? [
            endViolation(
              end.name,
              offenders.sort((a, b) => a.uid - b.uid),
            ),
          ]
        : [];
    }),
  );
}

const linksAtOnce = 1_000;

/** Writes the links of a new store, whose sides are the edge's. */
export async function writeLinks(connection: Connection, schema: LayoutRuntime, id: number, { partners, types }: JoinedLinks): Promise<void> {
  const store = schema.stores.get(id);
  if (store === undefined) return;
  const operations = new Map<string, AnyBulkWriteOperation<Doc>[]>();
  const at = (collection: string) => {
    let list = operations.get(collection);
    if (list === undefined) {
      list = [];
      operations.set(collection, list);
    }
    return list;
  };
  const { placement } = store;
  for (const [a, others] of partners) {
    for (const b of others) {
      const aType = types.get(a) ?? "";
      const bType = types.get(b) ?? "";
      if (placement.shape === "pairs") {
        at(placement.collection).push({ replaceOne: { filter: { _id: `${a}>${b}`, a, b }, replacement: { a, b, aType, bType }, upsert: true } });
        continue;
      }
      const [near, nearType, far] = store.symmetric || placement.side === 0 ? [a, aType, b] : [b, bType, a];
      at(collectionOf(nearType)).push({ updateOne: { filter: { _id: near }, update: { $set: { [linkPropertyOf(store, nearType)]: far } } } });
    }
  }
  for (const [collection, all] of operations)
    for (const slice of slices(all, linksAtOnce)) await connection.collection(collection).bulkWrite(slice, { ordered: false });
}
