// Sizes and counters for people and metrics. Numbers of nodes are MongoDB's estimates: counting would read an index of each type.

import { collectionOf } from "../layout/names.ts";
import type { Database } from "./database.ts";

export async function statisticsOf({ connection, catalog, uids }: Database): Promise<Readonly<Record<string, number>>> {
  const statistics: Record<string, number> = {};
  let nodes = 0;
  for (const type of Object.keys(catalog.types)) {
    const count = await connection.collection(collectionOf(type)).estimatedDocumentCount();
    statistics[`nodes.${type}`] = count;
    nodes += count;
  }
  const sizes = await connection.db.stats();
  statistics.nodes = nodes;
  statistics.nodesEstimated = 1;
  statistics.nextUid = await uids.nextUid();
  statistics.layoutVersion = catalog.version;
  statistics.diskBytes = Number(sizes.storageSize) + Number(sizes.indexSize);
  return statistics;
}
