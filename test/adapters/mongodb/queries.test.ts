// What goes to the server: every shape of query runs along an index, orders that an index has are not sorted again, and a level of a
// request is one round trip.

import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import type { Order, Page, Predicate, Snapshot } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { profiler } from "./profiler.ts";

const uri = inject("mongodbUri");
const client = new MongoClient(uri);
afterAll(() => client.close());

const { profiled, stagesOf } = profiler(client);

const compare = (field: string, op: "eq" | "in" | "ge" | "between", ...operands: (string | number | boolean)[]): Predicate => ({
  kind: "compare",
  field,
  op,
  operands,
});
const by = (field: string, direction: "asc" | "desc"): Order => [{ field, direction }];
const ten: Page = { first: 10 };
const words: Predicate = { kind: "lookup", index: "Post.text/words", match: "all", tokens: ["stone", "mill"] };

/** Queries, and whether an index has their order. */
const shapes: readonly { readonly what: string; readonly sorted: boolean; readonly read: (snapshot: Snapshot) => unknown }[] = [
  { what: "all of a type", sorted: true, read: (each) => each.find({ types: ["Post"], fields: ["Post.title"] }) },
  { what: "the first ten", sorted: true, read: (each) => each.find({ types: ["Post"], page: { first: 10, offset: 20 }, fields: ["Post.title"] }) },
  { what: "the last ten", sorted: true, read: (each) => each.find({ types: ["Post"], page: { last: 10 }, fields: ["Post.title"] }) },
  { what: "several types", sorted: true, read: (each) => each.find({ types: ["Post", "PostTag"], page: ten, fields: ["Named.label"] }) },
  ...(["Post.name", "Post.rank", "Post.big", "Post.score", "Post.at"] as const).flatMap((field) => [
    {
      what: `${field} upwards`,
      sorted: true,
      read: (each: Snapshot) => each.find({ types: ["Post"], order: by(field, "asc"), page: ten, fields: ["Post.title"] }),
    },
    {
      what: `${field} downwards`,
      sorted: true,
      read: (each: Snapshot) => each.find({ types: ["Post"], order: by(field, "desc"), page: ten, fields: ["Post.title"] }),
    },
  ]),
  { what: "a value", sorted: true, read: (each) => each.find({ types: ["Post"], where: compare("Post.title", "eq", "t7"), page: ten, fields: [] }) },
  {
    what: "a value of a type among several",
    sorted: true,
    read: (each) => each.find({ types: ["Post", "PostTag"], where: compare("Named.label", "eq", "l3"), page: ten, fields: [] }),
  },
  {
    what: "some values",
    sorted: true,
    read: (each) => each.find({ types: ["Post"], where: compare("Post.title", "in", "t7", "t8"), page: ten, fields: [] }),
  },
  { what: "a range", sorted: false, read: (each) => each.find({ types: ["Post"], where: compare("Post.rank", "between", 3, 9), fields: [] }) },
  {
    what: "a range in its order",
    sorted: true,
    read: (each) => each.find({ types: ["Post"], where: compare("Post.rank", "ge", 30), order: by("Post.rank", "desc"), page: ten, fields: [] }),
  },
  {
    what: "a range on a list",
    sorted: false,
    read: (each) => each.find({ types: ["Post"], where: compare("Post.nums", "between", 3, 4), fields: [] }),
  },
  { what: "a key", sorted: false, read: (each) => each.find({ types: ["Post"], where: compare("Post.code", "eq", "c7"), fields: ["Post.title"] }) },
  { what: "words", sorted: false, read: (each) => each.find({ types: ["Post"], where: words, page: ten, fields: ["Post.title"] }) },
  {
    what: "one of two conditions",
    sorted: false,
    read: (each) => each.find({ types: ["Post"], where: { kind: "or", of: [compare("Post.title", "eq", "t7"), words] }, fields: [] }),
  },
  {
    what: "none of them",
    sorted: true,
    read: (each) => each.find({ types: ["Post"], where: { kind: "not", of: compare("Post.title", "eq", "t7") }, page: ten, fields: [] }),
  },
  { what: "by uid", sorted: true, read: (each) => each.load({ uids: [3, 1, 2], types: ["Post", "Author"], fields: ["Post.title"] }) },
  { what: "links from their nodes", sorted: true, read: (each) => each.follow({ from: [1, 2, 3], end: "Post.author", fields: ["Author.name"] }) },
  { what: "links back to them", sorted: false, read: (each) => each.follow({ from: [2_001, 2_002], end: "Author.posts", fields: ["Post.title"] }) },
  {
    what: "a page of links back",
    sorted: true,
    read: (each) => each.follow({ from: [2_001, 2_002], end: "Author.posts", page: ten, fields: ["Post.title"] }),
  },
  {
    what: "links of an edge collection",
    sorted: true,
    read: (each) => each.follow({ from: [1, 2, 3], end: "Post.tagged", fields: ["PostTag.title"] }),
  },
  {
    what: "a semi-join",
    sorted: true,
    read: (each) =>
      each.find({
        types: ["Author"],
        where: { kind: "linked", end: "Author.posts", where: compare("Post.title", "eq", "t7"), atLeast: 1 },
        fields: [],
      }),
  },
  { what: "a count", sorted: true, read: (each) => each.aggregate({ over: { types: ["Post"] }, measures: [{ kind: "count" }] }) },
  {
    what: "a count of links",
    sorted: true,
    read: (each) =>
      each.aggregate({ over: { from: [2_001, 2_002], end: "Author.posts" }, measures: [{ kind: "count" }, { kind: "max", field: "Post.rank" }] }),
  },
];

