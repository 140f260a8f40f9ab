// How much room collections and indexes take, as MongoDB reports it.

import { MongoServerError } from "mongodb";
import type { PartSize } from "../../../core/storage.ts";
import type { Connection } from "../connection/connection.ts";
import { collectionOf } from "../layout/names.ts";
import { wantedIndexes } from "../layout/native-indexes.ts";
import type { Database } from "./database.ts";

/** Code of MongoDB: there is no such collection. */
const namespaceNotFound = 26;

export async function sizesOf({ connection, catalog, schema }: Database): Promise<readonly PartSize[]> {
  const indexes = wantedIndexes(schema.layout, catalog);
  const types = new Map(schema.types.map((type) => [collectionOf(type), type]));
  const sizes: PartSize[] = [];
  for (const collection of new Set([...types.keys(), ...indexes.map((index) => index.collection)])) {
    const { storageSize, indexSizes } = await statisticsOf(connection, collection);
    const type = types.get(collection);
    const own = indexes.filter((index) => index.collection === collection);
    sizes.push({ kind: type === undefined ? kindOf(own[0]?.what) : "nodes", name: type ?? collection, bytes: storageSize });
    for (const { name, what } of own) {
      // `index Author.name/hash`: the kind, then the name.
      sizes.push({ kind: kindOf(what), name: what.replace(/^\w+ /, ""), bytes: indexSizes[name] ?? 0 });
    }
  }
  return sizes;
}

function kindOf(what = ""): PartSize["kind"] {
  if (what.startsWith("key ")) return "key";
  return what.startsWith("edge ") ? "edge" : "index";
}

interface CollectionStatistics {
  readonly storageSize: number;
  readonly indexSizes: Readonly<Record<string, number>>;
}

/** Each shard of a cluster has a part of the collection. */
function added(parts: readonly CollectionStatistics[]): CollectionStatistics {
  const indexSizes: Record<string, number> = {};
  for (const part of parts) for (const [name, bytes] of Object.entries(part.indexSizes)) indexSizes[name] = (indexSizes[name] ?? 0) + bytes;
  return { storageSize: parts.reduce((sum, part) => sum + part.storageSize, 0), indexSizes };
}

async function statisticsOf({ db }: Connection, collection: string): Promise<CollectionStatistics> {
  try {
    const shards = await db
      .collection(collection)
      .aggregate<{ readonly storageStats: CollectionStatistics }>([{ $collStats: { storageStats: {} } }])
      .toArray();
    return added(shards.map(({ storageStats }) => storageStats));
  } catch (thrown) {
    if (thrown instanceof MongoServerError && thrown.code === namespaceNotFound) return { storageSize: 0, indexSizes: {} };
    throw thrown;
  }
}
