// Builds of indexes and keys that a kill interrupts: the next one goes on where the last portion was written.

import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, onTestFinished, vi } from "vitest";
import { Database } from "../../../adapters/ordered/database/database.ts";
import { migrate } from "../../../adapters/ordered/deploy/migrate.ts";
import { PostingLists } from "../../../adapters/ordered/structures/posting-lists.ts";
import { type Change, type IndexLayout, type Layout, type MigrationStep, runAtOnce, type Uid } from "../../../core/storage.ts";
import type { Bench } from "../../conformance/storage/kit.ts";
import { boats, byValue, field, library } from "../../conformance/storage/layouts.ts";
import { type Pick, randomChanges, randomFields, seeded } from "../../conformance/storage/random.ts";
import { MemoryStore } from "./memory-store.ts";
import { storageOptions, withBench } from "./with-bench.ts";
import { writerOn } from "./writer-on.ts";

/** A store whose process can be killed: what it holds goes on in another one. */
class KillableStore extends MemoryStore {
  readonly folder: string;
  #batches = Number.POSITIVE_INFINITY;
  #killed: KillableStore | undefined;

  constructor(folder: string) {
    super();
    this.folder = folder;
    this.beforeBatch = () => {
      if (this.#killed === undefined && this.#batches-- <= 0) this.#killed = this.#continued();
      if (this.#killed !== undefined) throw new Error("killed");
    };
  }

  /** The process is killed after so many batches. */
  killAfter(batches: number): void {
    this.#batches = batches;
  }

  /** Batches until the kill. */
  get batchesLeft(): number {
    return this.#batches;
  }

  /** What the next process finds; undefined: this one was not killed. */
  get afterKill(): KillableStore | undefined {
    return this.#killed;
  }

  /** Files of a build. */
  get runs(): readonly string[] {
    const folder = join(this.folder, "build");
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  }

  #continued(): KillableStore {
    const store = new KillableStore(`${this.folder}+`);
    cpSync(this.folder, store.folder, { recursive: true });
    store.take(this);
    return store;
  }
}

async function killableStore(): Promise<KillableStore> {
  const folder = await mkdtemp(join(tmpdir(), "quern-resume-test-"));
  onTestFinished(async () => {
    for (let path = folder; existsSync(path); path += "+") await rm(path, { recursive: true, force: true });
  });
  return new KillableStore(folder);
}

/** More than any build makes. */
const manyBatches = 1_000_000;

interface Deploy {
  readonly layout: Layout;
  /** The layout that is in force until then. */
  readonly from: Layout;
  readonly gatheredAtMost?: number;
  /** Batches until the kill. */
  readonly killAfter?: number;
}

/** Deploys a layout over another one. @returns the steps of the build, and the store of the next process */
async function deploy(store: KillableStore, { layout, from, gatheredAtMost = 400, killAfter = Number.POSITIVE_INFINITY }: Deploy) {
  const database = new Database(store, storageOptions);
  const steps: MigrationStep[] = [];
  const progress = (step: MigrationStep) => void steps.push(step);
  database.handIn(from);
  store.killAfter(killAfter);
  await migrate(database, { layout, document: "next", progress, takeOver: undefined, gatheredAtMost }).catch((error) => {
    if (store.afterKill === undefined) throw error;
  });
  await database.close().catch(() => undefined);
  const batches = killAfter - store.batchesLeft;
  // What comes after a build that came through is not killed.
  store.killAfter(Number.POSITIVE_INFINITY);
  return { steps, batches, next: store.afterKill ?? store, isDone: store.afterKill === undefined };
}

/** A build over 3,000 nodes that was killed behind its first portion: how many batches it has written by then depends on how commits are joined. */
async function killedBuild(layout: Layout, from: Layout, killAfter = 6): ReturnType<typeof deploy> {
  const killed = await deploy(await fleetOf(3_000, from), { layout, from, killAfter, gatheredAtMost: 4_000 });
  assert.equal(killed.isDone, false);
  const database = new Database(killed.next, storageOptions);
  const isKept = database.catalog.build !== undefined;
  await database.close();
  return isKept ? killed : await killedBuild(layout, from, killAfter + 1);
}

/** Deploys again and again, killed after so many batches, until a deploy comes through. @returns it, and the number of kills */
async function deployThroughKills(store: KillableStore, request: Deploy, between: (store: KillableStore) => Promise<void> = async () => undefined) {
  for (let kills = 0; ; kills++) {
    const done = await deploy(store, request);
    if (done.isDone) return { ...done, kills };
    store = done.next;
    await between(store);
  }
}

async function assertSound(store: KillableStore, layout: Layout): Promise<void> {
  await withBench(store, async (bench) => {
    await bench.deploy(layout, "next");
    const { faults, entries } = await bench.storage.verify();
    assert.deepEqual(faults, []);
    assert.ok(entries > 0);
  });
  assert.deepEqual(readdirSync(store.folder), [], "no file is left");
}

const unindexed: Layout = { ...library, indexes: [], keys: [] };

interface Uids {
  readonly fresh: readonly Uid[];
  readonly known: readonly Uid[];
}

/** Adds nodes, and changes and removes others. */
function someChanges(pick: Pick, { fresh, known }: Uids): readonly Change[] {
  const at = () => known[pick(known.length)] ?? 0;
  return [
    ...fresh.map((uid) => ({ kind: "create" as const, uid, type: "Post", fields: withoutKeys(randomFields(pick, "Post")) })),
    { kind: "set", uid: at(), type: "Post", fields: withoutKeys(randomFields(pick, "Post")) },
    { kind: "set", uid: at(), type: "Post", fields: { "Post.name": null, "Post.text": "b zz", "Post.rank": pick(9) } },
    { kind: "remove", uid: at(), type: "Post" },
  ];
}

async function writeSome(bench: Bench, pick: Pick): Promise<void> {
  await bench.deploy(unindexed, "plain");
  const { uids } = await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: [] }));
  await bench.write(async (transaction) => transaction.write(someChanges(pick, { fresh: await transaction.uids(3), known: uids })));
}

