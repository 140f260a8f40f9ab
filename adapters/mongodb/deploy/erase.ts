// Erases data: all data while writers wait; a single field or end in ordinary transactions.

import { type Change, type Erase, QuernError, type TypeName, type Uid } from "../../../core/storage.ts";
import { carriedLinks } from "../../storage-kit/index.ts";
import type { CommitStream } from "../database/commit-stream.ts";
import type { Database } from "../database/database.ts";
import type { Lease } from "../database/lease.ts";
import { type Catalog, emptyCatalog } from "../layout/catalog.ts";
import { type EndRuntime, type FieldRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf, keyCollection, metaCollection, propertyOf, stripesCollection } from "../layout/names.ts";
import { slices } from "../read/slices.ts";
import type { Transactions } from "../transact/transact.ts";

export interface Erasing {
  readonly database: Database;
  readonly stream: CommitStream;
  readonly transactions: Transactions;
}

export async function eraseData(erasing: Erasing, what: Erase): Promise<void> {
  if (what.kind === "field") return await eraseOne(erasing, what.name);
  const { database, stream } = erasing;
  const { gate } = database;
  await gate.alone(database.newId(), async (lease) => {
    await database.refresh();
    await gate.shut(
      lease,
      () => database.catalog.version,
      async () => {
        await deleteAll(database, lease);
        if (what.kind === "data") return await database.changeCatalog(lease, withoutData(database.catalog));
        await database.connection.collection(metaCollection).deleteMany({});
        await database.changeCatalog(lease, withoutAnything(database.catalog), { types: [], fields: [], edges: [], indexes: [], keys: [] });
      },
    );
    await stream.announce("erased");
  });
}

/** Deletes documents, not collections: open views must not change. */
async function deleteAll({ connection, catalog }: Database, lease: Lease): Promise<void> {
  const pairs = Object.values(catalog.places).flatMap((placement) => (placement.shape === "pairs" ? [placement.collection] : []));
  const keys = Object.values(catalog.keys).flatMap(({ id }) => (catalog.keyPlaces[id] === "collection" ? [keyCollection(id)] : []));
  const backs = catalog.sharded ? Object.keys(catalog.places).map((id) => keyCollection(Number(id))) : [];
  for (const name of [...pairs, ...keys, ...backs, ...Object.keys(catalog.types).map(collectionOf), stripesCollection]) {
    await lease.assertHeld();
    await connection.collection(name).deleteMany({});
  }
}

function withoutData(catalog: Catalog): Catalog {
  const fields = Object.fromEntries(Object.entries(catalog.fields).map(([name, field]) => [name, { ...field, converted: false }]));
  return { ...catalog, fields, onceSingle: [] };
}

/** Collections of links stay in the catalog, to be dropped when no view reads them. */
function withoutAnything(catalog: Catalog): Catalog {
  const names = Object.values(catalog.places).flatMap((placement) => (placement.shape === "pairs" ? [placement.collection] : []));
  const left = names.map((name) => ({ kind: "collection", name }) as const);
  return { ...emptyCatalog, sharded: catalog.sharded, version: catalog.version + 1, nextId: catalog.nextId, left, unfinished: catalog.unfinished };
}

async function eraseOne(erasing: Erasing, name: string): Promise<void> {
  const { catalog, schema } = erasing.database;
  if (catalog.fields[name] === undefined && catalog.ends[name] === undefined) throw new QuernError("REQUEST_INVALID", `there is no field ${name}`);
  const field = schema.fields.get(name);
  const end = schema.ends.get(name);
  if (field !== undefined) await eraseField(erasing, field);
  if (end !== undefined) await eraseEnd(erasing, end);
  await eraseUnseenValues(erasing.database, name);
  await eraseUnseenLinks(erasing.database, name);
}

const nodesAtOnce = 500;

async function eraseField(erasing: Erasing, field: FieldRuntime): Promise<void> {
  for (const type of field.types) {
    if (!erasing.database.schema.types.includes(type)) continue;
    const change = (uid: Uid): Change => ({ kind: "set", uid, type, fields: { [field.name]: null } });
    await eachSlice(erasing, type, { [field.property(type)]: { $exists: true } }, (uids) => uids.map(change));
  }
}

