// What a deploy no longer needs is deleted from the store beside the requests that run.

import assert from "node:assert/strict";
import { it } from "vitest";
import { Database } from "../../../adapters/ordered/database/database.ts";
import { migrate } from "../../../adapters/ordered/deploy/migrate.ts";
import { Sweeper } from "../../../adapters/ordered/deploy/sweep.ts";
import { rangeOf } from "../../../adapters/ordered/structures/registry.ts";
import type { Layout } from "../../../core/storage.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { seeded } from "../../conformance/storage/random.ts";
import { populate } from "../../conformance/storage/random-checks.ts";
import { MemoryStore } from "./memory-store.ts";
import { storageOptions, withBench } from "./with-bench.ts";

const unindexed: Layout = { ...library, indexes: [] };

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

it("a write that began under the layout before finds its structures until it ends; then they are deleted", async () => {
  const store = new MemoryStore();
  await withBench(store, (bench) => populate(bench, seeded(7), 200));
  const database = new Database(store, storageOptions);
  database.handIn(library);
  await migrate(database, { layout: unindexed, document: "unindexed", progress: undefined, takeOver: undefined });
  const dropped = database.catalog.garbage;
  const sizes = () => Promise.all(dropped.map((id) => store.approximateSize(rangeOf(id))));
  const before = await sizes();
  assert.ok(dropped.length > 2 && before.some((bytes) => bytes > 0));

  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const write = database.write(async () => {
    await held;
    return { result: undefined, wrote: false };
  });
  const sweeper = new Sweeper(database);
  sweeper.start();
  await turns(200);
  assert.deepEqual(await sizes(), before);

  end();
  await write;
  await sweeper.idle();
  assert.deepEqual(
    await sizes(),
    before.map(() => 0),
  );
  assert.deepEqual(database.catalog.garbage, []);
  await database.close();
});