/** Values of keys may not repeat. */
function withoutKeys<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !["Post.code", "Post.left", "Post.right"].includes(name))) as T;
}

async function filled(pick: Pick, count: number): Promise<KillableStore> {
  const store = await killableStore();
  await withBench(store, async (bench) => {
    await bench.deploy({ ...library, indexes: [] }, "keyed");
    await bench.write(async (transaction) => {
      const uids = await transaction.uids(count);
      await transaction.write(randomChanges(pick, uids));
    });
    await bench.deploy(unindexed, "plain");
  });
  return store;
}

/** Boats with names whose tokens are counted as they are made. */
function namedBoats(id = "letters") {
  const made = { tokens: 0 };
  const letters: IndexLayout = {
    name: "Boat.name/letters",
    field: "Boat.name",
    by: "tokens",
    id,
    tokens: (value) => {
      made.tokens++;
      return [...new Set(String(value))];
    },
  };
  const fields = [field("Boat.name", "string"), field("Boat.size", "int")];
  const plain = boats({ fields });
  return { made, plain, indexed: boats({ fields, indexes: [letters, byValue("Boat.size", { ordered: true })], keys: ["Boat.name"] }) };
}

async function fleetOf(count: number, plain: Layout): Promise<KillableStore> {
  const store = await killableStore();
  await withBench(store, async (bench) => {
    await bench.deploy(plain, "plain");
    await bench.create(
      "Boat",
      Array.from({ length: count }, (_, i) => ({ "Boat.name": `boat ${i}`, "Boat.size": i % 7 })),
    );
  });
  return store;
}

