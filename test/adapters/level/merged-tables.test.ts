// LevelDB merges tables without comparing checksums. What it merged is verified afterwards, and every table now and then.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Level } from "level";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LevelStore, type LevelStoreOptions } from "../../../adapters/level/level-store.ts";
import type { QuernError } from "../../../core/storage.ts";
import { temporaryFolder } from "./folders.ts";
import { copyOf, filesIn, flipBit, keyAt, makeStore, valueAt } from "./store-folder.ts";

let whole: string;
beforeAll(async () => {
  whole = await makeStore();
});

const table = /\.ldb$/;

interface Opened {
  readonly store: LevelStore;
  readonly path: string;
  readonly faults: QuernError[];
}

async function opened(path: string, options: Partial<LevelStoreOptions> = {}): Promise<Opened> {
  const store = new LevelStore(path, { blockCacheBytes: 1 << 20, ...options });
  const faults: QuernError[] = [];
  await store.open({ onFault: (fault) => void faults.push(fault) });
  onTestFinished(() => store.close());
  return { store, path, faults };
}

/** Merges all tables. The threads of one process may share an open LevelDB. */
async function compact(path: string): Promise<void> {
  const db = new Level(path);
  await db.open({ multithreading: true, createIfMissing: false });
  assert.ok("compactRange" in db && typeof db.compactRange === "function");
  await db.compactRange("", "\u{10ffff}");
  await db.close();
}

async function heldIn(path: string): Promise<readonly string[]> {
  return await filesIn(join(path, "held"), table).catch(() => []);
}

/** Flips a bit of a value in the first table. One of a key, or of what describes the block, may end the process: LevelDB asserts the order of keys. */
async function spoilValue(path: string): Promise<void> {
  const [name = ""] = await filesIn(path, table);
  const at = (await readFile(join(path, name))).indexOf(valueAt(spoilt).subarray(8, 24));
  assert.ok(at > 0);
  await flipBit(join(path, name), 8 * at);
}

/** The number of a key whose value does not pack. */
const spoilt = 100;

describe("a table whose bit flips while the store serves", () => {
  it("ends the service when LevelDB has merged it, is named, and keeps the store shut", async () => {
    const { store, path, faults } = await opened(await copyOf(whole));
    await spoilValue(path);
    await compact(path);
    await expect.poll(() => faults).toHaveLength(1);
    expect(faults[0]?.cause).toMatchObject({ message: expect.stringMatching(/held\/\d+\.ldb has a block .* does not match its checksum/) });
    expect(() => store.getSync(keyAt(0))).toThrow("files of the store are damaged");
    await store.close();
    // LevelDB's own tables are whole again: only the held one shows what they lack.
    const { faults: found } = await store.verifyFiles();
    expect(found.map(({ message }) => message)).toEqual([expect.stringMatching(/^held\/\d+\.ldb has a block/)]);
    await expect(store.open()).rejects.toMatchObject({ code: "STORE_CORRUPT", hint: expect.stringContaining("held") });
    await rm(join(path, "held"), { recursive: true });
    await store.open();
    assert.notDeepEqual(Buffer.from(store.getSync(keyAt(spoilt)) ?? []), valueAt(spoilt));
  });

  it("ends the service when it is found by the next pass, before LevelDB merges it", async () => {
    const { store, path, faults } = await opened(await copyOf(whole), { passes: { betweenMs: 20, bytesPerSecond: 1 << 30 } });
    await spoilValue(path);
    await expect.poll(() => faults).toHaveLength(1);
    expect(faults[0]?.cause).toMatchObject({ message: expect.stringMatching(/ \d+\.ldb has a block/) });
    expect(() => store.getSync(keyAt(0))).toThrow("files of the store are damaged");
  });
});

