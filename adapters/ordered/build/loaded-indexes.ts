// Indexes that were written before the migration that puts them in force.

import type { IndexName, Uid } from "../../../core/storage.ts";

export interface LoadedIndexes {
  /** Their structures, which the catalog lists as unfinished. */
  readonly ids: Readonly<Record<IndexName, number>>;
  /** Call it in the writer's turn. @returns nodes that are not in the indexes; undefined: the indexes are of no use */
  missed(): readonly Uid[] | undefined;
}
