// Indexes that a deploy builds over data: sorted runs in memory and on the disk, while others write.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { Database } from "../../../adapters/ordered/database/database.ts";
import { type MigrationRequest, migrate } from "../../../adapters/ordered/deploy/migrate.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import type { EntryView } from "../../../adapters/ordered/keyspaces/keyspace.ts";
import type { CompoundIndexRuntime } from "../../../adapters/ordered/layout/layout-runtime.ts";
import { type Layout, type MigrationStep, runAtOnce } from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { byValue, library } from "../../conformance/storage/layouts.ts";
import { randomChanges, randomFields, seeded } from "../../conformance/storage/random.ts";
import { populate } from "../../conformance/storage/random-checks.ts";
import { MemoryStore } from "./memory-store.ts";
import { storageOptions, withBench } from "./with-bench.ts";
import { writerOn } from "./writer-on.ts";

const unindexed: Layout = { ...library, indexes: [] };
const unkeyed: Layout = { ...unindexed, keys: [] };

/** A store in memory whose files lie in a folder. */
class FolderStore extends MemoryStore {
  readonly folder: string;

  constructor(folder: string) {
    super();
    this.folder = folder;
  }

  get runFiles(): number {
    const runs = join(this.folder, "build");
    return existsSync(runs) ? readdirSync(runs).length : 0;
  }
}