describe("every shape of query", () => {
  const database = `queries_${process.pid}`;
  let storage: Storage;
  let version = 0;

  beforeAll(async () => {
    storage = mongodbStorage({ uri, database });
    await storage.open();
    ({ version } = await storage.migrate(library, "library"));
    await storage.transact(
      async (transaction) => {
        const posts = await transaction.uids(2_000);
        const authors = await transaction.uids(20);
        const tags = await transaction.uids(20);
        await transaction.write([
          ...authors.map((uid, i) => ({ kind: "create" as const, uid, type: "Author", fields: { "Author.name": `a${i}`, "Author.age": i } })),
          ...tags.map((uid, i) => ({ kind: "create" as const, uid, type: "PostTag", fields: { "PostTag.title": `g${i}`, "Named.label": `l${i}` } })),
          ...posts.map((uid, i) => ({
            kind: "create" as const,
            uid,
            type: "Post",
            fields: {
              "Post.title": `t${i % 50}`,
              "Post.code": `c${i}`,
              "Post.text": i % 40 === 0 ? "stone mill" : `w${i} stone`,
              "Post.nums": [i % 9, i % 11],
              "Named.label": `l${i % 30}`,
              ...(i % 3 > 0 && {
                "Post.rank": i % 40,
                "Post.big": BigInt(i),
                "Post.score": i / 2,
                "Post.name": `n${i}`,
                "Post.at": `${2000 + (i % 50)}-01-01T00:00:00Z`,
              }),
            },
          })),
          ...posts.flatMap((uid, i) => [
            { kind: "link" as const, end: "Post.author", from: uid, fromType: "Post", to: authors[i % 20] ?? 0, toType: "Author" },
            { kind: "link" as const, end: "Post.tagged", from: uid, fromType: "Post", to: tags[i % 20] ?? 0, toType: "PostTag" },
          ]),
        ]);
      },
      { version },
    );
  }, 60_000);

  afterAll(async () => {
    await storage.close();
    await client.db(database).dropDatabase();
  });

  for (const { what, sorted, read } of shapes) {
    it(`reads along an index${sorted ? ", in its order" : ""}: ${what}`, async () => {
      const snapshot = storage.snapshot({ version });
      const queries = await profiled(database, async () => await read(snapshot));
      snapshot.close();
      assert.ok(queries.length > 0);
      for (const query of queries) {
        const stages = await stagesOf(database, query);
        assert.ok(stages.size > 0);
        assert.ok(!stages.has("COLLSCAN"), `${JSON.stringify(query.command)} scans a collection`);
        if (sorted) assert.ok(!stages.has("SORT"), `${JSON.stringify(query.command)} sorts: ${[...stages]}`);
      }
    });
  }
});

