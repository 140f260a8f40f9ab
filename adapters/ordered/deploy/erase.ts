// Erases data. All data at once: new, empty structures in one commit; the old ones are swept later. Single fields and ends: node by node.

import { type Change, type Erase, type Layout, QuernError, run, type Uid } from "../../../core/storage.ts";
import { type BuiltStructure, type CatalogEnd, ChangeLog, carriedLinks, otherSide } from "../../storage-kit/index.ts";
import type { Database } from "../database/database.ts";
import { type Catalog, emptyCatalog, propertyOf } from "../layout/catalog.ts";
import { Writer } from "../write/writer.ts";
import { eachNode } from "./each-node.ts";

export async function eraseData(database: Database, what: Erase): Promise<void> {
  await database.dropBuild();
  if (what.kind === "field") await eraseOne(database, what.name);
  else if (what.kind === "data") await database.changeCatalog(withoutData);
  else await eraseAll(database);
}

async function eraseAll(database: Database): Promise<void> {
  const names: string[] = [];
  const view = database.read();
  try {
    for await (const [name] of database.meta.scan(view)) names.push(name);
  } finally {
    view.close();
  }
  await database.write(() => {
    for (const name of names) database.meta.put(name, undefined);
    return database.catalogChange(withoutAnything(database.stagedCatalog), nothingDeployed);
  });
}

const nothingDeployed: Layout = { types: [], fields: [], edges: [], indexes: [], keys: [] };

function structureIds(catalog: Catalog): number[] {
  const built = [...Object.values(catalog.indexes), ...Object.values(catalog.keys)];
  return [catalog.nodes, ...built.map((each) => each.id), ...Object.keys(catalog.links).map(Number)];
}

function withoutAnything(catalog: Catalog): Catalog {
  const { nextId, version } = catalog;
  return { ...emptyCatalog, version: version + 1, nodes: nextId, nextId: nextId + 1, garbage: [...catalog.garbage, ...structureIds(catalog)] };
}

/** Hidden types are erased too. */
function withoutData(catalog: Catalog): Catalog {
  let { nextId } = catalog;
  const renew = (structures: Readonly<Record<string, BuiltStructure>>) =>
    Object.fromEntries(Object.entries(structures).map(([name, { signature }]) => [name, { id: nextId++, signature }]));
  const ends = Object.entries(catalog.ends).filter(([, end]) => end.shown);
  const stores = new Map([...new Set(ends.map(([, end]) => end.links))].map((id) => [id, nextId++]));
  return {
    ...catalog,
    nodes: nextId++,
    indexes: renew(catalog.indexes),
    keys: renew(catalog.keys),
    fields: Object.fromEntries(Object.entries(catalog.fields).map(([name, field]) => [name, { ...field, converted: false }])),
    ends: Object.fromEntries(ends.map(([name, end]) => [name, { ...end, links: stores.get(end.links) ?? 0 }])),
    links: Object.fromEntries([...stores].flatMap(([old, id]) => (catalog.links[old] === undefined ? [] : [[id, catalog.links[old]]]))),
    garbage: [...catalog.garbage, ...structureIds(catalog)],
    nextId,
  };
}

async function eraseOne(database: Database, name: string): Promise<void> {
  const { catalog, schema } = database;
  const field = catalog.fields[name];
  const end = catalog.ends[name];
  if (field === undefined && end === undefined) throw new QuernError("REQUEST_INVALID", `there is no field ${name}`);
  for (const type of new Set([...(field?.types ?? []), ...(end === undefined ? [] : carriedLinks(catalog, end).types)])) {
    const id = catalog.types[type];
    if (id === undefined) continue;
    await eachNode(database, id, async (uids) => {
      const log = new ChangeLog();
      const writer = new Writer({
        // Indexes also hold values of hidden types.
        maintenance: { ...database.maintenance, typeIds: new Map(Object.entries(catalog.types)) },
        view: database.writerView,
        log,
        maxChanges: Number.POSITIVE_INFINITY,
        claim: () => undefined,
      });
      for (const uid of uids) {
        if (schema.fields.has(name)) await run(writer.write([{ kind: "set", uid, type, fields: { [name]: null } }]));
        else if (field !== undefined) stripProperty(database, uid, name);
        if (schema.ends.get(name)?.types.has(type)) await run(writer.write([...unlinks(database, name, { uid, type })]));
        if (end !== undefined) stripLinks(database, end, { uid, type });
      }
      return log;
    });
  }
}

/** A hidden field has no index. */
function stripProperty(database: Database, uid: Uid, name: string): void {
  const { keyspace } = database.schema.nodes.records;
  const record = keyspace.read(uid, database.writerView);
  const property = propertyOf({ name });
  if (record?.[property] === undefined) return;
  const { [property]: _, ...rest } = record;
  keyspace.put(uid, rest);
}

function* unlinks(database: Database, name: string, { uid, type }: { readonly uid: Uid; readonly type: string }): Generator<Change> {
  const { schema, writerView } = database;
  const end = schema.ends.get(name);
  for (const to of end?.lists.open(uid, writerView).all() ?? []) {
    const toType = schema.typeNames.get(schema.nodes.types.of(to, writerView)) ?? "";
    if (end?.partners.has(toType)) yield { kind: "unlink", end: name, from: uid, fromType: type, to, toType };
  }
}

/** Hidden links: no other structure depends on them. */
function stripLinks({ schema, catalog, writerView }: Database, end: CatalogEnd, { uid, type }: { readonly uid: Uid; readonly type: string }): void {
  const store = schema.linkStores.find((each) => each.id === end.links);
  if (store === undefined) return;
  const carried = carriedLinks(catalog, end);
  for (const partner of store.lists[end.side].open(uid, writerView).all()) {
    if (!carried.has(type, schema.typeNames.get(schema.nodes.types.of(partner, writerView)) ?? "")) continue;
    store.lists[end.side].remove(uid, partner, writerView);
    store.lists[otherSide(end.side)].remove(partner, uid, writerView);
  }
}
