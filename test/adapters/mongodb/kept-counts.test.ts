// Counts of many nodes and links are kept in memory by each server, and follow the commits of all.

import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { profiler } from "./profiler.ts";

const client = new MongoClient(inject("mongodbUri"));
const { examined } = profiler(client);
const database = `quern_test_kept_counts_${process.pid}`;
const schema = `
  interface Being { note: String }
  type Cat implements Being @paged { nick: String! @id  wild: Boolean @search  mood: String @search(by: [hash])  lives: Int @search
                                     home: Home @hasInverse(field: cats)  friends: [Dog] @hasInverse(field: friends)  likes: [Cat] @hasInverse(field: likes) }
  type Dog implements Being { nick: String! @id  friends: [Cat] }
  type Home { name: String! @id  cats: [Cat] @search @paged }`;
const many = 300;

const servers: Kernel[] = [];

async function ask(kernel: Kernel, query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = JSON.parse((await kernel.execute({ query, variables })).body);
  expect(errors, query).toBeUndefined();
  return data;
}

const server = (i: number): Kernel => {
  const kernel = servers[i];
  if (kernel === undefined) throw new TypeError("no such server");
  return kernel;
};

beforeAll(async () => {
  for (let i = 0; i < 2; i++) {
    const storage = mongodbStorage({ uri: inject("mongodbUri"), database });
    const kernel = createKernel({ storage, plugins: standardPlugins(), debug: true, log: { level: "silent" } });
    await kernel.open();
    servers.push(kernel);
    if (i === 0) await kernel.deploy(schema);
  }
  const input = Array.from({ length: many }, (_, i) => ({
    nick: `c${i}`,
    wild: i % 2 === 0,
    mood: i % 2 === 0 ? "calm" : "cross",
    lives: i,
    home: { name: "h" },
    friends: [{ nick: "d" }],
  }));
  await ask(server(0), "mutation ($input: [AddCatInput!]!) { addCat(input: $input) { numUids } }", { input });
}, 120_000);

afterAll(async () => {
  for (const kernel of servers) await kernel.close();
  await client.db(database).dropDatabase();
  await client.close();
});

const counts = `{
  all: aggregateCat { count }
  beings: aggregateBeing { count }
  calm: aggregateCat(filter: { mood: { eq: "calm" } }) { count }
  wild: aggregateCat(filter: { wild: true }) { count livesMax }
  getHome(name: "h") { catsAggregate { count } catsConnection(first: 1) { totalCount } }
  getDog(nick: "d") { friendsAggregate { count } }
}`;

/** What the collections themselves hold. */
async function stored() {
  const db = client.db(database);
  const cats = db.collection("Cat");
  const [home, dog] = [await db.collection("Home").findOne({ name: "h" }), await db.collection("Dog").findOne({ nick: "d" })];
  const links = (await db.listCollections().toArray()).map(({ name }) => name).find((name) => /^quern\.links\..*friends$/.test(name)) ?? "";
  const [first] = await cats.find({ wild: true }).sort({ lives: -1 }).limit(1).toArray();
  const all = await cats.countDocuments();
  const ofHome = await cats.countDocuments({ home: home?._id });
  return {
    all: { count: all },
    beings: { count: all + (await db.collection("Dog").countDocuments()) },
    calm: { count: await cats.countDocuments({ mood: "calm" }) },
    wild: { count: await cats.countDocuments({ wild: true }), livesMax: first?.lives },
    getHome: { catsAggregate: { count: ofHome }, catsConnection: { totalCount: ofHome } },
    getDog: { friendsAggregate: { count: await db.collection(links).countDocuments({ $or: [{ a: dog?._id }, { b: dog?._id }] }) } },
  };
}

const few = 40;