describe("a request", () => {
  const database = `requests_${process.pid}`;
  let kernel: Kernel;

  beforeAll(async () => {
    kernel = createKernel({ storage: mongodbStorage({ uri, database }), plugins: [identityPlugin(), searchPlugin()], log: { level: "silent" } });
    await kernel.open();
    await kernel.deploy(`
      type Package { id: ID! name: String! @id size: Int @search section: String @search(by: [hash]) maintainer: Person @hasInverse(field: packages) tags: [Tag] @hasInverse(field: packages) }
      type Person { id: ID! name: String! @id packages: [Package] }
      type Tag { id: ID! name: String! @id packages: [Package] }
    `);
    const packages = Array.from(
      { length: 60 },
      (_, i) => `{ name: "p${i}", size: ${i * 7}, section: "s${i % 3}", maintainer: { name: "m${i % 5}" }, tags: [{ name: "t${i % 4}" }] }`,
    );
    await kernel.execute({ query: `mutation { addPackage(input: [${packages}], upsert: true) { numUids } }` });
  }, 60_000);

  afterAll(async () => {
    await kernel.close();
    await client.db(database).dropDatabase();
  });

  for (const { what, query, trips } of [
    {
      what: "filter, order, first ten with a nested object",
      trips: 2,
      query: `{ queryPackage(filter: { section: { eq: "s1" } }, order: { desc: size }, first: 10) { name size maintainer { name } } }`,
    },
    {
      what: "the same upwards",
      trips: 2,
      query: `{ queryPackage(filter: { section: { eq: "s1" } }, order: { asc: size }, first: 10) { name size maintainer { name } } }`,
    },
    { what: "a node by its key with the list that leads to it", trips: 2, query: `{ getPerson(name: "m1") { name packages(first: 3) { name } } }` },
    { what: "three levels", trips: 3, query: `{ queryPerson(first: 5) { name packages(first: 3) { name maintainer { name } } } }` },
    { what: "a level across an edge collection", trips: 3, query: `{ queryPackage(first: 5) { name tags { name } } }` },
  ]) {
    it(`takes at most ${trips} round trips: ${what}`, async () => {
      let body = "";
      const queries = await profiled(database, async () => ({ body } = await kernel.execute({ query })));
      assert.ok(body.startsWith(`{"data":{"`) && !body.includes(`"errors"`), body.slice(0, 300));
      assert.ok(queries.length <= trips, `${queries.length}: ${queries.map((each) => JSON.stringify(each.command)).join("\n")}`);
    });
  }
});

describe("a plan that is asked for", () => {
  it("shows the queries in the syntax of mongosh", async () => {
    const database = `plans_${process.pid}`;
    const kernel = createKernel({ storage: mongodbStorage({ uri, database }), plugins: [searchPlugin()], debug: true, log: { level: "silent" } });
    await kernel.open();
    await kernel.deploy("type Boat { id: ID! length: Int @search owner: Owner } type Owner { id: ID! name: String }");
    await kernel.execute({ query: `mutation { addBoat(input: [{ length: 7, owner: { name: "ann" } }]) { numUids } }` });
    const { body } = await kernel.execute({
      query: "{ queryBoat(filter: { length: { ge: 5 } }, order: { desc: length }, first: 2) { length owner { name } } }",
      plan: true,
    });
    const { plan } = JSON.parse(body).extensions;
    assert.deepEqual(plan.slice(plan.indexOf("sent to mongodb:")), [
      "sent to mongodb:",
      '  db.Boat.find({"length":{"$gte":5}}, {"_id":1,"length":1,"owner":1}).sort({"length":-1,"_id":1}).limit(2)',
      '  db.Owner.find({"_id":2}, {"_id":1,"name":1})',
    ]);
    await kernel.close();
    await client.db(database).dropDatabase();
  });
});
