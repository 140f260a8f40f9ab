// Whether a structure has entries.

import { rangeOf } from "../structures/registry.ts";
import type { Database } from "./database.ts";

/** Staged entries included. Call it in the writer's turn. */
export async function isEmptyNow({ engine, store }: Database, id: number): Promise<boolean> {
  await engine.settled();
  const cursor = store.cursor(rangeOf(id));
  try {
    return (await cursor.next(1)).length === 0;
  } finally {
    await cursor.close();
  }
}
