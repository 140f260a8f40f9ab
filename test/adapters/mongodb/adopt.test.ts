// `adopt`: a deploy over a collection with documents of others makes them nodes of its type, or says why it cannot, and changes nothing.

import { randomUUID } from "node:crypto";
import { type Db, type Document, Long, MongoClient, ObjectId } from "mongodb";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { type MongodbStorageOptions, mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { storageNamesPlugin } from "../../../plugins/storage-names/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

interface Site {
  readonly db: Db;
  /** A kernel on this database, open. */
  kernel(adopt?: MongodbStorageOptions["adopt"]): Promise<Kernel>;
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
    async kernel(adopt = true) {
      const storage = mongodbStorage({ uri, database, adopt, ...layoutOfRun });
      const kernel = createKernel({ storage, plugins: [identityPlugin(), storageNamesPlugin(), searchPlugin()], log: { level: "silent" } });
      made.push(kernel);
      await kernel.open();
      return kernel;
    },
  };
}

async function run(kernel: Kernel, query: string): Promise<unknown> {
  const { data, errors } = JSON.parse((await kernel.execute({ query })).body);
  expect(errors).toBeUndefined();
  return data;
}

async function deployed(kernel: Kernel, schema: string, progress?: (step: MigrationStep) => void): Promise<readonly string[]> {
  const warnings: string[] = [];
  await kernel.deploy(schema, { onWarning: (each) => warnings.push(each), ...(progress && { progress }) });
  return warnings;
}

const schema = `
  type Author @dgraph(type: "authors") {
    id: ID!
    name: String! @id @search(by: [term])
    born: DateTime @search
    tags: [String]
    rank: Rank
    books: Int64
    mongoId: String @id
  }
  enum Rank { HIGH LOW }`;

interface Numbered extends Document {
  readonly _id: number;
}

const ann = new ObjectId("64a000000000000000000001");
const bob = new ObjectId("64a000000000000000000002");

describe("large documents", () => {
  it("are copied few at a time, those beyond the bound alone", async () => {
    const { db, kernel } = await site();
    const mb = 1 << 20;
    const authors = db.collection<Document>("authors");
    for (const [i, size] of [3, 3, 3, 3, 12, 1, 1].entries())
      await authors.insertOne({ _id: new ObjectId(), name: `a${i}`, note: "x".repeat(size * mb) });
    const server = await kernel(true);
    const copied: number[] = [];
    await deployed(server, schema, ({ what, done }) => void (what === "adopting authors" && copied.push(done)));
    expect(copied).toEqual([3, 5, 7]);
    const names = Array.from({ length: 7 }, (_, i) => ({ name: `a${i}` }));
    expect(await run(server, "{ queryAuthor(order: { asc: name }) { name } }")).toEqual({ queryAuthor: names });
  });
});

describe("a deploy with `adopt` over a collection with documents", () => {
  it("makes each a node with a new id, keeps its `_id` in the field that is named, and reports", async () => {
    const { db, kernel } = await site();
    await db.collection<Document>("authors").insertMany([
      { _id: ann, name: "Ann Mill", born: new Date("1971-02-03T04:05:06Z"), tags: ["x", "y", "x"], rank: "HIGH", books: 3, mood: "good" },
      { _id: bob, name: "Bob Kent", born: null, tags: [], books: Long.fromString("9007199254740993"), mood: "fair", address: { city: "Kent" } },
    ]);
    const server = await kernel({ idField: "mongoId" });
    expect(await deployed(server, schema)).toEqual([
      'The 2 documents of the collection "authors" are nodes of authors now, with new ids. No field took these properties (in so many documents): mood (2), address (1). The originals are kept in "quern.adopted.authors"; drop it when you no longer need them.',
    ]);
    expect(await run(server, "{ queryAuthor(order: { asc: mongoId }) { id name born tags rank books mongoId } }")).toEqual({
      queryAuthor: [
        { id: "0x1", name: "Ann Mill", born: "1971-02-03T04:05:06Z", tags: ["x", "y"], rank: "HIGH", books: 3, mongoId: ann.toHexString() },
        { id: "0x2", name: "Bob Kent", born: null, tags: [], rank: null, books: "9007199254740993", mongoId: bob.toHexString() },
      ].map((each) => ({ ...each, books: expect.anything() })),
    });
    expect(await run(server, `{ queryAuthor(filter: { name: { anyofterms: "kent" } }) { name } }`)).toEqual({ queryAuthor: [{ name: "Bob Kent" }] });
    expect(await run(server, `{ queryAuthor(filter: { born: { lt: "1980" } }) { name } }`)).toEqual({ queryAuthor: [{ name: "Ann Mill" }] });
    expect(await run(server, `{ getAuthor(mongoId: "${bob}") { name } }`)).toEqual({ getAuthor: { name: "Bob Kent" } });
    await run(server, `mutation { addAuthor(input: [{ name: "Ann Mill", rank: LOW }], upsert: true) { numUids } }`);
    expect(await run(server, `{ getAuthor(name: "Ann Mill") { rank } aggregateAuthor { count } }`)).toEqual({
      getAuthor: { rank: "LOW" },
      aggregateAuthor: { count: 2 },
    });
    expect((await server.storage.verify()).faults).toEqual([]);
    expect(await db.collection("quern.adopted.authors").countDocuments({ mood: { $exists: true } })).toBe(2);
  });

  it("is refused when documents do not fit: it names each reason, and leaves the collection as it is", async () => {
    const { db, kernel } = await site();
    await db.collection<Numbered>("authors").insertMany([
      { _id: 1, name: "Ann", born: "soon" },
      { _id: 2, born: new Date(0), rank: "MIDDLE" },
      { _id: 3, name: "Bob", tags: ["x", 7], books: 0.5 },
      { _id: 4, name: "Bob", tags: "x" },
    ]);
    const server = await kernel();
    const refused = await server.deploy(schema).catch((thrown) => thrown);
    expect(refused.code).toBe("MIGRATION_REFUSED");
    expect(refused.message.split("\n").sort()).toEqual(
      [
        'The collection "authors": born is no DateTime, in one document (_id 1).',
        'The collection "authors": name is missing, which the schema requires, in one document (_id 2).',
        'The collection "authors": rank is no value of its enum, in one document (_id 2).',
        'The collection "authors": tags is no list of String, in one document (_id 3).',
        'The collection "authors": books is no Int64, in one document (_id 3).',
        'The collection "authors": name must be unique, but "Bob" is in 2 documents.',
      ].sort(),
    );
    expect((await server.compare(schema)).storage.obstacles.length).toBe(6);
    expect(await db.collection("authors").countDocuments()).toBe(4);
    await db.collection<Numbered>("authors").deleteMany({ _id: { $ne: 4 } });
    expect((await server.compare(schema)).storage.work).toEqual(['take in 1 documents of the collection "authors"']);
    await server.deploy(schema);
    expect(await run(server, "{ queryAuthor { name tags } }")).toEqual({ queryAuthor: [{ name: "Bob", tags: ["x"] }] });
  });

  it("that is refused after they were copied puts the collections back", async () => {
    const { db, kernel } = await site();
    await db.collection("Boat").insertOne({ name: "gig" });
    await db.collection("Raft").insertOne({ name: "gig" });
    const server = await kernel();
    const twoTypes =
      "interface Vessel { id: ID! name: String! @id(interface: true) } type Boat implements Vessel { a: Int } type Raft implements Vessel { a: Int }";
    await expect(server.deploy(twoTypes)).rejects.toMatchObject({ code: "MIGRATION_REFUSED", message: expect.stringContaining("gig") });
    for (const name of ["Boat", "Raft"])
      expect(
        await db
          .collection(name)
          .find({ _id: { $type: "objectId" } })
          .toArray(),
      ).toHaveLength(1);
    await db.collection("Raft").updateOne({}, { $set: { name: "log" } });
    await server.deploy(twoTypes);
    expect(await run(server, `{ queryVessel(order: { asc: name }) { name } }`)).toEqual({ queryVessel: [{ name: "gig" }, { name: "log" }] });
  });
});

