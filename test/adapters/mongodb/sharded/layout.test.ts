// The layout for sharded clusters: how it is chosen, what lies where, and that what only one node may hold stays with one.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../../core/index.ts";
import { identityPlugin } from "../../../../plugins/identity/index.ts";
import { mongoHash } from "./simulated-shards.ts";

interface Site {
  readonly db: ReturnType<MongoClient["db"]>;
  /** An open server. */
  server(options: { readonly sharded: boolean }): Promise<Kernel>;
}

async function site(): Promise<Site> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const made: Kernel[] = [];
  onTestFinished(async () => {
    for (const each of made) await each.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  return {
    db: client.db(database),
    async server({ sharded }) {
      const kernel = createKernel({ storage: mongodbStorage({ uri, database, sharded }), plugins: [identityPlugin()], log: { level: "silent" } });
      made.push(kernel);
      await kernel.open();
      return kernel;
    },
  };
}

async function answer(kernel: Kernel, query: string): Promise<Document> {
  return JSON.parse((await kernel.execute({ query })).body);
}

async function data(kernel: Kernel, query: string): Promise<Document> {
  const { data: found, errors } = await answer(kernel, query);
  assert.equal(errors, undefined, JSON.stringify(errors));
  return found;
}

const schema = `type Page { id: ID!  name: String! @id  next: Page @hasInverse(field: previous)  previous: Page }`;
const page = (name: string, more = "") => `mutation { addPage(input: [{ name: "${name}" ${more} }]) { numUids } }`;
const linked = (kernel: Kernel) => data(kernel, `{ queryPage(order: { asc: name }) { name next { name } previous { name } } }`);

async function filled() {
  const at = await site();
  const kernel = await at.server({ sharded: true });
  await kernel.deploy(schema);
  await data(kernel, page("a", `next: { name: "b" }`));
  await data(kernel, page("c"));
  return { ...at, kernel };
}

async function entriesOfLinks(db: Site["db"]): Promise<readonly Document[]> {
  const names = (await db.listCollections({ name: /^quern\.keys\./ }, { nameOnly: true }).toArray()).map(({ name }) => name);
  const all = await Promise.all(
    names.map((name) =>
      db
        .collection(name)
        .find({ k: / Page$/ })
        .toArray(),
    ),
  );
  return all.flat();
}

describe("the choice of the layout", () => {
  it.each([true, false])("is fixed when the database is made: sharded %s refuses the other one", async (sharded) => {
    const { server } = await site();
    const kernel = await server({ sharded });
    await kernel.deploy(schema);
    await expect(server({ sharded: !sharded })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(
        sharded ? /was made with `sharded: true`, and .* says `sharded: false`/ : /was made for one replica set, and .* says `sharded: true`/,
      ),
    });
    await server({ sharded });
  });

  it("is one replica set for a database of a version that knew no other", async () => {
    const { db, server } = await site();
    const kernel = await server({ sharded: false });
    await kernel.deploy(schema);
    await kernel.close();
    await db.collection<{ _id: string }>("quern.catalog").updateOne({ _id: "catalog" }, { $unset: { sharded: "" } });
    await expect(server({ sharded: true })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    assert.deepEqual(await data(await server({ sharded: false }), "{ queryPage { name } }"), { queryPage: [] });
  });

  it("leaves the documents of a replica set as they were", async () => {
    const { db, server } = await site();
    const kernel = await server({ sharded: false });
    await kernel.deploy(schema);
    await data(kernel, page("a", `next: { name: "b" }`));
    assert.equal(await db.collection("quern.changes").countDocuments({ home: { $exists: true } }), 0);
    assert.deepEqual(await entriesOfLinks(db), []);
  });
});

describe("a single link back", () => {
  it("is an entry beside the nodes, which moves with the link and goes with the node", async () => {
    const { db, kernel } = await filled();
    const [before] = await entriesOfLinks(db);
    await data(kernel, `mutation { updatePage(input: { filter: { name: { eq: "a" } }, set: { next: { name: "c" } } }) { numUids } }`);
    const after = await entriesOfLinks(db);
    assert.equal(after.length, 1);
    assert.equal(after[0]?._id, before?._id);
    assert.notEqual(after[0]?.k, before?.k);
    assert.deepEqual(await linked(kernel), {
      queryPage: [
        { name: "a", next: { name: "c" }, previous: null },
        { name: "b", next: null, previous: null },
        { name: "c", next: null, previous: { name: "a" } },
      ],
    });
    await data(kernel, `mutation { deletePage(filter: { name: { eq: "a" } }) { numUids } }`);
    assert.deepEqual(await entriesOfLinks(db), []);
  });

  it("belongs to one of two nodes that two servers link to the same one at once", async () => {
    const { server, kernel } = await filled();
    const other = await server({ sharded: true });
    const link = (name: string) =>
      `mutation { updatePage(input: { filter: { name: { eq: "${name}" } }, set: { next: { name: "c" } } }) { numUids } }`;
    await data(kernel, page("d"));
    for (let i = 0; i < 5; i++) {
      await Promise.all([answer(kernel, link("b")), answer(other, link("d"))]);
      const { queryPage } = await linked(kernel);
      const leading = queryPage.filter(({ next }: Document) => next?.name === "c");
      assert.equal(leading.length, 1);
      assert.deepEqual(queryPage[2].previous, { name: leading[0].name });
      await data(
        kernel,
        `mutation { updatePage(input: { filter: { name: { eq: "c" } }, remove: { previous: { name: "${leading[0].name}" } } }) { numUids } }`,
      );
    }
    assert.deepEqual((await kernel.storage.verify()).faults, []);
  });

  it("is found missing or wrong by a check, and repaired", async () => {
    const { db, kernel } = await filled();
    const [entry] = await entriesOfLinks(db);
    for (const name of (await db.listCollections({ name: /^quern\.keys\./ }).toArray()).map((each) => each.name))
      await db.collection(name).deleteOne({ _id: entry?._id, k: entry?.k });
    assert.deepEqual(
      (await kernel.storage.verify()).faults.map(({ kind }) => kind),
      ["key"],
    );
    assert.equal((await kernel.storage.verify({ repair: true })).repaired, 1);
    assert.deepEqual(await entriesOfLinks(db), [entry]);
  });

  it("has entries for links that were there when a deploy made it single", async () => {
    const { db, server } = await site();
    const kernel = await server({ sharded: true });
    await kernel.deploy(`type Page { id: ID!  name: String! @id  next: Page }`);
    await data(kernel, page("a", `next: { name: "b" }`));
    assert.deepEqual(await entriesOfLinks(db), []);
    await kernel.deploy(schema);
    assert.equal((await entriesOfLinks(db)).length, 1);
    assert.deepEqual((await linked(kernel)).queryPage[1], { name: "b", next: null, previous: { name: "a" } });
    assert.deepEqual((await kernel.storage.verify()).faults, []);
  });
});

it("a key is unique by an entry of its own: two servers add it once", async () => {
  const { server, kernel } = await filled();
  const other = await server({ sharded: true });
  const answers = await Promise.all([kernel, other].map((each) => answer(each, page("same"))));
  assert.deepEqual(answers.map(({ errors }) => errors?.[0]?.extensions.code).sort(), ["KEY_TAKEN", undefined]);
});

it("the simulated shards are divided by the hash that MongoDB computes", async () => {
  const { db } = await site();
  const values = [0, 1, 255, 256, 123_456_789_012, "", "a", "lock:7", "Häuser"];
  const collection = db.collection<{ _id: number; v: unknown }>("hashes");
  await collection.createIndex({ v: "hashed" });
  await collection.insertMany(values.map((v, _id) => ({ _id, v })));
  for (const [_id, value] of values.entries()) {
    const [key] = await collection
      .find({ v: value }, { hint: { v: "hashed" }, useBigInt64: true })
      .returnKey(true)
      .toArray();
    assert.equal(Object(key).v, mongoHash(value), `the hash of ${value} (${_id})`);
  }
});
