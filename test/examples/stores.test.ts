// Stores by strangers: the whole storage kit, and what each promises besides.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lmdbStorage } from "../../examples/lmdb-store/lmdb-store.ts";
import { memoryStorage } from "../../examples/memory-store/memory-store.ts";
import { storageConformance } from "../conformance/index.ts";

const folders = mkdtempSync(join(tmpdir(), "quern-stores-"));
afterAll(() => rmSync(folders, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(folders, "lmdb-"));

describe("a store in memory", () => {
  storageConformance({ test: it, create: async () => memoryStorage() });
});

describe("a store on LMDB", () => {
  storageConformance({ test: it, create: async () => lmdbStorage({ path: newFolder() }) });

  it("lets one process in at a time, and takes over from one that is gone", async () => {
    const path = newFolder();
    const first = lmdbStorage({ path });
    await first.open();
    await expect(lmdbStorage({ path }).open()).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await first.close();
    writeFileSync(join(path, "LOCK"), "999999999");
    await first.open();
    await first.close();
  });

  it("says in one sentence why it cannot be opened", async () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    await expect(lmdbStorage({ path: file }).open()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("cannot be opened"),
    });
  });
});
