// What loads and builds say to the structures that they write: lists by texts that are empty when one begins know which keys they have, until it ends.

import type { Database } from "../database/database.ts";
import { isEmptyNow } from "../database/empty-structure.ts";
import type { IndexRuntime, KeyRuntime } from "../layout/layout-runtime.ts";
import type { PostingLists } from "../structures/posting-lists.ts";

export interface TextLists {
  readonly id: number;
  readonly lists: PostingLists<string>;
}

export function textListsOf(indexes: Iterable<IndexRuntime>, keys: Iterable<KeyRuntime>): readonly TextLists[] {
  const found: TextLists[] = [...keys];
  for (const index of indexes) if (index.by === "value" || index.by === "tokens") found.push(index);
  return found;
}

/** Call it in the writer's turn. */
export async function expectNewLists(database: Database, all: readonly TextLists[]): Promise<void> {
  for (const { id, lists } of all) if (await isEmptyNow(database, id)) lists.expectNew();
}

export async function beginLoad(database: Database): Promise<void> {
  await database.write(async () => {
    const { indexes, keys, nodes } = database.schema;
    await expectNewLists(database, textListsOf(indexes.values(), keys));
    nodes.records.keyspace.beginLoad();
    for (const { lists } of keys) lists.heads.beginLoad();
    database.feed.beginLoad();
    return { result: undefined, wrote: false };
  });
}

export function endLoad({ feed, schema: { indexes, keys, nodes } }: Database): void {
  feed.endLoad();
  nodes.records.keyspace.endLoad();
  for (const { lists } of textListsOf(indexes.values(), keys)) lists.endLoad();
}