describe("a build that is killed", () => {
  for (const seed of [1, 2, 3, 4]) {
    it(`is exact after many kills, with writes of others between and during them (seed ${seed})`, async () => {
      const pick = seeded(seed * 31);
      let store = await filled(pick, 700);
      let goneOn = 0;
      let written = 0;
      for (let isDone = false; !isDone; ) {
        const database = new Database(store, storageOptions);
        database.handIn(unindexed);
        store.killAfter(3 + pick(9));
        const steps = new Set<string>();
        const progress = ({ what }: MigrationStep): void => {
          steps.add(what);
          if (pick(2) === 0) return;
          written++;
          const [fresh = 0] = database.takeUids(1);
          const write = database.write(() => {
            const known = database.schema.nodes.byType.open(database.catalog.types.Post ?? 0, database.writerView).all();
            runAtOnce(writerOn(database).write(someChanges(pick, { fresh: [fresh], known })));
            return { result: undefined, wrote: true };
          });
          write.catch(() => undefined);
        };
        const building = migrate(database, { layout: library, document: "next", progress, takeOver: undefined, gatheredAtMost: 300 });
        isDone = await building.then(
          () => true,
          (error) => {
            if (store.afterKill === undefined) throw error;
            return false;
          },
        );
        await database.close().catch(() => undefined);
        if ([...steps].some((what) => what.includes("resumed"))) goneOn++;
        if (isDone) break;
        store = store.afterKill ?? store;
        if (pick(3) > 0) await withBench(store, (bench) => writeSome(bench, pick));
      }
      assert.ok(goneOn > 0 && written > 3, `${goneOn} builds went on, beside ${written} writes`);
      await assertSound(store, library);
    });
  }

  it("reads only the nodes behind the last portion again, and says where it goes on", async () => {
    const { made, plain, indexed } = namedBoats();
    const request = { layout: indexed, from: plain };
    const whole = await deploy(await fleetOf(3_000, plain), request);
    assert.deepEqual([whole.isDone, made.tokens], [true, 3_000]);

    // How many batches a build has written before its first portion depends on how commits are joined.
    const resumedAfter = async (batches: number): Promise<Awaited<ReturnType<typeof deploy>>> => {
      const killed = await deploy(await fleetOf(3_000, plain), { ...request, gatheredAtMost: 4_000, killAfter: batches });
      assert.equal(killed.isDone, false);
      made.tokens = 0;
      const resumed = await deploy(killed.next, { ...request, gatheredAtMost: 4_000 });
      return resumed.steps[0]?.what.includes("resumed") ? resumed : await resumedAfter(batches + 1);
    };
    const { steps, next } = await resumedAfter(4);
    const [from] = steps;
    assert.ok(from && from.done > 0 && from.done < 3_000, JSON.stringify(from));
    assert.equal(from.what, `index Boat.name/letters, index Boat.size/value, key Boat.name, resumed at ${from.done.toLocaleString("en")}`);
    assert.equal(made.tokens, 3_000 - from.done);
    await assertSound(next, indexed);
  });

  it("goes on within the index that it was writing", async () => {
    const { made, plain, indexed } = namedBoats();
    const request = { layout: indexed, from: plain, gatheredAtMost: 4_000 };
    // How many portions one batch holds depends on the machine: the kills come earlier and earlier, until one falls among those of the index.
    const whole = await deploy(await fleetOf(6_000, plain), { ...request, killAfter: manyBatches });
    for (let batches = whole.batches - 1; batches > 0; batches--) {
      const killed = await deploy(await fleetOf(6_000, plain), { ...request, killAfter: batches });
      made.tokens = 0;
      const { steps, next } = await deploy(killed.next, request);
      if (!/^entries of index Boat.name\/letters, resumed at \d/u.test(steps[0]?.what ?? "")) continue;
      assert.equal(made.tokens, 0, "no node is read again");
      await assertSound(next, indexed);
      return;
    }
    assert.fail("no kill fell among the portions of the index");
  });

  it("leaves out nothing when writing a portion fails while later ones wait", async () => {
    const { plain, indexed } = namedBoats();
    const store = await fleetOf(6_000, plain);
    const database = new Database(store, storageOptions);
    database.handIn(plain);
    const addAll = vi.spyOn(PostingLists.prototype, "addAll");
    onTestFinished(() => addAll.mockRestore());
    let fails = true;
    const progress = ({ what, done }: MigrationStep): void => {
      if (!fails || !what.startsWith("entries of index Boat.name/letters") || done <= 20_000) return;
      fails = false;
      addAll.mockImplementationOnce(() => {
        throw new Error("unreadable");
      });
    };
    const request = { layout: indexed, document: "next", takeOver: undefined, gatheredAtMost: 4_000 };
    await assert.rejects(migrate(database, { ...request, progress }), /unreadable/u);
    const steps: MigrationStep[] = [];
    await migrate(database, { ...request, progress: (step) => void steps.push(step) });
    await database.close();
    assert.match(steps[0]?.what ?? "", /^entries of index Boat.name\/letters, resumed at \d/u);
    await assertSound(store, indexed);
  });

  it("begins anew when the next layout needs other indexes", async () => {
    const { plain, indexed } = namedBoats();
    const other = namedBoats("other letters");
    const killed = await killedBuild(indexed, plain);
    assert.ok(killed.next.runs.length > 0);
    const { steps, next } = await deploy(killed.next, { layout: other.indexed, from: plain });
    assert.equal(steps[0]?.what, "index Boat.name/letters, index Boat.size/value, key Boat.name");
    assert.equal(other.made.tokens, 3_000);
    await assertSound(next, other.indexed);
  });

  it("goes on when the next layout differs in what needs no build", async () => {
    const { made, plain, indexed } = namedBoats();
    const killed = await killedBuild(indexed, plain);
    made.tokens = 0;
    const wider = {
      ...indexed,
      types: [...indexed.types, { name: "Buoy", fields: ["Buoy.name"] }],
      fields: [...indexed.fields, field("Buoy.name", "string")],
    };
    const { next } = await deploy(killed.next, { layout: wider, from: plain });
    assert.ok(made.tokens < 3_000);
    await assertSound(next, wider);
  });

  it("is forgotten when another layout comes into force, and leaves nothing", async () => {
    const { plain, indexed } = namedBoats();
    const killed = await killedBuild(indexed, plain);
    const size = (await fleetOf(3_000, plain)).size;
    const renamed = boats({ fields: [...plain.fields, field("Boat.port", "string")] });
    await withBench(killed.next, async (bench) => {
      await bench.deploy(renamed, "renamed");
      assert.deepEqual(killed.next.runs, []);
      while (killed.next.size > size) await new Promise((resolve) => setImmediate(resolve));
    });
  });

  it("begins anew when a run is damaged or missing", async () => {
    const { made, plain, indexed } = namedBoats();
    for (const damage of [(path: string) => truncateSync(path, 30), (path: string) => rm(path)]) {
      const killed = await killedBuild(indexed, plain);
      await damage(killed.next.runs[0] ?? "");
      made.tokens = 0;
      const { next } = await deploy(killed.next, { layout: indexed, from: plain });
      assert.equal(made.tokens, 3_000);
      await assertSound(next, indexed);
    }
  });

  it("begins anew when a program that does not know of it wrote in between", async () => {
    const { made, plain, indexed } = namedBoats();
    const killed = await killedBuild(indexed, plain);
    await withBench(killed.next, async (bench) => {
      await bench.deploy(plain, "plain");
      // Such a program writes no mark beside the number of its commit: as a database does that has dropped the build.
      await bench.storage.erase({ kind: "field", name: "Boat.size" });
    });
    made.tokens = 0;
    const { next } = await deploy(killed.next, { layout: indexed, from: plain });
    assert.equal(made.tokens, 3_000);
    await assertSound(next, indexed);
  });

  it("counts what others write before it goes on: new, changed and removed nodes", async () => {
    const { plain, indexed } = namedBoats();
    const names = async (bench: Bench) => {
      const { uids, columns } = await bench.read((snapshot) => snapshot.find({ types: ["Boat"], fields: ["Boat.name"] }));
      return uids.map((uid, i) => [uid, columns[0]?.[i]] as const);
    };
    const between = (store: KillableStore) =>
      withBench(store, async (bench) => {
        await bench.deploy(plain, "plain");
        const found = await names(bench);
        const [first, , middle] = [found[0], found[1], found[found.length >> 1]];
        await bench.write(async (transaction) => {
          const [fresh = 0] = await transaction.uids(1);
          await transaction.write([
            { kind: "remove", uid: first?.[0] ?? 0, type: "Boat" },
            // The name of the removed boat: its key must be free again.
            { kind: "set", uid: middle?.[0] ?? 0, type: "Boat", fields: { "Boat.name": String(first?.[1]) } },
            { kind: "create", uid: fresh, type: "Boat", fields: { "Boat.name": `new ${fresh}`, "Boat.size": 100 } },
          ]);
        });
      });
    const request = { layout: indexed, from: plain, gatheredAtMost: 3_000, killAfter: 9 };
    const { next, kills } = await deployThroughKills(await fleetOf(4_000, plain), request, between);
    assert.ok(kills > 3, `${kills} kills`);
    await assertSound(next, indexed);
    await withBench(next, async (bench) => {
      await bench.deploy(indexed, "next");
      assert.equal((await names(bench)).length, 4_000);
    });
  });

  it("refuses two nodes that took one key while it waited", async () => {
    const { plain, indexed } = namedBoats();
    const killed = await killedBuild(indexed, plain);
    await withBench(killed.next, async (bench) => {
      await bench.deploy(plain, "plain");
      await bench.create("Boat", [{ "Boat.name": "boat 7" }]);
    });
    await assert.rejects(deploy(killed.next, { layout: indexed, from: plain }), { code: "MIGRATION_REFUSED" });
    await withBench(killed.next, async (bench) => {
      await bench.deploy(plain, "plain");
      assert.deepEqual((await bench.storage.verify()).faults, []);
    });
    assert.deepEqual(killed.next.runs, []);
  });

  it("goes on with a graph of vectors behind the last slice that it placed", async () => {
    const fields = [{ ...field("Boat.hull", "vector"), list: false }];
    const hulls: IndexLayout = { name: "Boat.hull/near", field: "Boat.hull", by: "nearest", metric: "euclidean" };
    const plain = boats({ fields });
    const indexed = boats({ fields, indexes: [hulls] });
    const pick = seeded(9);
    const store = await killableStore();
    await withBench(store, async (bench) => {
      await bench.deploy(plain, "plain");
      await bench.create(
        "Boat",
        Array.from({ length: 400 }, () => ({ "Boat.hull": Float32Array.from([pick(1_000), pick(1_000), pick(1_000)]) })),
      );
    });
    const killed = await deploy(store, { layout: indexed, from: plain, killAfter: 12 });
    await withBench(killed.next, async (bench) => {
      await bench.deploy(plain, "plain");
      await bench.create("Boat", [{ "Boat.hull": Float32Array.from([1, 2, 3]) }]);
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: 1, type: "Boat" }]));
    });
    const { steps, next } = await deploy(killed.next, { layout: indexed, from: plain });
    assert.match(steps.at(-1)?.what ?? "", /^index Boat.hull\/near, resumed at \d+$/u);
    assert.ok(steps.length < 400 / 16, `${steps.length} steps`);
    await assertSound(next, indexed);
  });
});
