// The indexes that a load builds at its end. The catalog then describes a layout without them: the next migration to the whole layout builds them, be it
// the one that ends the load, or the next start after a kill.

import type { FieldName, IndexLayout, Layout } from "../../../core/storage.ts";
import type { Database } from "../database/database.ts";

/** `layout` without the indexes that are not built yet, or whose types have no nodes. */
export function withoutDeferred(database: Database, layout: Layout): Layout {
  // Writes look up nodes by the fields of keys.
  const looked = new Set(layout.keys.flatMap((key) => key.fields));
  const isDeferred = (index: IndexLayout): boolean => index.by !== "nearest" && !looked.has(index.field) && isUnused(database, layout, index);
  return { ...layout, indexes: layout.indexes.filter((index) => !isDeferred(index)) };
}

function isUnused(database: Database, layout: Layout, { name, field }: IndexLayout): boolean {
  const { catalog, schema, writerView } = database;
  if (catalog.indexes[name] === undefined) return true;
  const count = (id: number) => schema.nodes.byType.count(id, writerView);
  return typesWith(database, layout, field).every((type) => count(catalog.types[type] ?? 0) === 0);
}

/** Types that have the field, or once had it. */
function typesWith({ catalog }: Database, layout: Layout, field: FieldName): readonly string[] {
  return [...(catalog.fields[field]?.types ?? []), ...layout.types.flatMap((type) => (type.fields.includes(field) ? [type.name] : []))];
}
