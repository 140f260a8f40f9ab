// Quern on MongoDB beside the best code written by hand on the driver for the same answers; and one to four servers.
// Run: npx tsx test/bench/storage-mongodb.ts; with `--only scale` for one to three servers with a thousand subscribers each, with `--only listening` for what a
// server pays for the commits of another. Needs a mongod as the specs do (test/support/find-mongod.ts).

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ClientSession, type Db, type Document, MongoClient } from "mongodb";
import { createKernel, type Kernel } from "../../core/index.ts";
import { startReplicaSet } from "../support/mongod.ts";
import { compareListening } from "./mongodb-listening.ts";
import { fill, packageStack, packages } from "./mongodb-packages.ts";
import { compareScale } from "./mongodb-scale.ts";
import { compareServers } from "./mongodb-servers.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "300" },
    /** `requests`, `servers`, `scale` or `listening`. */
    only: { type: "string" },
  },
});
const rounds = Number(values.rounds);

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

interface Timing {
  readonly medianMs: number;
  readonly cpuMs: number;
}

async function compare(kernel: Kernel, db: Db, { query, byHand }: Question): Promise<readonly [Timing, Timing]> {
  const runs = [async () => JSON.parse((await kernel.execute({ query })).body).data, () => byHand(db)] as const;
  assert.deepEqual(await runs[0](), await runs[1]());
  return await inTurns(runs);
}

/** In turns, so that a neighbour's load hits both. */
async function inTurns(runs: readonly [() => Promise<unknown>, () => Promise<unknown>]): Promise<readonly [Timing, Timing]> {
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

function print(what: string, [quern, hand]: readonly [Timing, Timing]): void {
  const shown = ({ medianMs, cpuMs }: Timing) => `${medianMs.toFixed(2)} ms (${cpuMs.toFixed(2)} CPU)`;
  console.log(`${what.padEnd(48)} Quern ${shown(quern)}  by hand ${shown(hand)}  ratio ${(quern.medianMs / hand.medianMs).toFixed(2)}`);
}

/** A mutation is a transaction that writes a change record, and so it is by hand. */
async function compareAdds(kernel: Kernel, db: Db): Promise<readonly [Timing, Timing]> {
  let n = 0;
  const query = "mutation ($name: String!) { addPackage(input: [{ name: $name, size: 1 }]) { numUids } }";
  return await inTurns([
    async () => assert.match((await kernel.execute({ query, variables: { name: `new ${n++}` } })).body, /"numUids":1/),
    () => inTransaction(db, (session) => db.collection("Package").insertOne({ name: `new ${n++}`, size: 1 }, { session })),
  ]);
}

async function compareUpdates(kernel: Kernel, db: Db): Promise<readonly [Timing, Timing]> {
  let n = 0;
  const query =
    "mutation ($name: String!, $size: Int!) { updatePackage(input: { filter: { name: { eq: $name } }, set: { size: $size } }) { numUids } }";
  const next = () => ({ name: `p${n++ % packages}`, size: 200_000 + n });
  return await inTurns([
    async () => assert.match((await kernel.execute({ query, variables: next() })).body, /"numUids":1/),
    () => {
      const { name, size } = next();
      return inTransaction(db, (session) => db.collection("Package").updateOne({ name }, { $set: { size } }, { session }));
    },
  ]);
}

/** Runs `write` and the insert of a change record, to the majority. */
async function inTransaction(db: Db, write: (session: ClientSession) => Promise<unknown>): Promise<void> {
  await db.client.withSession((session) =>
    session.withTransaction(
      async () => {
        await write(session);
        await db.collection("changes by hand").insertOne({ at: new Date(), what: "Package" }, { session });
      },
      { readConcern: { level: "snapshot" }, writeConcern: { w: "majority" } },
    ),
  );
}

const set = await startReplicaSet();
const client = new MongoClient(set.uri);
const kernel = createKernel(packageStack(set.uri));
const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
try {
  await kernel.open();
  await fill(kernel);
  if (wants("requests")) await compareRequests();
  await kernel.close();
  if (wants("servers")) await compareServers(set.uri, client, folder);
  if (wants("scale")) await compareScale(set.uri, client);
  if (wants("listening")) await compareListening(set.uri, client);
} finally {
  await kernel.close();
  await client.close();
  await set.stop();
  rmSync(folder, { recursive: true });
}

function wants(part: string): boolean {
  return values.only === undefined || values.only === part;
}

async function compareRequests(): Promise<void> {
  console.log(`${packages.toLocaleString("en")} packages, ${rounds} rounds in turns; medians, CPU of this process\n`);
  for (const question of questions) print(question.what, await compare(kernel, client.db("bench"), question));
  await client.db("bench").createCollection("changes by hand");
  print("add one", await compareAdds(kernel, client.db("bench")));
  print("update one by key", await compareUpdates(kernel, client.db("bench")));
  console.log();
}
