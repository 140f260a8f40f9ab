// Reads of several requests on few connections: each request has its turn.

import { randomUUID } from "node:crypto";
import { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { FairReads } from "../../../adapters/mongodb/connection/fair-reads.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import type { Storage } from "../../../core/storage.ts";
import { EagerBudget } from "../../query/eager-budget.ts";
import { deployOn, type TestApi } from "../../query/test-api.ts";

const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
const mills = 300;

let storage: Storage;
let api: TestApi;
beforeAll(async () => {
  storage = mongodbStorage({ uri, database, maxConnections: 10 });
  await storage.open();
  api = await deployOn(storage, "type Mill { n: Int! @id }", {});
  await api.seed(Object.fromEntries(Array.from({ length: mills }, (_, n) => [`m${n}`, ["Mill", { n }]] as const)));
});
afterAll(async () => {
  await storage?.close();
  const owner = await new MongoClient(uri).connect();
  await owner.db(database).dropDatabase();
  await owner.close();
});

/** A request of its own. */
const request = () => storage.snapshot({ version: api.deployment.version, budget: new EagerBudget() });

describe("a request that reads hundreds of things at once", () => {
  it.each([
    ["few things", false],
    ["lists", true],
  ])("keeps no other one waiting behind all of them: %s", async (_, asList) => {
    const [greedy, modest] = [request(), request()];
    const { uids } = await modest.find({ types: ["Mill"], fields: [] });
    let done = 0;
    const read = async (uid: number) => {
      if (asList) await greedy.find({ types: ["Mill"], fields: ["Mill.n"] });
      else await greedy.load({ uids: [uid], types: ["Mill"], fields: ["Mill.n"] });
      done++;
    };
    const all = Promise.all(uids.map(read));
    await modest.load({ uids: uids.slice(-1), types: ["Mill"], fields: ["Mill.n"] });
    expect(done).toBeLessThan(mills / 4);
    await all;
    expect(done).toBe(mills);
    greedy.close();
    modest.close();
  });
});

it("reads of lists by hundreds of requests keep no read of few things waiting", async () => {
  const modest = request();
  const { uids } = await modest.find({ types: ["Mill"], fields: [] });
  let done = 0;
  const all = Promise.all(
    uids.map(async () => {
      const greedy = request();
      await greedy.find({ types: ["Mill"], fields: ["Mill.n"] });
      greedy.close();
      done++;
    }),
  );
  await modest.load({ uids: uids.slice(-1), types: ["Mill"], fields: ["Mill.n"] });
  expect(done).toBeLessThan(mills / 4);
  await all;
  modest.close();
});

it("sends none of the commands that wait when their request ends", async () => {
  let isOver = false;
  class EndingBudget extends EagerBudget {
    override spend(nodes: number): void {
      if (isOver) throw new Error("the client has gone");
      super.spend(nodes);
    }
  }
  const plain = request();
  const { uids } = await plain.find({ types: ["Mill"], fields: [] });
  plain.close();
  const ending = storage.snapshot({ version: api.deployment.version, budget: new EndingBudget() });
  const sent = vi.spyOn(Db.prototype, "command");
  onTestFinished(() => sent.mockRestore());
  const all = Promise.allSettled(uids.map((uid) => ending.load({ uids: [uid], types: ["Mill"], fields: ["Mill.n"] })));
  await vi.waitFor(() => expect(sent).toHaveBeenCalled());
  isOver = true;
  expect((await all).filter(({ status }) => status === "rejected").length).toBeGreaterThan(mills / 2);
  expect(sent.mock.calls.length).toBeLessThan(mills / 2);
  ending.close();
});

describe("fair reads", () => {
  /** A command that lasts until `end` is called. */
  function begun(order: string[], name: string) {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const command = async () => {
      order.push(name);
      await ended;
      return name;
    };
    return { command, end: () => end() };
  }

  it("run as many as they may, and then one of each request in turn", async () => {
    const reads = new FairReads(2);
    const [greedy, modest, late] = [reads.of({}), reads.of({}), reads.of({})];
    const order: string[] = [];
    const commands = ["g1", "g2", "g3", "g4", "m1", "m2", "l1"].map((name) => ({ name, ...begun(order, name) }));
    const admits = { g: greedy, m: modest, l: late };
    const results = commands.map(({ name, command }) => admits[name[0] as "g" | "m" | "l"](command));
    expect(order).toEqual(["g1", "g2"]);
    for (const { end } of commands) end();
    expect(await Promise.all(results)).toEqual(commands.map(({ name }) => name));
    expect(order).toEqual(["g1", "g2", "g3", "m1", "l1", "g4", "m2"]);
  });

  it("give the place on when a command fails, and pass its error on", async () => {
    const reads = new FairReads(1);
    const admit = reads.of({});
    const failed = admit(() => Promise.reject(new Error("gone")));
    const next = admit(async () => "next");
    await expect(failed).rejects.toThrow("gone");
    expect(await next).toBe("next");
    expect(await admit(async () => "free again")).toBe("free again");
  });
});
