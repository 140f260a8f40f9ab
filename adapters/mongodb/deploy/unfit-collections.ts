// Collections of the database that cannot hold the nodes of a new layout: made by somebody else, with other options.

import type { Document } from "mongodb";
import type { Connection } from "../connection/connection.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";

/** In bytes, of `database.collection`. */
const mostNameBytes = 255;

/** The names of the collections that `schema` needs. */
export function collectionsOf(schema: LayoutRuntime): readonly string[] {
  const pairs = [...schema.stores.values()].flatMap(({ placement }) => (placement.shape === "pairs" ? [placement.collection] : []));
  const entries = schema.uniqueEntries.map(({ collection }) => collection);
  return [...new Set([...schema.allTypes.map(collectionOf), ...pairs, ...entries])];
}

/** Why `schema` cannot be deployed over the collections that are there, one sentence for each. */
export async function unfitCollections(connection: Connection, schema: LayoutRuntime): Promise<string[]> {
  const { db } = connection;
  const needed = collectionsOf(schema);
  const tooLong = needed.filter((name) => Buffer.byteLength(`${db.databaseName}.${name}`) > mostNameBytes);
  const there = await db.listCollections({ name: { $in: [...needed] } }).toArray();
  const unfit = there.flatMap((each) => problemOf(each) ?? []);
  return [...tooLong.map(nameTooLong), ...unfit];
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
