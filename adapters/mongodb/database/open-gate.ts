// Opens a gate that a stopped server left shut, so that writers do not wait.

import type { Layout } from "../../../core/storage.ts";
import { parseLayout } from "../../storage-kit/index.ts";
import type { Catalog } from "../layout/catalog.ts";
import { collectionOf } from "../layout/names.ts";
import { dropUnwanted, wantedIndexes } from "../layout/native-indexes.ts";
import type { Database } from "./database.ts";
import type { Lease } from "./lease.ts";

/** Does nothing when the gate is open for the deployed layout. */
export async function openGate(database: Database): Promise<void> {
  if (await database.gate.isOpenFor(database.catalog.version)) return;
  await database.gate.alone(database.newId(), async (lease) => {
    await database.refresh();
    await openAlone(database, lease);
  });
}

/** The same for a server that is about to change the schema, so that writers do not wait for its end. */
export async function openAlone({ gate, catalog, connection }: Database, lease: Lease): Promise<void> {
  if (await gate.isOpenFor(catalog.version)) return;
  await lease.assertHeld();
  const wanted = wantedIndexes(describedLayout(catalog), catalog);
  await dropUnwanted(connection, { wanted, collections: Object.keys(catalog.types).map(collectionOf), only: "unique" });
  await gate.open(lease, catalog.version);
}

/** The deployed layout without its functions. */
export function describedLayout({ layout }: Catalog): Layout {
  return parseLayout(layout);
}
