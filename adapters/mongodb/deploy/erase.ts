// Forgets data: all of it while writers wait, one field or end in transactions like any other.

import { type Change, carriedLinks, type Erase, QuernError, type TypeName, type Uid } from "../../../core/index.ts";
import type { CommitStream } from "../commit-stream.ts";
import type { Database } from "../database.ts";
import { type Catalog, emptyCatalog } from "../layout/catalog.ts";
import { type EndRuntime, type FieldRuntime, linkPropertyOf } from "../layout/schema.ts";
import { collectionOf, keyCollection, metaCollection, propertyOf, stripesCollection } from "../names.ts";
import { slices } from "../read/linked.ts";
import type { Transactions } from "../write/transact.ts";

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
        await deleteAll(database);
        if (what.kind === "data") return await database.changeCatalog(lease, withoutData(database.catalog));
        await database.connection.collection(metaCollection).deleteMany({});
        await database.changeCatalog(lease, withoutAnything(database.catalog), { types: [], fields: [], edges: [], indexes: [], keys: [] });
      },
    );
    await stream.announce("erased");
  });
}

/** Documents, not collections: views that are open stand still. */
async function deleteAll({ connection, catalog }: Database): Promise<void> {
  const pairs = Object.values(catalog.places).flatMap((place) => (place.shape === "pairs" ? [place.collection] : []));
  const keys = Object.values(catalog.keys).flatMap(({ id }) => (catalog.keyPlaces[id] === "collection" ? [keyCollection(id)] : []));
  for (const name of [...pairs, ...keys, ...Object.keys(catalog.types).map(collectionOf), stripesCollection])
    await connection.collection(name).deleteMany({});
}

function withoutData(catalog: Catalog): Catalog {
  const fields = Object.fromEntries(Object.entries(catalog.fields).map(([name, field]) => [name, { ...field, converted: false }]));
  return { ...catalog, fields, onceSingle: [] };
}

/** Collections of links stay known, to be dropped when views that read them are over. */
function withoutAnything(catalog: Catalog): Catalog {
  const names = Object.values(catalog.places).flatMap((place) => (place.shape === "pairs" ? [place.collection] : []));
  const left = names.map((name) => ({ kind: "collection", name }) as const);
  return { ...emptyCatalog, version: catalog.version + 1, nextId: catalog.nextId, left, unfinished: catalog.unfinished };
}

async function eraseOne(erasing: Erasing, name: string): Promise<void> {
  const { catalog, schema } = erasing.database;
  const field = schema.fields.get(name);
  const end = schema.ends.get(name);
  if (field !== undefined) return await eraseField(erasing, field);
  if (end !== undefined) await eraseEnd(erasing, end);
  if (catalog.fields[name] === undefined && catalog.ends[name] === undefined) throw new QuernError("REQUEST_INVALID", `there is no field ${name}`);
  await eraseUnseen(erasing.database, name);
}

const nodesAtOnce = 500;

async function eraseField(erasing: Erasing, field: FieldRuntime): Promise<void> {
  for (const type of field.types) {
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

/** What the layout does not show: no index and no key follows from it. */
async function eraseUnseen({ connection, catalog }: Database, name: string): Promise<void> {
  for (const type of catalog.fields[name]?.types ?? []) {
    const property = propertyOf(type, name);
    await connection.collection(collectionOf(type)).updateMany({ [property]: { $exists: true } }, { $unset: { [property]: "" } });
  }
  const end = catalog.ends[name];
  const place = end && catalog.places[end.links];
  if (end === undefined || place === undefined) return;
  const carried = carriedLinks(catalog, end);
  if (place.shape === "pairs") {
    const [own, other] = end.side === 0 ? ["a", "b"] : ["b", "a"];
    for (const type of carried.types) {
      const partners = carried.partners.filter((partner) => carried.has(type, partner));
      await connection.collection(place.collection).deleteMany({ [`${own}Type`]: type, [`${other}Type`]: { $in: partners } });
    }
    return;
  }
  for (const type of place.side === end.side ? carried.types : carried.partners) {
    const property = linkPropertyOf({ place }, type);
    await connection.collection(collectionOf(type)).updateMany({ [property]: { $exists: true } }, { $unset: { [property]: "" } });
  }
}
