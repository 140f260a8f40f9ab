// Quern on MongoDB beside the best code written by hand on the driver for the same answers; and two servers beside one.
// Run: npx tsx test/bench/storage-mongodb.ts. Needs a mongod as the specs do (test/support/find-mongod.ts).

import assert from "node:assert/strict";
import { type Db, type Document, MongoClient } from "mongodb";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { startReplicaSet } from "../support/mongod.ts";

const rounds = Number(process.argv[2] ?? 300);
const packages = 20_000;
const schema = `
  type Package { id: ID! name: String! @id size: Int @search section: String @search(by: [hash]) summary: String @search(by: [term])
                 maintainer: Person @hasInverse(field: packages) }
  type Person { id: ID! name: String! @id packages: [Package] }`;

interface Question {
  readonly what: string;
  readonly query: string;
  readonly byHand: (db: Db) => Promise<unknown>;
}

/** What one would write for a server of one's own, which knows its data. */
const questions: readonly Question[] = [
  {
    what: "a node by its key",
    query: `{ getPackage(name: "p777") { name size section } }`,
    byHand: async (db) => ({
      getPackage: await db.collection("Package").findOne({ name: "p777" }, { projection: { _id: 0, name: 1, size: 1, section: 1 } }),
    }),
  },
  {
    what: "filter, order, first ten, with a nested object",
    query: `{ queryPackage(filter: { section: { eq: "s3" } }, order: { desc: size }, first: 10) { name size maintainer { name } } }`,
    byHand: async (db) => {
      const found = await db
        .collection("Package")
        .find({ section: "s3" }, { projection: { _id: 0, name: 1, size: 1, maintainer: 1 } })
        .sort({ size: -1, _id: 1 })
        .limit(10)
        .toArray();
      const people = await peopleOf(db, found);
      return { queryPackage: found.map(({ name, size, maintainer }) => ({ name, size, maintainer: { name: people.get(maintainer) } })) };
    },
  },
  {
    what: "words, first ten",
    query: `{ queryPackage(filter: { summary: { allofterms: "stone w7" } }, first: 10) { name summary } }`,
    byHand: async (db) => {
      const terms = await tokensOf(db, ["stone", "w7"]);
      const found = db.collection("Package").find({ _tokens: { $all: terms } }, { projection: { _id: 0, name: 1, summary: 1 } });
      return { queryPackage: await found.sort({ _id: 1 }).limit(10).toArray() };
    },
  },
  {
    what: "a node with the list that leads to it",
    query: `{ getPerson(name: "m7") { name packages(first: 10) { name size } } }`,
    byHand: async (db) => {
      const person = await db.collection("Person").findOne({ name: "m7" });
      const found = db.collection("Package").find({ maintainer: person?._id }, { projection: { _id: 0, name: 1, size: 1 } });
      return { getPerson: { name: person?.name, packages: await found.sort({ _id: 1 }).limit(10).toArray() } };
    },
  },
];

let prefix: string | undefined;

/** The number of the index that our terms carry in front. */
async function tokensOf(db: Db, terms: readonly string[]): Promise<string[]> {
  prefix ??= String((await db.collection("Package").findOne({}))?._tokens[0]).split(":")[0];
  return terms.map((term) => `${prefix}:${term}`);
}

async function peopleOf(db: Db, found: readonly Document[]): Promise<ReadonlyMap<unknown, string>> {
  const people = await db
    .collection("Person")
    .find({ _id: { $in: [...new Set(found.map((each) => each.maintainer))] } }, { projection: { name: 1 } })
    .toArray();
  return new Map(people.map((each) => [each._id, String(each.name)]));
}

async function fill(kernel: Kernel): Promise<void> {
  await kernel.deploy(schema);
  for (let from = 0; from < packages; from += 1_000) {
    const input = Array.from({ length: 1_000 }, (_, i) => from + i).map((n) => ({
      name: `p${n}`,
      size: (n * 7_919) % 100_003,
      section: `s${n % 40}`,
      summary: `stone w${n % 500} mill`,
      maintainer: { name: `m${n % 200}` },
    }));
    const { body } = await kernel.execute({
      query: "mutation ($input: [AddPackageInput!]!) { addPackage(input: $input, upsert: true) { numUids } }",
      variables: { input },
    });
    assert.ok(!body.includes('"errors"'), body.slice(0, 300));
  }
}

interface Timing {
  readonly medianMs: number;
  readonly cpuMs: number;
}

/** In turns, so that a neighbour's load hits both. */
async function compare(kernel: Kernel, db: Db, { query, byHand }: Question): Promise<readonly [Timing, Timing]> {
  const runs = [async () => JSON.parse((await kernel.execute({ query })).body).data, () => byHand(db)] as const;
  assert.deepEqual(await runs[0](), await runs[1]());
  const times: [number[], number[]] = [[], []];
  const cpu: [number, number] = [0, 0];
  for (let i = -50; i < rounds; i++) {
    for (const which of [0, 1] as const) {
      const before = performance.now();
      const used = process.cpuUsage();
      await runs[which]();
      const { user, system } = process.cpuUsage(used);
      if (i < 0) continue;
      times[which].push(performance.now() - before);
      cpu[which] += (user + system) / 1_000;
    }
  }
  const timing = (which: 0 | 1) => ({ medianMs: times[which].sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0, cpuMs: cpu[which] / rounds });
  return [timing(0), timing(1)];
}

/** Adds a second that clients of these kernels see. */
async function addsPerSecond(kernels: readonly Kernel[], clients: number): Promise<number> {
  let count = 0;
  const until = performance.now() + 5_000;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < until) {
        const name = `new ${kernels.length} ${client} ${count++}`;
        const { body } = (await (kernels[client % kernels.length] ?? kernels[0])?.execute({
          query: `mutation { addPackage(input: [{ name: "${name}", size: 1 }]) { numUids } }`,
        })) ?? { body: "" };
        assert.ok(!body.includes('"errors"'), body.slice(0, 300));
      }
    }),
  );
  return (count / (performance.now() - begin)) * 1_000;
}

function kernelOn(uri: string): Kernel {
  return createKernel({ storage: mongodbStorage({ uri, database: "bench" }), plugins: [identityPlugin(), searchPlugin()], log: { level: "silent" } });
}

const set = await startReplicaSet();
const client = new MongoClient(set.uri);
const kernel = kernelOn(set.uri);
try {
  await kernel.open();
  await fill(kernel);
  console.log(`${packages.toLocaleString("en")} packages, ${rounds} rounds in turns; medians, CPU of this process\n`);
  for (const question of questions) {
    const [quern, hand] = await compare(kernel, client.db("bench"), question);
    const ratio = (quern.medianMs / hand.medianMs).toFixed(2);
    console.log(
      `${question.what.padEnd(48)} Quern ${quern.medianMs.toFixed(2)} ms (${quern.cpuMs.toFixed(2)} CPU)  by hand ${hand.medianMs.toFixed(2)} ms (${hand.cpuMs.toFixed(2)} CPU)  ratio ${ratio}`,
    );
  }
  const second = kernelOn(set.uri);
  await second.open();
  const one = await addsPerSecond([kernel], 16);
  const two = await addsPerSecond([kernel, second], 16);
  console.log(`\nadds a second, 16 clients, in one process: one server ${one.toFixed(0)}, two servers ${two.toFixed(0)}`);
  await second.close();
} finally {
  await kernel.close();
  await client.close();
  await set.stop();
}
