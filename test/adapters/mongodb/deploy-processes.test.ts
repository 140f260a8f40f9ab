// Servers in processes of their own, of which one deploys: killed, asleep, or while the other serves. What was interrupted is never
// used; the next one goes on within seconds.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Document, MongoClient } from "mongodb";
import { describe, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { eventually } from "./eventually.ts";
import { type Said, type SaidOf, ServerProcess } from "./server-process.ts";

interface Site {
  readonly uri: string;
  readonly database: string;
  readonly kernel: Kernel;
  readonly client: MongoClient;
}

/** A server of this process on a database of its own, with `boats` boats under `schema`. */
async function site(schema: string, boats: number): Promise<Site> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const plugins = [identityPlugin(), searchPlugin()];
  const kernel = createKernel({ storage: mongodbStorage({ uri, database, ...layoutOfRun }), plugins, log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  await kernel.open();
  await kernel.deploy(schema);
  for (let from = 0; from < boats; from += 1_000) {
    const input = Array.from({ length: Math.min(1_000, boats - from) }, (_, i) => `{ name: "boat number${from + i}", number: ${from + i} }`);
    await data(kernel, `mutation { addBoat(input: [${input}]) { numUids } }`);
  }
  return { uri, database, kernel, client };
}

async function data(kernel: Kernel, query: string): Promise<Document> {
  const { data: found, errors } = JSON.parse((await kernel.execute({ query })).body);
  assert.deepEqual(errors, undefined);
  return found;
}

const names = (numbers: readonly number[]) => numbers.map((number) => ({ name: `boat number${number}` }));

const plain = `
  interface Vessel { id: ID!  name: String! }
  type Boat implements Vessel { number: Int }
  type Raft implements Vessel { planks: Int }`;
/** A key across types, terms, an order: one of each that is built from the documents. */
const searched = `
  interface Vessel { id: ID!  name: String! @id(interface: true) @search(by: [term]) }
  type Boat implements Vessel { number: Int @search }
  type Raft implements Vessel { planks: Int }`;
const otherwise = `
  interface Vessel { id: ID!  name: String! @search(by: [hash]) }
  type Boat implements Vessel { number: Int @search  length: Int }
  type Raft implements Vessel { planks: Int }`;

const isHalfWay = (said: Said): said is SaidOf<"step"> => said.kind === "step" && said.done >= 2_000 && said.done < said.total;

async function expectSearched(kernel: Kernel, boats: number): Promise<void> {
  assert.deepEqual(await data(kernel, `{ queryBoat(filter: { name: { anyofterms: "number0 number${boats - 1}" } }) { name } }`), {
    queryBoat: names([0, boats - 1]),
  });
  assert.deepEqual(await data(kernel, `{ aggregateVessel(filter: { name: { allofterms: "boat" } }) { count } }`), {
    aggregateVessel: { count: boats },
  });
  assert.deepEqual(await data(kernel, `{ queryBoat(filter: { number: { ge: ${boats - 2} } }, order: { desc: number }) { name } }`), {
    queryBoat: names([boats - 1, boats - 2]),
  });
  assert.deepEqual(await data(kernel, `{ getBoat(name: "boat number${boats >> 1}") { name } }`), { getBoat: { name: `boat number${boats >> 1}` } });
  const taken = JSON.parse((await kernel.execute({ query: `mutation { addRaft(input: [{ name: "boat number1" }]) { numUids } }` })).body);
  assert.match(JSON.stringify(taken.errors), /already/);
}

/** Numbers of the indexes that documents have tokens of, and collections of keys and links. */
async function remains({ client, database }: Site): Promise<{ readonly tokens: readonly string[]; readonly stores: readonly string[] }> {
  const db = client.db(database);
  const tokens = await db
    .collection("Boat")
    .aggregate([{ $unwind: "$_tokens" }, { $group: { _id: { $arrayElemAt: [{ $split: ["$_tokens", ":"] }, 0] } } }])
    .toArray();
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  return {
    tokens: tokens.map(({ _id }) => String(_id)),
    stores: collections.map(({ name }) => name).filter((name) => /^quern\.(keys|links)/.test(name)),
  };
}

describe("a deploy whose process is killed while it fills in", () => {
  it("is repeated within seconds by the next server; its leftovers are removed, and every index works", async () => {
    const boats = 6_000;
    const place = await site(plain, boats);
    const { kernel, uri, database } = place;
    const deployer = new ServerProcess([uri, database, "deploy", searched], (said, process) => isHalfWay(said) && void process.kill());
    await deployer.ended;
    assert.ok(deployer.said.some(isHalfWay));
    assert.deepEqual(deployer.all("deployed"), []);
    const begun = await remains(place);
    assert.ok(begun.tokens.length === 1 && begun.stores.length === 1, "it had begun");

    assert.equal(kernel.deployment?.document, plain, "the schema before serves on");
    await data(kernel, `mutation { addBoat(input: [{ name: "boat number${boats}", number: ${boats} }]) { numUids } }`);
    assert.deepEqual((await kernel.storage.verify()).faults, []);

    const from = performance.now();
    let waitedMs = Number.NaN;
    await kernel.deploy(searched, { progress: () => (waitedMs = Number.isNaN(waitedMs) ? performance.now() - from : waitedMs) });
    assert.ok(waitedMs < 40_000, `${waitedMs} ms`);
    assert.deepEqual((await kernel.storage.verify()).faults, []);
    const now = await remains(place);
    assert.equal(now.tokens.length, 1);
    assert.equal(now.stores.length, 1);
    assert.notDeepEqual(now, begun, "numbers are not given again");
    await expectSearched(kernel, boats + 1);
  });

  it("leaves nothing behind when another schema is deployed next", async () => {
    const place = await site(plain, 5_500);
    const { kernel, uri, database } = place;
    const deployer = new ServerProcess([uri, database, "deploy", searched], (said, process) => isHalfWay(said) && void process.kill());
    await deployer.ended;
    const begun = await remains(place);
    await kernel.deploy(otherwise);
    const now = await remains(place);
    assert.deepEqual(now.stores, []);
    assert.ok(!now.tokens.includes(begun.tokens[0] ?? ""), `${JSON.stringify(begun)} ${JSON.stringify(now)}`);
    assert.deepEqual((await kernel.storage.verify()).faults, []);
    assert.deepEqual(await data(kernel, `{ queryBoat(filter: { name: { eq: "boat number77" } }) { name } }`), { queryBoat: names([77]) });
  });
});

describe("a deploy whose process is killed while writers wait for it", () => {
  const apart = `
    type Boat { id: ID!  name: String!  number: Int  captain: Person  flag: Flag }
    type Person { id: ID!  name: String  boats: [Boat] }
    type Flag { id: ID!  name: String }`;
  /** A key, a joined edge, a single link back, terms: what is made when nobody writes. */
  const joined = `
    type Boat { id: ID!  name: String! @id @search(by: [term])  number: Int  captain: Person @hasInverse(field: boats)  flag: Flag @hasInverse(field: boat) }
    type Person { id: ID!  name: String  boats: [Boat] @hasInverse(field: captain) }
    type Flag { id: ID!  name: String  boat: Boat @hasInverse(field: flag) }`;

  it("delays them for a few seconds, whenever it is killed, and none of its work is used", async () => {
    const { kernel, uri, database } = await site(apart, 300);
    await data(kernel, `mutation { addBoat(input: [{ name: "old", captain: { name: "ann" }, flag: { name: "red" } }]) { numUids } }`);
    for (const [round, afterMs] of [0, 100, 150].entries()) {
      // The last step that it reports: everything is filled in.
      const deployer = new ServerProcess([uri, database, "deploy", joined], (said, process) => {
        if (said.kind === "step" && said.done === said.total && said.what.includes("/term")) setTimeout(() => void process.kill(), afterMs);
      });
      await deployer.ended;
      const from = performance.now();
      await acknowledged(kernel, `mutation { addBoat(input: [{ name: "round${round}", captain: { name: "p${round}" } }]) { numUids } }`);
      const waitedMs = performance.now() - from;
      assert.ok(waitedMs < 40_000, `round ${round}: ${waitedMs} ms`);
      await kernel.deploy(joined);
      assert.deepEqual((await kernel.storage.verify()).faults, [], `round ${round}`);
      assert.deepEqual(
        await data(kernel, `{ queryPerson(filter: { has: boats }, order: { asc: name }, first: 1) { name boats { name flag { boat { name } } } } }`),
        {
          queryPerson: [{ name: "ann", boats: [{ name: "old", flag: { boat: { name: "old" } } }] }],
        },
      );
      assert.deepEqual(await data(kernel, `{ queryBoat(filter: { name: { anyofterms: "round${round}" } }) { name captain { boats { name } } } }`), {
        queryBoat: [{ name: `round${round}`, captain: { boats: [{ name: `round${round}` }] } }],
      });
      await kernel.deploy(apart);
    }
  });
});

/** Sent again while the answer says so. */
async function acknowledged(kernel: Kernel, query: string): Promise<void> {
  for (;;) {
    const { errors } = JSON.parse((await kernel.execute({ query })).body);
    if (errors === undefined) return;
    assert.match(JSON.stringify(errors), /another schema was deployed meanwhile; try again/);
    await nextTurn();
  }
}

describe("a deployer that sleeps", () => {
  it("loses its lease to another, and does no harm when it continues", async () => {
    const boats = 5_500;
    const { kernel, uri, database } = await site(plain, boats);
    const deployer = new ServerProcess([uri, database, "deploy", searched], (said, process) => {
      if (isHalfWay(said) && process.said.filter(isHalfWay).length === 1) process.pause();
    });
    await eventually(() => deployer.said.some(isHalfWay));
    await kernel.deploy(otherwise);
    assert.equal(kernel.deployment?.document, otherwise);
    await data(kernel, `mutation { addBoat(input: [{ name: "boat number${boats}", number: ${boats}, length: 1 }]) { numUids } }`);
    deployer.goOn();
    await eventually(() => deployer.all("deployed").length + deployer.all("refused").length > 0);
    // It finds out that it lost its turn, and takes the next.
    assert.deepEqual(deployer.all("refused"), []);
    await eventually(() => kernel.deployment?.document === searched);
    assert.deepEqual((await kernel.storage.verify()).faults, []);
    await expectSearched(kernel, boats + 1);
  });
});

describe("an index build", () => {
  const scored = "type Boat { id: ID!  name: String!  number: Int  scores: [Int] }";
  const indexed = "type Boat { id: ID!  name: String!  number: Int @search  scores: [Int] @search }";
  const partly = "type Boat { id: ID!  name: String!  number: Int @search  scores: [Int] }";

  /** Killed while MongoDB builds both indexes, and that goes on. */
  async function abandoned(): Promise<Site & { building(): Promise<readonly Document[]> }> {
    const place = await site(scored, 3_000);
    const { uri, database, client } = place;
    const collection = client.db(database).collection("Boat");
    const values = { $mod: [{ $add: [{ $multiply: ["$number", 7_919] }, { $multiply: ["$$this", 31] }] }, 1_000_003] };
    await collection.updateMany({}, [{ $set: { scores: { $map: { input: { $range: [0, 800] }, in: values } } } }]);
    const isUnderWay = (said: Said) => said.kind === "step" && said.done > 0 && said.done < said.total;
    const deployer = new ServerProcess([uri, database, "deploy", indexed], (said, process) => isUnderWay(said) && void process.kill());
    await deployer.ended;
    assert.ok(deployer.said.some(isUnderWay), JSON.stringify(deployer.said));
    const building = async () => (await collection.aggregate([{ $indexStats: {} }]).toArray()).filter((index) => index.building === true);
    assert.notDeepEqual(await building(), [], "the database goes on with it");
    return { ...place, building };
  }

  it("whose deployer is killed is complete before it is used", async () => {
    const { kernel, building, client, database } = await abandoned();
    await kernel.deploy(indexed);
    assert.deepEqual(await building(), []);
    const wanted = await client.db(database).collection("Boat").findOne({ number: 2_999 });
    assert.deepEqual(await data(kernel, `{ queryBoat(filter: { scores: { eq: ${wanted?.scores[799]} }, number: { eq: 2999 } }) { name } }`), {
      queryBoat: names([2_999]),
    });
    assert.deepEqual((await kernel.storage.verify()).faults, []);
  });

  it("whose deployer is killed is aborted when the next schema does not need it", async () => {
    const { kernel, building, client, database } = await abandoned();
    await kernel.deploy(partly);
    assert.deepEqual(await building(), []);
    const there = await client.db(database).collection("Boat").listIndexes().toArray();
    assert.deepEqual(
      there.map(({ name }) => name),
      ["_id_", "quern.number", "quern.number down"],
    );
    assert.deepEqual(await data(kernel, "{ queryBoat(filter: { number: { ge: 2999 } }) { name } }"), { queryBoat: names([2_999]) });
  });

  it("reports progress", async () => {
    const { kernel, client, database } = await site(scored, 3_000);
    await client
      .db(database)
      .collection("Boat")
      .updateMany({}, [{ $set: { scores: { $range: ["$number", { $add: ["$number", 800] }] } } }]);
    const steps = new Map<string, { readonly done: number; readonly total: number }[]>();
    await kernel.deploy(indexed, { progress: ({ what, ...step }) => steps.set(what, [...(steps.get(what) ?? []), step]) });
    const told = JSON.stringify([...steps]);
    assert.ok(
      [...steps.keys()].some((what) => what.includes("Boat.scores")),
      told,
    );
    assert.ok(
      [...steps.values()].flat().some(({ done, total }) => done > 0 && done < total),
      told,
    );
    for (const each of steps.values()) assert.equal(each.at(-1)?.done, each.at(-1)?.total, told);
  });
});

describe("a server under load in another process", () => {
  const schemas = [
    "type Boat { id: ID!  name: String! @id  number: Int }",
    "type Boat { id: ID!  name: String! @id @search(by: [term])  number: Int @search  length: Int }",
    "type Boat { id: ID!  name: String! @id  number: Int @search  owner: Person }  type Person { id: ID!  boats: [Boat] @hasInverse(field: owner) }",
  ] as const;
  /** Refused whole, and documented so. */
  const retryable = /another schema was deployed meanwhile; try again$/;

  it("serves each schema soon after its deploy; no acknowledged write is lost, and no read fails", async () => {
    const { kernel, uri, database } = await site(schemas[0], 3_000);
    const load = new ServerProcess([uri, database, "load", "load"]);
    await eventually(() => load.all("added").length > 20);
    for (const schema of [schemas[1], schemas[2], schemas[0]]) {
      const before = load.all("added").length;
      await kernel.deploy(schema);
      const deployedAt = Date.now();
      const serving = () =>
        load
          .all("serves")
          .find(({ document, at }) => document === schema && at > deployedAt - 60_000 && load.all("serves").at(-1)?.document === schema);
      await eventually(() => serving() !== undefined);
      const lateMs = (serving()?.at ?? 0) - deployedAt;
      // Mostly before: a server that missed the message finds out after ten seconds.
      assert.ok(lateMs < 9_000, `${lateMs} ms after the deploy was over`);
      await eventually(() => load.all("added").length > before + 20);
    }
    // Killed, it would leave transactions open, which MongoDB ends after a minute.
    await load.stop();
    for (const { messages } of load.all("failed")) for (const message of messages) assert.match(message, retryable);
    const reads = load.all("read");
    assert.ok(reads.length > 50);
    assert.equal(Math.max(...reads.map(({ fewer }) => fewer)), 0, "no read sees less than one before");
    const there = new Set(((await data(kernel, "{ queryBoat { name } }")).queryBoat as { name: string }[]).map(({ name }) => name));
    const lost = load.all("added").filter(({ name }) => !there.has(name));
    assert.deepEqual(lost, []);
    assert.deepEqual((await kernel.storage.verify()).faults, []);
  });
});
