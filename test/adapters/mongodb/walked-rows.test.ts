// Pages of the nodes that have a link, in the order of ids, from the index of the links: the same nodes as without a page, and few links are read for them.

import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../core/index.ts";
import { profiler } from "./profiler.ts";

const client = new MongoClient(inject("mongodbUri"));
const { examined } = profiler(client);
const database = `quern_test_walked_rows_${process.pid}`;
const kernel = createKernel({
  storage: mongodbStorage({ uri: inject("mongodbUri"), database }),
  plugins: standardPlugins(),
  log: { level: "silent" },
});
const schema = `
  interface Being @paged { nick: String! @id(interface: true)  rank: Int @search  likes: [Being] @hasInverse(field: likedBy) @search  likedBy: [Being] @search }
  type Cat implements Being { lives: Int }
  type Dog implements Being @paged { home: Home @hasInverse(field: dogs)  walker: Home @hasInverse(field: walks) }
  type Bird implements Being { home: Home @hasInverse(field: birds) }
  type Home @paged { name: String! @id  dogs: [Dog] @search  walks: [Dog] @search  birds: [Bird] @search }`;
const many = 400;

async function ask(query: string, variables = {}) {
  const { data, errors } = JSON.parse((await kernel.execute({ query, variables })).body);
  expect(errors, query).toBeUndefined();
  return data;
}

beforeAll(async () => {
  await kernel.open();
  await kernel.deploy(schema);
  const add = (type: string, input: readonly object[]) =>
    ask(`mutation ($input: [Add${type}Input!]!) { add${type}(input: $input, upsert: true) { numUids } }`, { input });
  const list = (length: number, item: (i: number) => object) => Array.from({ length }, (_, i) => item(i));
  await add(
    "Home",
    list(many, (i) => ({ name: `h${i}` })),
  );
  await add(
    "Cat",
    list(many, (i) => ({ nick: `c${i}`, rank: i })),
  );
  // The first dog likes all cats, and lives with all dogs in the first home. Of the others every third likes something, and every second has a home of its own.
  const cats = list(many, (i) => ({ nick: `c${i}` }));
  await add("Dog", [{ nick: "d0", rank: 0, likes: cats, home: { name: "h1" } }]);
  await add(
    "Dog",
    list(many, (i) => ({ nick: `d${i + 1}`, rank: i, ...(i % 3 === 0 && { likes: [{ nick: `d${i}` }] }), home: { name: i % 2 ? `h${i}` : "h1" } })),
  );
  await add(
    "Bird",
    list(10, (i) => ({ nick: `b${i}`, home: { name: `h${i * 7}` } })),
  );
}, 120_000);

afterAll(async () => {
  await kernel.close();
  await client.db(database).dropDatabase();
  await client.close();
});

const lists = [
  { what: "one with many", root: "Home", has: "dogs", key: "name", found: many / 2 },
  { what: "one with many, of which there are few", root: "Home", has: "birds", key: "name", found: 10 },
  { what: "one with many, of which there is none", root: "Home", has: "walks", key: "name", found: 0 },
  { what: "many to many", root: "Being", has: "likes", key: "nick", found: 1 + Math.ceil(many / 3) },
  { what: "many to many, from its other side", root: "Being", has: "likedBy", key: "nick", found: many + Math.ceil(many / 3) },
  { what: "many to many, of one type of several", root: "Dog", has: "likes", key: "nick", found: 1 + Math.ceil(many / 3) },
  { what: "many to many, of a type that has none", root: "Bird", has: "likes", key: "nick", found: 0 },
] as const;

describe.each(lists)("nodes that have a list: $what", ({ root, has, key, found }) => {
  const page = async (args: string): Promise<readonly string[]> =>
    (await ask(`{ query${root}(filter: { has: ${has} }${args}) { ${key} } }`))[`query${root}`].map((each: Record<string, string>) => each[key]);

  it("are the same in pages of any size, each once, in the same order", async () => {
    const all = await page("");
    expect(all).toHaveLength(found);
    for (const [first, offset] of [
      [1, 0],
      [7, 0],
      [7, 3],
      [50, 100],
      [1_000, 0],
      [5, found],
    ]) {
      expect(await page(`, first: ${first}, offset: ${offset}`), `${first} from ${offset}`).toEqual(all.slice(offset, (offset ?? 0) + (first ?? 0)));
    }
  });

  it("are the same behind cursors", async () => {
    const all = await page("");
    const name = `query${root}Connection`;
    const seen: string[] = [];
    for (let after = ""; seen.length < all.length; ) {
      const query = `query ($after: String) { ${name}(filter: { has: ${has} }, first: 60, after: $after) { nodes { ${key} } pageInfo { endCursor } } }`;
      const { nodes, pageInfo } = (await ask(query, after === "" ? {} : { after }))[name];
      seen.push(...nodes.map((each: Record<string, string>) => each[key]));
      after = pageInfo.endCursor;
      expect(nodes.length).toBeGreaterThan(0);
    }
    expect(seen).toEqual(all);
  });
});

it("a page reads few links, though no node of the first type has one", async () => {
  const { most, scanned } = await examined(database, () => ask("{ queryBeing(filter: { has: likes }, first: 1) { nick } }"));
  expect(scanned).toEqual([]);
  expect(most).toBeLessThan(200);
});

it("a page of nodes that have many links each tries the nodes", async () => {
  const { most } = await examined(database, () => ask("{ queryHome(filter: { has: dogs }, first: 5, offset: 1) { name } }"));
  expect(most).toBeLessThan(200);
});
