// A replica set of three that loses its primary, by order and by force, while two servers write: nothing acknowledged is lost, nothing
// is there by half or twice, reads go on, and what fails says so in a code of the catalogue.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { errorCatalogue, QuernError, type Storage, type Uid } from "../../../core/storage.ts";
import { boats, byValue, end, field } from "../../conformance/storage/layouts.ts";
import { type ReplicaSet, startReplicaSet } from "../../support/mongod.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { eventually } from "./eventually.ts";

const layout = boats({
  fields: [field("Boat.number", "int"), field("Boat.part", "string")],
  indexes: [byValue("Boat.number", { ordered: true })],
  keys: ["Boat.number"],
  edges: [
    {
      name: "Boat.fleet|Boat.flag",
      sides: [{ ends: [end("Boat.flag", ["Boat"], ["Boat"], "one")] }, { ends: [end("Boat.fleet", ["Boat"], ["Boat"], "many")] }],
    },
  ],
});

let set: ReplicaSet;
let admin: MongoClient;

beforeAll(async () => {
  set = await startReplicaSet({ nodes: 3 });
  admin = await new MongoClient(set.uri).connect();
});

afterAll(async () => {
  await admin?.close();
  await set?.stop();
});

async function primaryPort(): Promise<number> {
  const { primary } = await admin.db("admin").command({ hello: 1 });
  return Number(String(primary).split(":")[1]);
}

/** What two servers do until they are stopped: pairs of boats, the second leading to the first, under numbers of their own. */
class Load {
  readonly #version: number;
  #stopped = false;
  readonly acknowledged = new Map<number, Uid>();
  /** Whether it was done was not to be found out. */
  readonly unknown = new Set<number>();
  readonly failed = new Map<number, string>();
  reads = 0;
  longestReadMs = 0;
  #next = 0;
  readonly #running: Promise<unknown>;

  constructor(storages: readonly Storage[], version: number) {
    this.#version = version;
    this.#running = Promise.all(storages.flatMap((storage) => [...Array.from({ length: 4 }, () => this.#write(storage)), this.#read(storage)]));
  }

  async #write(storage: Storage): Promise<void> {
    while (!this.#stopped) {
      const number = this.#next++;
      try {
        const { result } = await storage.transact(
          async (transaction) => {
            const [a = 0, b = 0] = await transaction.uids(2);
            await transaction.write([
              { kind: "create", uid: a, type: "Boat", fields: { "Boat.number": number, "Boat.part": "first" } },
              { kind: "create", uid: b, type: "Boat", fields: { "Boat.part": `second of ${number}` } },
              { kind: "link", end: "Boat.flag", from: b, fromType: "Boat", to: a, toType: "Boat" },
            ]);
            return a;
          },
          { version: this.#version },
        );
        this.acknowledged.set(number, result);
      } catch (error) {
        assert.ok(error instanceof QuernError && error.code in errorCatalogue, String(error));
        if (error.code === "OUTCOME_UNKNOWN") this.unknown.add(number);
        else this.failed.set(number, error.code);
      }
    }
  }

  async #read(storage: Storage): Promise<void> {
    while (!this.#stopped) {
      const before = performance.now();
      const snapshot = storage.snapshot({ version: this.#version });
      const found = await snapshot.find({ types: ["Boat"], order: [{ field: "Boat.number", direction: "desc" }], page: { first: 10 }, fields: [] });
      snapshot.close();
      if (found.uids.length > 0) this.reads++;
      this.longestReadMs = Math.max(this.longestReadMs, performance.now() - before);
      await delay(20);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }
}

async function loaded(name: string): Promise<{ readonly storages: readonly Storage[]; readonly version: number; readonly load: Load }> {
  const storages = [0, 1].map(() => mongodbStorage({ uri: set.uri, database: `failover_${name}`, ...layoutOfRun }));
  onTestFinished(async () => {
    await Promise.all(storages.map((each) => each.close()));
  });
  let version = 0;
  for (const each of storages) {
    await each.open();
    ({ version } = await each.migrate(layout, "boats"));
  }
  return { storages, version, load: new Load(storages, version) };
}

/** Each pair whole and once: those acknowledged, none of those that failed; of the unknown, all or nothing. */
async function assertWhole(storages: readonly Storage[], version: number, load: Load): Promise<void> {
  const [storage] = storages;
  assert.ok(storage);
  // What the other server has acknowledged is asked for by name.
  const latest = storages.map((each) => each.latest()).sort();
  const snapshot = storage.snapshot({ version, after: latest.at(-1) ?? "" });
  const { uids, columns } = await snapshot.find({ types: ["Boat"], fields: ["Boat.number", "Boat.part"] });
  const [numbers = [], parts = []] = columns;
  const there = new Map<number, Uid>();
  const seconds = new Map<string, number>();
  for (const [i, uid] of uids.entries()) {
    const number = numbers[i];
    if (typeof number === "number") {
      assert.ok(!there.has(number), `${number} is there twice`);
      there.set(number, uid);
    } else seconds.set(String(parts[i]), (seconds.get(String(parts[i])) ?? 0) + 1);
  }
  for (const [number, uid] of load.acknowledged) assert.equal(there.get(number), uid, `${number} was acknowledged`);
  for (const [number, code] of load.failed) assert.ok(!there.has(number), `${number} failed (${code}) and is there`);
  for (const number of there.keys()) assert.equal(seconds.get(`second of ${number}`), 1, `${number} by half or twice`);
  assert.equal(seconds.size, there.size);
  const links = await snapshot.follow({ from: [...there.values()], end: "Boat.fleet", fields: ["Boat.part"] });
  assert.equal(links.rows.length, there.size);
  snapshot.close();
  assert.deepEqual((await storage.verify()).faults, []);
}

describe("servers that write", () => {
  it("keep every acknowledged write when primaries step down again and again", async () => {
    const { storages, version, load } = await loaded("steps");
    const heard = new Set<string>();
    storages[1]?.changes((event) => heard.add(event.token));
    const codes = new Set<string>();
    for (let round = 0; round < 4; round++) {
      await delay(700);
      const before = load.acknowledged.size;
      await admin
        .db("admin")
        .command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5, force: true } satisfies Document)
        .catch(() => undefined);
      await eventually(() => load.acknowledged.size > before + 10);
    }
    await load.stop();
    for (const code of load.failed.values()) codes.add(code);
    console.log(
      `stepped down 4 times: ${load.acknowledged.size} written, failed ${[...codes]} ${load.failed.size}, unknown ${load.unknown.size}, longest read ${Math.round(load.longestReadMs)} ms`,
    );
    assert.ok(load.reads > 20);
    await assertWhole(storages, version, load);
    await eventually(() => heard.size >= load.acknowledged.size);
  }, 300_000);

  it("keep every acknowledged write when primaries are killed", async () => {
    const { storages, version, load } = await loaded("kills");
    for (let round = 0; round < 2; round++) {
      await delay(700);
      const before = load.acknowledged.size;
      const port = await primaryPort();
      const node = set.nodes.find((each) => each.port === port);
      assert.ok(node);
      await node.kill();
      await eventually(() => load.acknowledged.size > before + 10);
      await node.start();
      await delay(2_000);
    }
    await load.stop();
    console.log(
      `killed 2 primaries: ${load.acknowledged.size} written, failed ${[...new Set(load.failed.values())]} ${load.failed.size}, unknown ${load.unknown.size}, longest read ${Math.round(load.longestReadMs)} ms`,
    );
    await assertWhole(storages, version, load);
  }, 300_000);
});