/** 1,300 documents, with ids of four types. */
async function many(db: Db): Promise<void> {
  const ids = [(i: number) => i, (i: number) => `s${i}`, () => new ObjectId(), (i: number) => new Date(i)];
  const documents = Array.from({ length: 1_300 }, (_, i): Document => ({ _id: ids[i % 4]?.(i), name: `n${i}`, born: `${2_000 + (i % 20)}` }));
  await db.collection<Document>("authors").insertMany(documents);
}

const stopAfter = (copied: number) => (step: MigrationStep) => {
  if (step.what.startsWith("adopting") && step.done >= copied) throw new Error("the server dies");
};

describe("a deploy with `adopt` that is interrupted", () => {
  it("goes on where it was, and takes each document in once", async () => {
    const { db, kernel } = await site();
    await many(db);
    const first = await kernel();
    await expect(first.deploy(schema, { progress: stopAfter(1_000) })).rejects.toThrow("the server dies");
    await first.close();
    const cautious = await kernel(false);
    await expect(cautious.deploy(schema)).rejects.toThrow("Deploy with adopt: true to go on");
    const second = await kernel();
    const done: number[] = [];
    await deployed(second, schema, (step) => step.what.startsWith("adopting") && done.push(step.done));
    expect(done).toEqual([1_300]);
    expect(await run(second, `{ aggregateAuthor { count nameMin nameMax } getAuthor(name: "n1299") { born } }`)).toEqual({
      aggregateAuthor: { count: 1_300, nameMin: "n0", nameMax: "n999" },
      getAuthor: { born: "2019-01-01T00:00:00Z" },
    });
    expect((await second.storage.verify()).faults).toEqual([]);
  });

  it("begins anew with a schema that has other fields", async () => {
    const { db, kernel } = await site();
    await many(db);
    const server = await kernel();
    await expect(server.deploy(schema, { progress: stopAfter(500) })).rejects.toThrow("the server dies");
    await deployed(server, `type Author @dgraph(type: "authors") { name: String! @id born: String! }`);
    expect(await run(server, `{ aggregateAuthor { count bornMin bornMax } }`)).toEqual({
      aggregateAuthor: { count: 1_300, bornMin: "2000", bornMax: "2019" },
    });
  });
});

describe("a collection that was taken in", () => {
  it("is not taken in again when the data are dropped and the schema is deployed again", async () => {
    const { db, kernel } = await site();
    await db.collection("authors").insertOne({ name: "Ann" });
    const server = await kernel();
    await server.deploy(schema);
    await server.erase({ kind: "all" });
    await server.deploy(schema);
    expect(await run(server, "{ aggregateAuthor { count } }")).toEqual({ aggregateAuthor: { count: 0 } });
    expect(await db.collection("quern.adopted.authors").countDocuments()).toBe(1);
  });
});
