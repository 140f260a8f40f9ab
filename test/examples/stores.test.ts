// Stores by strangers: the whole storage kit, and what each promises besides.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type OrderedStore, orderedStorage } from "../../adapters/ordered/index.ts";
import { LmdbStore, lmdbStorage } from "../../examples/lmdb-store/lmdb-store.ts";
import { MemoryStore, memoryStorage } from "../../examples/memory-store/memory-store.ts";
import { type FaultyStorage, storageConformance } from "../conformance/index.ts";
import { crashPlace } from "../support/crash-place.ts";
import { FaultyStore } from "../support/faulty-store.ts";

const folders = mkdtempSync(join(tmpdir(), "quern-stores-"));
afterAll(() => rmSync(folders, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(folders, "lmdb-"));
/** Children have to start. */
const test = (name: string, run: () => Promise<void>) => it(name, run, 180_000);

function faulty(inner: OrderedStore): FaultyStorage {
  const store = new FaultyStore(inner);
  return { storage: orderedStorage(store), writes: store.writes };
}

describe("a store in memory", () => {
  // What is in memory ends with its process: no `crash`.
  storageConformance({ test, create: async () => memoryStorage(), faults: async () => faulty(new MemoryStore()) });
});

describe("a store on LMDB", () => {
  const program = new URL("./lmdb-crash.ts", import.meta.url);
  storageConformance({
    test,
    create: async () => lmdbStorage({ path: newFolder() }),
    crash: async () => crashPlace(program, newFolder(), (path) => lmdbStorage({ path })),
    faults: async () => faulty(new LmdbStore(newFolder())),
  });

  it("admits one process at a time, and takes over the lock of a dead one", async () => {
    const path = newFolder();
    const first = lmdbStorage({ path });
    await first.open();
    await expect(lmdbStorage({ path }).open()).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await first.close();
    writeFileSync(join(path, "LOCK"), "999999999");
    await first.open();
    await first.close();
  });

  it("reports in one sentence why it cannot be opened", async () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    await expect(lmdbStorage({ path: file }).open()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("cannot be opened"),
    });
  });
});