async function folderStore(): Promise<FolderStore> {
  const folder = await mkdtemp(join(tmpdir(), "quern-build-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return new FolderStore(folder);
}

interface BuildOptions {
  /** Uids that the build holds in memory at most. */
  readonly gatheredAtMost?: number;
  readonly progress?: (step: MigrationStep) => void;
}

/** Builds all indexes of `library` over the data of a store without indexes. */
async function build(store: MemoryStore, { gatheredAtMost, progress }: BuildOptions = {}): Promise<void> {
  const database = new Database(store, storageOptions);
  const request = (layout: Layout, document: string): MigrationRequest => ({
    layout,
    document,
    progress,
    takeOver: undefined,
    ...(gatheredAtMost !== undefined && { gatheredAtMost }),
  });
  await migrate(database, request(unindexed, "unindexed"));
  await migrate(database, request(library, "library"));
  await database.close();
}

async function* compoundEntries({ compound }: CompoundIndexRuntime, view: EntryView): AsyncGenerator<readonly [string, unknown]> {
  for await (const [list] of compound.valued.directories.scan(view)) {
    const entries: unknown[] = [];
    const all = compound.valued.open(list, view);
    all.forward(all.start(), all.end(), (uid, key) => entries.push([key, uid]) > 0);
    yield [list, entries];
  }
  for await (const [list] of compound.missing.heads.scan(view)) yield [`${list} missing`, compound.missing.open(list, view).all()];
}

/** What each list, ordered index and column holds. How it is cut into entries of the store depends on the order of writes. */
async function indexEntries(store: MemoryStore): Promise<ReadonlyMap<string, unknown>> {
  const database = new Database(store, storageOptions);
  database.handIn(library);
  const view = database.read();
  const found = new Map<string, unknown>();
  for (const [name, index] of database.schema.indexes) {
    if (index.by === "compound") {
      for await (const [list, entries] of compoundEntries(index, view)) found.set(`${name} ${list}`, entries);
      continue;
    }
    if (index.by !== "ordered") {
      for await (const [text] of index.lists.heads.scan(view)) found.set(`${name} ${text}`, index.lists.open(text, view).all());
      continue;
    }
    const entries: unknown[] = [];
    const all = index.entries.open(view);
    all.forward(all.start(), all.end(), (uid, key) => entries.push([key, uid]) > 0);
    found.set(name, entries);
    if (index.column !== undefined) for await (const [text, chunk] of index.column.chunks.scan(view)) found.set(`${name} column ${text}`, chunk);
  }
  view.close();
  await database.close();
  return found;
}

describe("indexes that a deploy builds", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`hold what single writes would have written (seed ${seed})`, async () => {
      const store = new MemoryStore();
      await withBench(store, (bench) => populate(bench, seeded(seed * 977), 120));
      const written = await indexEntries(store);
      assert.ok(written.size > 2 * library.indexes.length);
      await withBench(store, (bench) => bench.deploy(unindexed, "unindexed"));
      await build(store);
      assert.deepEqual(await indexEntries(store), written);
    });
  }

  it("are complete when their entries went to the disk in many runs", async () => {
    const store = await folderStore();
    await withBench(store, async (bench) => {
      await populate(bench, seeded(5), 900);
      await bench.deploy(unindexed, "unindexed");
    });
    let files = 0;
    const progress = (): void => {
      files = Math.max(files, store.runFiles);
    };
    await build(store, { gatheredAtMost: 50, progress });
    assert.ok(files > 2 * library.indexes.length, `${files} files`);
    assert.equal(existsSync(join(store.folder, "build")), false, "the files are removed");
    await withBench(store, async (bench) => {
      await bench.deploy(library, "library");
      const { faults, entries } = await bench.storage.verify();
      assert.deepEqual(faults, []);
      assert.ok(entries > 3_000);
    });
  });

  it("are written in few batches while nobody else writes: the merge goes on while the disk works", async () => {
    const store = new MemoryStore();
    await withBench(store, async (bench) => {
      await bench.deploy(unindexed, "unindexed");
      await bench.write(async (transaction) => {
        const uids = await transaction.uids(800);
        const text = (node: number) => Array.from({ length: 100 }, (_, word) => `w${node}-${word}`).join(" ");
        await transaction.write(uids.map((uid, i) => ({ kind: "create", uid, type: "Post", fields: { "Post.text": text(i) } })));
      });
    });
    let batches = 0;
    store.beforeBatch = async () => {
      batches++;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    let [portions, before] = [0, 0];
    await build(store, {
      progress({ what }) {
        if (!what.startsWith("entries of index")) before = batches;
        else portions++;
      },
    });
    assert.ok(portions > 70, `${portions} portions`);
    assert.ok((batches - before) * 6 < portions, `${batches - before} batches for ${portions} portions`);
  });

  it("hold what others create, change and remove while they are built", async () => {
    const store = await folderStore();
    const pick = seeded(11);
    const uids = await withBench(store, async (bench) => {
      await bench.deploy(unindexed, "unindexed");
      const made = await bench.write(async (transaction) => {
        const fresh = await transaction.uids(1_200);
        await transaction.write(randomChanges(pick, fresh));
        return fresh;
      });
      const { uids: posts } = await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: [] }));
      assert.ok(posts.length > 300 && posts.length < made.length);
      return posts;
    });
    const storage = orderedStorage(store, storageOptions);
    await storage.open();
    const bench = new Bench(storage);
    await bench.deploy(unindexed, "unindexed");
    let steps = 0;
    const phases = new Set<string>();
    const deploy = storage.migrate(library, "library", { progress: ({ what }) => phases.add(what) && steps++ });
    let deployed = false;
    void deploy.then(() => {
      deployed = true;
    });
    let written = 0;
    for (; !deployed; written++) {
      const write = bench.write(async (transaction) => {
        const [fresh = 0] = await transaction.uids(1);
        const at = (offset: number) => uids[(written * 7 + offset) % uids.length] ?? 0;
        await transaction.write([
          { kind: "create", uid: fresh, type: "Post", fields: randomFields(pick, "Post") },
          { kind: "set", uid: at(0), type: "Post", fields: randomFields(pick, "Post") },
          { kind: "set", uid: at(1), type: "Post", fields: { "Post.name": null, "Post.text": "b zz", "Post.rank": pick(9) } },
          { kind: "remove", uid: at(3), type: "Post" },
        ]);
      });
      await write.catch((error) => assert.equal(error.code, "STALE_LAYOUT"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await deploy;
    assert.ok(written > 10 && phases.size > library.indexes.length, `${written} writes beside ${steps} steps`);
    assert.deepEqual((await storage.verify()).faults, []);
    await storage.close();
  });

  it("leave no files when the data violate the layout", async () => {
    const store = await folderStore();
    await withBench(store, async (bench) => {
      await populate(bench, seeded(7), 500);
      await bench.deploy(unkeyed, "unkeyed");
      await bench.create("Post", [{ "Post.code": "same" }]);
    });
    const database = new Database(store, storageOptions);
    database.handIn(unkeyed);
    const request = { document: "library", takeOver: undefined, gatheredAtMost: 100 };
    // Others take the key during the build: a check before it would have refused it at once.
    let added = 0;
    const progress = ({ what }: MigrationStep): void => {
      if (!what.startsWith("entries") || added++ > 0) return;
      const [uid = 0] = database.takeUids(1);
      void database.write(() => {
        runAtOnce(writerOn(database).write([{ kind: "create", uid, type: "Post", fields: { "Post.code": "same" } }]));
        return { result: undefined, wrote: true };
      });
    };
    await assert.rejects(migrate(database, { ...request, layout: library, progress }), { code: "MIGRATION_REFUSED" });
    assert.deepEqual([added > 0, existsSync(join(store.folder, "build")), database.catalog.build], [true, false, undefined]);
    await database.close();
    await withBench(store, async (bench) => {
      await bench.deploy(unkeyed, "unkeyed");
      assert.deepEqual((await bench.storage.verify()).faults, []);
    });
  });

  it("begin anew when a kill left files without a note of them: opening removes these", async () => {
    const store = await folderStore();
    for (const folder of ["scratch", "build"]) {
      await mkdir(join(store.folder, folder));
      await writeFile(join(store.folder, folder, "1.run"), "half a run");
    }
    await withBench(store, (bench) => bench.deploy(library));
    assert.deepEqual(readdirSync(store.folder), []);
  });
});

