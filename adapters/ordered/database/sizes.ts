// How much room each structure takes. The store estimates ranges of keys without reading them.

import type { PartSize } from "../../../core/storage.ts";
import { rangeOf } from "../structures/registry.ts";
import type { Database } from "./database.ts";

export async function sizesOf({ schema, catalog, store }: Database): Promise<readonly PartSize[]> {
  const parts: (Omit<PartSize, "bytes"> & { readonly id: number })[] = [
    { kind: "nodes", name: "", id: catalog.nodes },
    ...[...schema.indexes.values(), ...schema.nearest].map(({ id, name }) => ({ kind: "index" as const, name, id })),
    ...schema.keys.map(({ id, layout }) => ({ kind: "key" as const, name: layout.name, id })),
    ...schema.edges.map((edge) => ({ kind: "edge" as const, name: edge.layout.name, id: edge.store.id })),
  ];
  const sizes: PartSize[] = [];
  // One at a time: each takes a thread of the pool, which reads need.
  for (const { kind, name, id } of parts) sizes.push({ kind, name, bytes: await store.approximateSize(rangeOf(id)) });
  return sizes;
}
