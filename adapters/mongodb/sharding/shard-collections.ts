// Divides collections over the shards of a cluster. A replica set has none: there this does nothing.

import type { Connection } from "../connection/connection.ts";
import { shardKeyOf } from "./shard-keys.ts";

/** Of collections that are there, with their unique indexes. One that is divided already stays so. */
export async function shardCollections({ client, db, isRouted }: Connection, names: readonly string[]): Promise<void> {
  if (!isRouted) return;
  for (const name of names) {
    const key = shardKeyOf(name);
    if (key === undefined) continue;
    // A collection that has documents is divided by an index that it has.
    if (Object.values(key).includes("hashed")) await db.collection(name).createIndex(key);
    await client.db("admin").command({ shardCollection: `${db.databaseName}.${name}`, key });
  }
}