describe("a count of many nodes or links", () => {
  it.each([
    ["all nodes of a type", "{ aggregateCat { count } }"],
    ["all nodes of an interface", "{ aggregateBeing { count } }"],
    ["the nodes with a text", `{ aggregateCat(filter: { mood: { eq: "calm" } }) { count } }`],
    ["the nodes with a truth, beside an extreme", "{ aggregateCat(filter: { wild: true }) { count livesMax } }"],
    ["the links of one with many", `{ getHome(name: "h") { catsAggregate { count } } }`],
    ["the links of many to many", `{ getDog(nick: "d") { friendsAggregate { count } } }`],
    ["a page with its total", "{ queryCatConnection(order: { desc: lives }, first: 3) { totalCount nodes { nick } } }"],
    ["a page of links with its total", `{ getHome(name: "h") { catsConnection(first: 3) { totalCount nodes { nick } } } }`],
    ["links that order nodes", "{ queryHome(order: { cats: { desc: count } }, first: 3) { name } }"],
  ])("reads them once: %s", async (_what, query) => {
    const first = await ask(server(0), query);
    let again: unknown;
    const { most, commands } = await examined(database, async () => {
      again = await ask(server(0), query);
    });
    expect(again).toEqual(first);
    expect(most, JSON.stringify(commands)).toBeLessThanOrEqual(few);
  });

  it.each([
    ["with a number", "{ aggregateCat(filter: { lives: { eq: 7 } }) { count } }", 1],
    ["of two conditions", `{ aggregateCat(filter: { mood: { eq: "calm" }, wild: true }) { count } }`, many / 2],
    ["beside an average", "{ aggregateCat { count livesAvg } }", many],
  ])("is made each time %s", async (_what, query, least) => {
    await ask(server(0), query);
    const { most } = await examined(database, () => ask(server(0), query));
    expect(most).toBeGreaterThanOrEqual(least);
  });

  it("follows what each server adds, changes, links, moves and removes", async () => {
    for (const kernel of servers) await ask(kernel, counts);
    const changes = [
      `mutation { addCat(input: [{ nick: "n0", wild: true, mood: "calm", lives: 900, home: { name: "h" }, friends: [{ nick: "d" }] }]) { numUids } }`,
      `mutation { updateCat(input: { filter: { nick: { eq: "c1" } }, set: { mood: "calm", wild: true } }) { numUids } }`,
      `mutation { updateCat(input: { filter: { nick: { eq: "c2" } }, set: { home: { name: "other" } } }) { numUids } }`,
      `mutation { updateCat(input: { filter: { nick: { eq: "c2" } }, set: { home: { name: "h" } } }) { numUids } }`,
      `mutation { updateHome(input: { filter: { name: { eq: "h" } }, remove: { cats: [{ nick: "c4" }, { nick: "c5" }] } }) { numUids } }`,
      `mutation { updateCat(input: { filter: { nick: { in: ["c6", "c7"] } }, remove: { mood: "calm" } }) { numUids } }`,
      `mutation { updateDog(input: { filter: { nick: { eq: "d" } }, remove: { friends: [{ nick: "c8" }] } }) { numUids } }`,
      `mutation { addDog(input: [{ nick: "d2", friends: [{ nick: "c9" }] }]) { numUids } }`,
      `mutation { deleteCat(filter: { nick: { in: ["c9", "c10", "c11"] } }) { numUids } }`,
      `mutation { deleteHome(filter: { name: { eq: "other" } }) { numUids } }`,
      `mutation { addCat(input: [{ nick: "c12", lives: 1 }, { nick: "n1", home: { name: "h" } }], upsert: true) { numUids } }`,
    ];
    for (const [i, change] of changes.entries()) {
      await ask(server(i % 2), change);
      const expected = await stored();
      expect(await ask(server(i % 2), counts), change).toEqual(expected);
      // The other server hears of it.
      await vi.waitFor(async () => expect(await ask(server((i + 1) % 2), counts), change).toEqual(expected), { timeout: 30_000 });
    }
    for (const kernel of servers) expect((await examined(database, () => ask(kernel, counts))).most, "they are in memory").toBeLessThanOrEqual(few);
  });

  it("follows writers of both servers at once", async () => {
    await Promise.all(servers.map((kernel) => ask(kernel, counts)));
    const write = (i: number) => {
      const nick = `w${i % 7}`;
      const add = `mutation { addCat(input: [{ nick: "${nick}", mood: "${i % 2 ? "calm" : "cross"}", wild: ${i % 3 === 0}, home: { name: "h" }, friends: [{ nick: "d" }] }], upsert: true) { numUids } }`;
      return ask(server(i % 2), i % 5 === 4 ? `mutation { deleteCat(filter: { nick: { eq: "${nick}" } }) { numUids } }` : add);
    };
    await Promise.all(Array.from({ length: 60 }, async (_, i) => (i % 6 === 5 ? ask(server(i % 2), counts) : write(i))));
    const expected = await stored();
    for (const kernel of servers) await vi.waitFor(async () => expect(await ask(kernel, counts)).toEqual(expected), { timeout: 30_000 });
  });

  it("is made again when a deploy changes what it counts", async () => {
    await ask(server(0), counts);
    await server(0).deploy(schema.replace("type Home { name: String! @id", "type Home { name: String! @id  street: String"));
    const { most } = await examined(database, () => ask(server(0), "{ aggregateCat { count } }"));
    expect(most).toBeGreaterThan(many / 2);
    expect(await ask(server(0), counts)).toEqual(await stored());
  });

  it("is made each time for a caller that asks for the plan", async () => {
    await ask(server(0), "{ aggregateCat { count } }");
    const { most } = await examined(database, async () => server(0).execute({ query: "{ aggregateCat { count } }", plan: true }));
    expect(most).toBeGreaterThan(many / 2);
  });
});
