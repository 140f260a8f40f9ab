// Takes away what earlier layouts left: stores of links and keys that nothing reads any more.

import type { Database } from "../database.ts";
import type { Left } from "../layout/catalog.ts";
import { collectionOf } from "../names.ts";

export async function sweep(database: Database, left: readonly Left[]): Promise<void> {
  const { connection } = database;
  for (const each of left) {
    if (each.kind === "collection") await connection.db.dropCollection(each.name).catch(() => undefined);
    else
      for (const [i, type] of each.types.entries()) {
        const property = each.property[i];
        if (property !== undefined)
          await connection.collection(collectionOf(type)).updateMany({ [property]: { $exists: true } }, { $unset: { [property]: "" } });
      }
  }
  const { catalog } = database;
  const texts = new Set(left.map((each) => JSON.stringify(each)));
  await database.changeCatalog({ ...catalog, left: catalog.left.filter((each) => !texts.has(JSON.stringify(each))) });
}