async function eraseEnd({ database, transactions }: Erasing, end: EndRuntime): Promise<void> {
  const options = { version: database.schema.version };
  for (const type of end.types) {
    for (let after = 0; ; ) {
      const { result } = await transactions.transact(async (transaction) => {
        const { uids } = await transaction.find({ types: [type], where: { kind: "after", uid: after }, page: { first: nodesAtOnce }, fields: [] });
        const links = await transaction.follow({ from: uids, end: end.name, fields: [] });
        const changes = uids.flatMap((from, i) =>
          links.rows.slice(links.starts[i], links.starts[i + 1]).map((row): Change => {
            return { kind: "unlink", end: end.name, from, fromType: type, to: links.nodes.uids[row] ?? 0, toType: links.nodes.types[row] ?? "" };
          }),
        );
        await transaction.write(changes);
        return uids.at(-1);
      }, options);
      if (result === undefined) break;
      after = result;
    }
  }
}

async function eachSlice(
  { database, transactions }: Erasing,
  type: TypeName,
  filter: Record<string, unknown>,
  changesFor: (uids: readonly Uid[]) => Change[],
): Promise<void> {
  const docs = await database.connection
    .collection(collectionOf(type))
    .find(filter, { projection: { _id: 1 } })
    .toArray();
  for (const slice of slices(
    docs.map((doc) => Number(doc._id)),
    nodesAtOnce,
  ))
    await transactions.transact((transaction) => transaction.write(changesFor(slice)), { version: database.schema.version });
}

/** Hidden types, or all types for a hidden field: no index and no key depends on these values. */
async function eraseUnseenValues({ connection, catalog, schema }: Database, name: string): Promise<void> {
  for (const type of catalog.fields[name]?.types ?? []) {
    if (schema.fields.has(name) && schema.types.includes(type)) continue;
    const property = propertyOf(type, name);
    await connection.collection(collectionOf(type)).updateMany({ [property]: { $exists: true } }, { $unset: { [property]: "" } });
  }
}

/** Links between types that the end does not show. */
async function eraseUnseenLinks(database: Database, name: string): Promise<void> {
  const { connection, catalog, schema } = database;
  const end = catalog.ends[name];
  const placement = end && catalog.places[end.links];
  if (end === undefined || placement === undefined) return;
  const shown = schema.ends.get(name);
  const carried = carriedLinks(catalog, end);
  const [own, other] = end.side === 0 ? ["a", "b"] : ["b", "a"];
  for (const type of carried.types) {
    for (const partner of carried.partners) {
      if (!carried.has(type, partner) || (shown?.types.has(type) && shown.partners.has(partner))) continue;
      if (placement.shape === "pairs")
        await connection.collection(placement.collection).deleteMany({ [`${own}Type`]: type, [`${other}Type`]: partner });
      else if (placement.side === end.side) await unsetLinks(database, linkPropertyOf({ placement }, type), { near: type, far: partner });
      else await unsetLinks(database, linkPropertyOf({ placement }, partner), { near: partner, far: type });
    }
  }
}

/** A document names its partner without the partner's type. */
async function unsetLinks({ connection }: Database, property: string, types: { readonly near: TypeName; readonly far: TypeName }): Promise<void> {
  const [near, far] = [connection.collection(collectionOf(types.near)), connection.collection(collectionOf(types.far))];
  const partners = new Set<Uid>();
  const unset = async () => {
    const found = await far.find({ _id: { $in: [...partners] } }, { projection: { _id: 1 } }).toArray();
    partners.clear();
    await near.updateMany({ [property]: { $in: found.map((doc) => doc._id) } }, { $unset: { [property]: "" } });
  };
  for await (const doc of near.find({ [property]: { $exists: true } }, { projection: { [property]: 1 } })) {
    partners.add(Number(doc[property]));
    if (partners.size === nodesAtOnce) await unset();
  }
  if (partners.size > 0) await unset();
}
