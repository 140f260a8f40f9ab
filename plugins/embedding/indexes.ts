// The indexes of embeddings: one for each stored field, for all types that have it.

import type { NearestIndex } from "../../core/plugin.ts";
import type { Embedding } from "./embeddings.ts";

export function indexesOf(embeddings: readonly Embedding[]): readonly NearestIndex[] {
  const indexes = embeddings.flatMap(({ field, search }): readonly NearestIndex[] => {
    const { stored } = field();
    return search.index ? [{ name: `${stored}/hnsw`, field: stored, by: "nearest", metric: search.metric, ...search.index }] : [];
  });
  return [...new Map(indexes.map((index) => [index.name, index])).values()];
}
