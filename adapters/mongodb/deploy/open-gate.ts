// Ends what a server that died in the middle of a schema change left: writers wait for nobody.

import type { Layout } from "../../../core/index.ts";
import type { Database } from "../database.ts";
import type { Catalog } from "../layout/catalog.ts";
import { collectionOf } from "../names.ts";
import { dropUnwanted, wantedIndexes } from "./native-indexes.ts";

/** Nothing to do where the gate is open for the deployed layout. */
export async function openGate(database: Database): Promise<void> {
  if (await database.gate.isOpenFor(database.catalog.version)) return;
  await database.gate.alone(database.newId(), async () => {
    await database.refresh();
    const { catalog } = database;
    if (await database.gate.isOpenFor(catalog.version)) return;
    const collections = Object.keys(catalog.types).map(collectionOf);
    await dropUnwanted(database.connection, { wanted: wantedIndexes(describedLayout(catalog), catalog), collections, only: "unique" });
    await database.gate.letThrough(catalog.version);
  });
}

/** The deployed layout without its functions. */
export function describedLayout({ layout }: Catalog): Layout {
  return layout === "" ? { types: [], fields: [], edges: [], indexes: [], keys: [] } : JSON.parse(layout);
}