describe("indexes that a load defers", () => {
  it("get no entry until they are built, and then what single writes would have written", async () => {
    const usual = new MemoryStore();
    await withBench(usual, (bench) => populate(bench, seeded(21), 120));
    const store = new MemoryStore();
    await withBench(store, (bench) => populate(bench, seeded(21), 120, { deferIndexes: true }));
    assert.equal((await indexEntries(store)).size, 0);
    await withBench(store, (bench) => bench.deploy(library));
    assert.deepEqual(await indexEntries(store), await indexEntries(usual));
  });

  it("are those of types without nodes: the others are maintained", async () => {
    const store = new MemoryStore();
    await withBench(store, async (bench) => {
      await bench.deploy(library);
      await bench.create("Author", [{ "Author.age": 3 }]);
      await bench.deploy(library, "document", { deferIndexes: true });
      await bench.create("Author", [{ "Author.age": 4 }]);
      await bench.create("Post", [{ "Post.rank": 5 }]);
    });
    const entries = [...(await indexEntries(store)).keys()].map((name) => name.split(" ")[0]);
    assert.deepEqual([...new Set(entries)], ["Author.age/value"]);
  });

  it("are built by the next start after a kill", async () => {
    const store = new MemoryStore();
    await withBench(store, (bench) => populate(bench, seeded(22), 50, { deferIndexes: true }));
    const storage = orderedStorage(store, storageOptions);
    await storage.open();
    await storage.migrate(library, "document", { takeOver: "start" });
    assert.deepEqual(await storage.compare(library), { obstacles: [], work: [] });
    assert.deepEqual((await storage.verify()).faults, []);
    await storage.close();
    assert.ok((await indexEntries(store)).size > library.indexes.length);
  });

  it("stay deferred when a load goes on after a kill, although its types have nodes now", async () => {
    const store = new MemoryStore();
    await withBench(store, (bench) => populate(bench, seeded(23), 50, { deferIndexes: true }));
    await withBench(store, async ({ storage }) => {
      await storage.migrate(library, "document", { takeOver: "start", deferIndexes: true });
    });
    assert.equal((await indexEntries(store)).size, 0);
  });

  it("do not include those of key fields, by which writes look up nodes", async () => {
    const indexed: Layout = { ...library, indexes: [...library.indexes, byValue("Post.code", { ordered: false })] };
    await withBench(new MemoryStore(), async (bench) => {
      await bench.deploy(indexed, "document", { deferIndexes: true });
      for (const type of ["Post", "PostTag", "Author"]) await bench.create(type, [{}]);
      const { work } = await bench.storage.compare(indexed);
      assert.equal(work.length, library.indexes.length);
      assert.equal(
        work.some((line) => line.includes("Post.code")),
        false,
      );
    });
  });

  it("names the indexes that it reads the nodes for, or states their number when there are many", async () => {
    const firstStep = async (layout: Layout): Promise<string | undefined> => {
      const store = await folderStore();
      return await withBench(store, async (bench) => {
        await bench.deploy(unindexed, "unindexed");
        await bench.write((transaction) => transaction.write([{ kind: "create", uid: 1, type: "Post", fields: { "Post.name": "a" } }]));
        const steps: string[] = [];
        await bench.storage.migrate(layout, "indexed", { progress: ({ what }) => void steps.push(what) });
        return steps[0];
      });
    };
    const [one, two] = library.indexes;
    assert.ok(one && two && library.indexes.length > 3);
    assert.equal(await firstStep({ ...library, indexes: [one, two] }), `index ${one.name}, index ${two.name}`);
    assert.equal(await firstStep(library), `${library.indexes.length} indexes`);
  });
});
