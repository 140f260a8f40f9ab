// Rules and collections of the database's owner: a write that they refuse is answered at once, and a deploy over what does not fit is refused.

import { randomUUID } from "node:crypto";
import { type Db, MongoClient } from "mongodb";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

interface Site {
  readonly kernel: Kernel;
  readonly db: Db;
}

async function site(options: { readonly maxConnections?: number } = {}): Promise<Site> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const storage = mongodbStorage({ uri, database, ...layoutOfRun, ...options });
  const kernel = createKernel({ storage, plugins: [identityPlugin(), searchPlugin()], log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  await kernel.open();
  return { kernel, db: client.db(database) };
}

const schema = "type Boat { id: ID! name: String! @id length: Int }";
const add = (boat: string) => `mutation { addBoat(input: [${boat}]) { numUids } }`;

async function answer(kernel: Kernel, query: string) {
  return JSON.parse((await kernel.execute({ query })).body);
}

describe("a rule of the owner", () => {
  it("that is a validator refuses its writes at once, by name, and no others", async () => {
    const { kernel, db } = await site();
    await kernel.deploy(schema);
    await db.command({ collMod: "Boat", validator: { length: { $gt: 5 } } });
    const begun = performance.now();
    const { data, errors } = await answer(kernel, add(`{ name: "gig", length: 3 }`));
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(data).toEqual({ addBoat: null });
    expect(errors[0].message).toContain('the validation rule of the collection "Boat" in MongoDB refuses the write');
    expect((await answer(kernel, add(`{ name: "ketch", length: 9 }`))).data).toEqual({ addBoat: { numUids: 1 } });
    expect((await answer(kernel, "{ queryBoat { name } }")).data).toEqual({ queryBoat: [{ name: "ketch" }] });
  });

  it("that is a unique index refuses a second value at once, by name", async () => {
    const { kernel, db } = await site();
    await kernel.deploy(schema);
    await db.collection("Boat").createIndex({ length: 1 }, { name: "one of a length", unique: true });
    expect((await answer(kernel, add(`{ name: "gig", length: 3 }`))).errors).toBeUndefined();
    const begun = performance.now();
    const { errors } = await answer(kernel, add(`{ name: "yawl", length: 3 }`));
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(errors[0].message).toContain('the unique index "one of a length" of the collection "Boat" in MongoDB refuses the write');
  });

  it("does not hide that a key of the schema is taken", async () => {
    const { kernel } = await site();
    await kernel.deploy(schema);
    await answer(kernel, add(`{ name: "gig" }`));
    expect((await answer(kernel, add(`{ name: "gig" }`))).errors[0].message).toContain("already");
  });
});

describe("a deploy over a collection that cannot hold nodes", () => {
  it.each([
    ["a capped collection", { capped: true, size: 4_096 }, "is capped"],
    ["a collection with a collation", { collation: { locale: "en", strength: 2 } }, "has a default collation"],
    ["a time series", { timeseries: { timeField: "at" } }, "is a time series"],
  ])("is refused by name for %s", async (_what, options, reason) => {
    const { kernel, db } = await site();
    await db.createCollection("Boat", options);
    await expect(kernel.deploy(schema)).rejects.toMatchObject({ code: "MIGRATION_REFUSED", message: expect.stringContaining(reason) });
    await expect(kernel.deploy(schema)).rejects.toThrow("Boat");
  });

  it("is refused by name for a view", async () => {
    const { kernel, db } = await site();
    await db.createCollection("Boat", { viewOn: "Ship", pipeline: [] });
    await expect(kernel.deploy(schema)).rejects.toMatchObject({ code: "MIGRATION_REFUSED", message: expect.stringContaining("is a view") });
  });

  it("is refused by name for a name that is too long", async () => {
    const { kernel } = await site();
    const name = `B${"o".repeat(250)}at`;
    await expect(kernel.deploy(`type ${name} { id: ID! length: Int }`)).rejects.toMatchObject({
      code: "MIGRATION_REFUSED",
      message: expect.stringContaining("longer than MongoDB takes"),
    });
  });

  it("is accepted for a plain empty collection", async () => {
    const { kernel, db } = await site();
    await db.createCollection("Boat");
    await kernel.deploy(schema);
    expect((await answer(kernel, add(`{ name: "gig" }`))).errors).toBeUndefined();
  });
});

describe("documents that Quern did not write", () => {
  it("refuse the deploy of their type, and stay as they are", async () => {
    const { kernel, db } = await site();
    await db.collection("Boat").insertOne({ name: "of somebody" });
    await expect(kernel.deploy(schema)).rejects.toMatchObject({ code: "MIGRATION_REFUSED", message: expect.stringContaining("Boat") });
    expect(await db.collection("Boat").countDocuments()).toBe(1);
    await kernel.deploy("type Raft { id: ID! name: String }");
    expect((await answer(kernel, `mutation { addRaft(input: [{ name: "a" }]) { numUids } }`)).errors).toBeUndefined();
  });
});

describe("maxConnections", () => {
  it("below what a deploy needs is refused, and says how many it needs", () => {
    expect(() => mongodbStorage({ uri: "mongodb://h/", maxConnections: 4 })).toThrow("a server needs 5 at least");
  });

  it("of what a deploy needs suffices for one that builds indexes over data, with writers beside it", async () => {
    const { kernel } = await site({ maxConnections: 5 });
    await kernel.deploy(schema);
    await answer(kernel, add(Array.from({ length: 500 }, (_, i) => `{ name: "boat ${i}", length: ${i} }`).join()));
    const deployed = kernel.deploy("type Boat { id: ID! name: String! @id @search(by: [term]) length: Int @search }");
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => answer(kernel, add(`{ name: "raft ${i}" }`))));
    await deployed;
    for (const { errors } of answers) if (errors !== undefined) expect(errors[0].message).toContain("another schema was deployed meanwhile");
    expect((await answer(kernel, `{ queryBoat(filter: { name: { allofterms: "boat 7" } }) { length } }`)).data).toEqual({
      queryBoat: [{ length: 7 }],
    });
  });
});
