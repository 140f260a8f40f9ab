// Questions through links: one pipeline or two round trips for each link, and every query along an index. Counted by the database's profiler, and
// explained by the database.

import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { profiler } from "./profiler.ts";

const uri = inject("mongodbUri");
const client = new MongoClient(uri);
const { profiled, stagesOf } = profiler(client);
const database = `relations_${process.pid}`;
let kernel: Kernel;

const schema = `
  type Package @paged @groupBy(fields: ["section", "maintainer", "size", "built"]) {
    name: String! @id @search(by: [exact])  section: String @search(by: [hash])  size: Int @search  built: DateTime @search
    maintainer: Person @hasInverse(field: packages) @search  tags: [Tag] @hasInverse(field: packages) @search @paged
  }
  type Person @nested { name: String! @id @search(by: [exact])  packages: [Package] @search @paged @onDelete(linked: DELETE) }
  type Tag { name: String! @id @search(by: [exact])  packages: [Package] @search }`;

const packages = 1_200;

beforeAll(async () => {
  kernel = createKernel({ storage: mongodbStorage({ uri, database }), plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  await kernel.deploy(schema);
  const input = Array.from({ length: packages }, (_, i) => ({
    name: `p${String(i).padStart(4, "0")}`,
    section: `s${i % 7}`,
    ...(i % 5 > 0 && { size: (i * 7) % 400 }),
    built: `20${10 + (i % 20)}-01-01T00:00:00Z`,
    maintainer: { name: `m${i % 40}` },
    tags: [{ name: `t${i % 9}` }],
  }));
  await ask("mutation ($input: [AddPackageInput!]!) { addPackage(input: $input, upsert: true) { numUids } }", { input });
}, 120_000);

afterAll(async () => {
  await kernel.close();
  await client.db(database).dropDatabase();
  await client.close();
});

async function ask(query: string, variables = {}) {
  const { data, errors } = JSON.parse((await kernel.execute({ query, variables })).body);
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

/** What is asked, the query, and the number of queries that the database gets. */
const questions: readonly (readonly [what: string, query: string, sent: number])[] = [
  ["a filter on what a single link leads to", `{ queryPackage(filter: { maintainer: { name: { eq: "m7" } } }, first: 10) { name } }`, 2],
  ["that there is a link", "{ queryPackage(filter: { maintainer: {} }, first: 10) { name } }", 1],
  ["some of a list", `{ queryPerson(filter: { packages: { some: { section: { eq: "s3" } } } }) { name } }`, 2],
  ["every one of a list", "{ queryPerson(filter: { packages: { every: { size: { lt: 390 } } } }) { name } }", 2],
  ["none of a list", "{ queryPerson(filter: { packages: { none: { size: { gt: 390 } } } }) { name } }", 2],
  ["at least so many", "{ queryPerson(filter: { packages: { count: { ge: 30 } } }) { name } }", 2],
  ["some of a list of many to many", `{ queryPackage(filter: { tags: { some: { name: { eq: "t1" } } } }, first: 10) { name } }`, 3],
  ["two links deep", `{ queryTag(filter: { packages: { some: { maintainer: { name: { eq: "m7" } } } } }) { name } }`, 4],
  [
    "a filter and an order of the objects themselves",
    `{ queryPackage(filter: { maintainer: { name: { eq: "m7" } } }, order: { desc: size }, first: 10) { name } }`,
    2,
  ],
  ["an order by what a single link leads to", "{ queryPackage(order: { maintainer: { asc: name } }, first: 10) { name } }", 4],
  ["an order by the number of links", "{ queryPerson(order: { packages: { desc: count } }, first: 10) { name } }", 3],
  ["groups by a value", "{ groupPackage(by: [{ field: section }]) { key { section } count sizeAvg } }", 1],
  [
    "groups by a link and a year, with the linked object",
    "{ groupPackage(by: [{ field: maintainer }, { field: built, unit: YEAR }]) { key { maintainer { name } built } count } }",
    2,
  ],
  ["a page by cursors", "{ queryPackageConnection(order: { asc: name }, first: 10) { nodes { name } pageInfo { hasNextPage endCursor } } }", 2],
  ["a page with its total", "{ queryPackageConnection(order: { desc: size }, first: 10) { totalCount nodes { name } } }", 3],
  // The links were counted for the order by their number.
  ["pages beside lists", "{ queryPerson(first: 3) { packagesConnection(order: { asc: name }, first: 3) { totalCount nodes { name } } } }", 3],
];

describe("a question through links", () => {
  it.each(questions)("reads along indexes with the expected number of queries: %s", async (_, query, sent) => {
    const queries = await profiled(database, () => ask(query));
    const texts = queries.map(({ command }) => JSON.stringify(command.pipeline ?? command.filter));
    for (const each of queries) assert.ok(!(await stagesOf(database, each)).has("COLLSCAN"), `${JSON.stringify(each.command)} scans a collection`);
    expect(queries.length, texts.join("\n")).toBe(sent);
  });
});

describe("a page behind a cursor", () => {
  it.each(["{ asc: name }", "{ desc: name }", "{ asc: size }", "{ desc: size }"])(
    "reads no more of the index than the first page, order %s",
    async (order) => {
      const page = async (args: string) => {
        let cursor = "";
        const queries = await profiled(database, async () => {
          const data = await ask(`{ queryPackageConnection(order: ${order}, ${args}) { pageInfo { endCursor hasNextPage } } }`);
          cursor = data.queryPackageConnection.pageInfo.endCursor;
        });
        for (const each of queries) {
          const stages = await stagesOf(database, each);
          assert.ok(!stages.has("COLLSCAN") && !stages.has("SORT"), `${JSON.stringify(each.command)}: ${[...stages]}`);
        }
        return { cursor, keys: queries.reduce((sum, { keysExamined }) => sum + keysExamined, 0) };
      };
      const { cursor } = await page("first: 700");
      const first = await page("first: 10");
      const later = await page(`first: 10, after: "${cursor}"`);
      // Nodes with the value of the cursor are examined: there are three of each size.
      expect(later.keys).toBeLessThanOrEqual(first.keys + 4);
    },
  );
});
