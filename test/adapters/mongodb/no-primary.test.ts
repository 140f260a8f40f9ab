// Three members of which no primary is left, or is not there yet: what waits is answered within the time that is configured, and goes on when one is elected.

import { setTimeout as pause } from "node:timers/promises";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type MongodbStorageOptions, mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { eventually } from "../../support/eventually.ts";
import { type Mongod, type ReplicaSet, startReplicaSet, startsMongods } from "../../support/mongod.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

const connectTimeoutMs = 8_000;

let set: ReplicaSet;

beforeAll(async () => {
  if (!startsMongods) return;
  set = await startReplicaSet({ nodes: 3, args: ["--setParameter", "enableTestCommands=1"] });
});

afterAll(async () => {
  await set?.stop();
});

async function asAdmin<Result>(work: (client: MongoClient) => Promise<Result>): Promise<Result> {
  const client = new MongoClient(set.uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The primary first. */
async function members(): Promise<readonly Mongod[]> {
  const { primary } = await asAdmin((client) => client.db("admin").command({ hello: 1 }));
  return [...set.nodes].sort((a, b) => Number(String(primary).endsWith(`:${b.port}`)) - Number(String(primary).endsWith(`:${a.port}`)));
}

async function opened(database: string, options: Partial<MongodbStorageOptions> = {}): Promise<Kernel> {
  const storage = mongodbStorage({ uri: set.uri, database: `no_primary_${database}`, connectTimeoutMs, ...layoutOfRun, ...options });
  const kernel = createKernel({ storage, plugins: [], log: { level: "silent" } });
  onTestFinished(() => kernel.close());
  await kernel.open();
  return kernel;
}

async function codeOf(kernel: Kernel, query: string): Promise<string | undefined> {
  const { errors } = JSON.parse((await kernel.execute({ query })).body);
  return errors?.[0]?.extensions?.code;
}

const add = `mutation { addMill(input: [{ name: "Kent" }]) { numUids } }`;
const read = "{ queryMill { name } }";

/** The code of the last answer of many, and how long the longest took. */
async function asked(kernel: Kernel, query: string, goesOn: () => boolean) {
  let longestMs = 0;
  let code: string | undefined;
  while (goesOn()) {
    const begun = performance.now();
    code = await codeOf(kernel, query);
    longestMs = Math.max(longestMs, performance.now() - begun);
    await pause(20);
  }
  return { code, longestMs };
}

describe.skipIf(!startsMongods)("servers of a replica set", () => {
  it("that loses its majority answer each request once the time to connect is over, and serve again with the next primary", async () => {
    const kernel = await opened("majority");
    await kernel.deploy("type Mill { name: String }");
    const [primary, secondary] = await members();
    let goesOn = true;
    const all = Promise.all([read, add, read, add].map((query) => asked(kernel, query, () => goesOn)));
    await Promise.all([primary?.kill(), secondary?.kill()]);
    await eventually(async () => expect(await codeOf(kernel, read)).toBe("STORE_UNAVAILABLE"));
    goesOn = false;
    for (const { code, longestMs } of await all) {
      expect(["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN"]).toContain(code);
      // Each wait of its own would take the time once more.
      expect(longestMs).toBeLessThan(2 * connectTimeoutMs);
    }
    await Promise.all([primary?.start(), secondary?.start()]);
    await eventually(async () => expect(await codeOf(kernel, add)).toBeUndefined());
  }, 180_000);

  it("that is about to elect a primary start when it has one", async () => {
    await asAdmin(async (client) => {
      const { config } = await client.db("admin").command({ replSetGetConfig: 1 });
      const settings = { ...config.settings, electionTimeoutMillis: 2_000 };
      await client.db("admin").command({ replSetReconfig: { ...config, version: config.version + 1, settings } });
    });
    const [primary] = await members();
    await primary?.kill();
    const kernel = await opened("election", { connectTimeoutMs: 60_000 });
    await kernel.deploy("type Mill { name: String }");
    expect(await codeOf(kernel, add)).toBeUndefined();
    await primary?.start();
  }, 180_000);

  it("start with the next primary when theirs steps down meanwhile", async () => {
    const failing = (client: MongoClient, mode: Document | string) =>
      client
        .db("admin")
        .command({ configureFailPoint: "failCommand", mode, data: { failCommands: ["create"], errorCode: 10_107, appName: "quern" } });
    await asAdmin((client) => failing(client, { times: 2 }));
    onTestFinished(async () => void (await asAdmin((client) => failing(client, "off"))));
    const kernel = await opened("step_down");
    await kernel.deploy("type Mill { name: String }");
    expect(await codeOf(kernel, read)).toBeUndefined();
  }, 180_000);
});
