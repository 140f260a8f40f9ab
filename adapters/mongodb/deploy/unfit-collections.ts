// Collections of the database that cannot hold the nodes of a new layout: made by somebody else, with other options or with documents of their own.

import type { Document } from "mongodb";
import type { Connection } from "../connection.ts";
import type { Catalog } from "../layout/catalog.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf, keyCollection } from "../names.ts";

/** In bytes, of `database.collection`. */
const mostNameBytes = 255;

/** The names of the collections that `schema` needs. */
export function collectionsOf(schema: LayoutRuntime): readonly string[] {
  const pairs = [...schema.stores.values()].flatMap(({ placement }) => (placement.shape === "pairs" ? [placement.collection] : []));
  const keys = schema.keys.flatMap((key) => (key.native ? [] : [keyCollection(key.id)]));
  return [...new Set([...schema.allTypes.map(collectionOf), ...pairs, ...keys])];
}

/** Why `schema` cannot be deployed over the collections that are there, one sentence for each. */
export async function unfitCollections(connection: Connection, schema: LayoutRuntime, catalog: Catalog): Promise<string[]> {
  const { db } = connection;
  const needed = collectionsOf(schema);
  const tooLong = needed.filter((name) => Buffer.byteLength(`${db.databaseName}.${name}`) > mostNameBytes);
  const there = await db.listCollections({ name: { $in: [...needed] } }).toArray();
  const unfit = there.flatMap((each) => problemOf(each) ?? []);
  const known = new Set(Object.keys(catalog.types).map(collectionOf));
  const plain = new Set(there.flatMap(({ name, type }) => (type === "collection" ? [name] : [])));
  const foreign: string[] = [];
  for (const name of new Set(schema.allTypes.map(collectionOf)))
    if (plain.has(name) && !known.has(name) && (await holdsDocuments(connection, name))) foreign.push(holdsOthers(name));
  return [...tooLong.map(nameTooLong), ...unfit, ...foreign];
}

function problemOf({ name, type, options = {} }: Document): string | undefined {
  const kind = type === "view" ? "is a view" : type === "timeseries" ? "is a time series" : unfitOption(options);
  return kind && `The collection "${name}" ${kind}, so it cannot hold the nodes of this type. Rename it, or the type.`;
}

function unfitOption({ capped, collation }: Document): string | undefined {
  if (capped === true) return "is capped";
  return collation === undefined ? undefined : "has a default collation";
}

function nameTooLong(name: string): string {
  return `The collection for "${name}" would have a name that is longer than MongoDB takes (${mostNameBytes} bytes with the database's). Choose a shorter name.`;
}

async function holdsDocuments(connection: Connection, name: string): Promise<boolean> {
  return (await connection.collection(name).findOne({}, { projection: { _id: 1 } })) !== null;
}

function holdsOthers(name: string): string {
  return `The collection "${name}" holds documents that Quern did not write. Move them to another collection or database, and add them through the API.`;
}