describe("a store with whole tables", () => {
  it("holds them while it serves, drops merged ones when they are verified, and leaves none behind", async () => {
    const { store, path, faults } = await opened(await copyOf(whole));
    expect(await heldIn(path)).toEqual(await filesIn(path, table));
    const before = await heldIn(path);
    await compact(path);
    const isOld = (name: string) => before.includes(name);
    await expect.poll(async () => (await heldIn(path)).filter(isOld)).toEqual([]);
    await expect.poll(() => heldIn(path)).toEqual(await filesIn(path, table));
    expect(store.counters()).toMatchObject({ mergedBytesToVerify: 0 });
    expect(store.counters().verifiedBytesTotal).toBeGreaterThan(0);
    await store.close();
    assert.ok(!(await readdir(path)).includes("held"));
    assert.deepEqual(faults, []);
  });

  it("is closed by a process that has nothing else to do, while merged tables are verified", async () => {
    const path = await temporaryFolder();
    // A table of many slices, which is still being verified when the store is closed.
    const program = `
      import { randomBytes } from "node:crypto";
      import { Level } from "level";
      import { LevelStore } from ${JSON.stringify(new URL("../../../adapters/level/level-store.ts", import.meta.url).href)};
      const store = new LevelStore(${JSON.stringify(path)}, { blockCacheBytes: 1 << 20 });
      for (let round = 0; round < 2; round++) {
        await store.open();
        for (let i = 0; i < 4_000; i++) await store.batch([{ type: "put", key: String(i), value: randomBytes(2_000) }], { sync: false });
        await store.close();
      }
      await store.open();
      const db = new Level(${JSON.stringify(path)});
      await db.open({ multithreading: true });
      await db.compactRange("", "~");
      await db.close();
      await store.close();
      console.log("closed");`;
    const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000, killSignal: "SIGKILL" });
    assert.equal(stdout, "closed\n");
    assert.ok(!(await readdir(path)).includes("held"));
  }, 90_000);

  it("is verified again and again", async () => {
    const { store, faults } = await opened(await copyOf(whole), { passes: { betweenMs: 1, bytesPerSecond: 1 << 30 } });
    await expect.poll(() => store.counters().verifiedPassesTotal).toBeGreaterThan(2);
    assert.deepEqual(faults, []);
  });

  it("is not verified again where nobody wants it", async () => {
    const { store } = await opened(await copyOf(whole), { passes: { betweenMs: 0, bytesPerSecond: 0 } });
    await compact(store.folder);
    await expect.poll(() => store.counters().verifiedBytesTotal).toBeGreaterThan(0);
    assert.equal(store.counters().verifiedPassesTotal, 0);
  });
});

describe("what a killed process holds", () => {
  /** A store whose tables are merged, with one of those of before held. */
  async function merged(): Promise<{ readonly path: string; readonly held: string }> {
    const path = await copyOf(whole);
    const [name = ""] = await filesIn(path, table);
    const before = join(await temporaryFolder(), name);
    await copyFile(join(path, name), before);
    const { store } = await opened(path);
    await compact(path);
    await store.close();
    await mkdir(join(path, "held"));
    await copyFile(before, join(path, "held", name));
    return { path, held: join(path, "held", name) };
  }

  it("is verified before the store opens, and dropped", async () => {
    const { path, held } = await merged();
    assert.deepEqual((await new LevelStore(path, { blockCacheBytes: 1 << 20 }).verifyFiles()).faults, []);
    const { store } = await opened(path);
    await store.close();
    assert.ok(!(await readdir(path)).includes("held"), held);
  });

  it("keeps the store shut when it is damaged", async () => {
    const { path, held } = await merged();
    await flipBit(held, 64);
    await assert.rejects(new LevelStore(path, { blockCacheBytes: 1 << 20 }).open(), { code: "STORE_CORRUPT" });
  });

  it("is no damage when it was never a part of the store", async () => {
    const { path } = await merged();
    await writeFile(join(path, "held", "000999.ldb"), "half a table");
    assert.deepEqual((await new LevelStore(path, { blockCacheBytes: 1 << 20 }).verifyFiles()).faults, []);
    await (await opened(path)).store.close();
  });

  it("are links to the tables of the store, or copies of them where the folder was copied", async () => {
    const linked = await copyOf(whole);
    const copied = await copyOf(whole);
    for (const path of [linked, copied]) await mkdir(join(path, "held"));
    for (const name of await filesIn(whole, table)) {
      await link(join(linked, name), join(linked, "held", name));
      await copyFile(join(copied, name), join(copied, "held", name));
    }
    for (const path of [linked, copied]) {
      const { store } = await opened(path);
      expect(await heldIn(path)).toEqual(await filesIn(path, table));
      await store.close();
    }
  });
});
