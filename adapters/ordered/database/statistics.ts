// Sizes and counters for people and metrics.

import type { Database } from "./database.ts";

export async function statisticsOf(database: Database): Promise<Readonly<Record<string, number>>> {
  const { schema, catalog, engine, store } = database;
  const view = database.read();
  try {
    const statistics: Record<string, number> = {};
    let nodes = 0;
    for (const [name, id] of Object.entries(catalog.types)) {
      const count = schema.nodes.byType.count(id, view);
      statistics[`nodes.${name}`] = count;
      nodes += count;
    }
    statistics.nodes = nodes;
    statistics.commit = engine.published;
    statistics.nextUid = database.nextUid;
    Object.assign(statistics, engine.counters(), store.counters?.());
    statistics.layoutVersion = catalog.version;
    statistics.diskBytes = await (store.diskBytes?.() ?? store.approximateSize({ from: "", to: "\u{10ffff}" }));
    return statistics;
  } finally {
    view.close();
  }
}
