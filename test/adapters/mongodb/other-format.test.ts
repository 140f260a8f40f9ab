// A database whose servers write in another way than this version: as servers of 0.1.0, which know no locks of links, or of a later version.

import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";

const schema = "type Boat { id: ID! name: String! @id crew: [Sailor] } type Sailor { id: ID! name: String! @id }";

interface Site {
  readonly server: () => Kernel;
  /** How the catalog says that its servers write. */
  readonly format: () => Promise<number>;
  readonly deployedVersion: () => Promise<number>;
  /** Commits what a server of 0.1.0 adds to the collection of changes. */
  readonly olderCommit: (layout: number) => Promise<unknown>;
}

/** A database on which a server of `format` deployed and added a boat. */
async function siteOf(format: number): Promise<Site> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const db = client.db(database);
  const servers: Kernel[] = [];
  onTestFinished(async () => {
    for (const kernel of servers) await kernel.close();
    await db.dropDatabase();
    await client.close();
  });
  const server = () => {
    const kernel = createKernel({ storage: mongodbStorage({ uri, database }), plugins: [identityPlugin()], log: { level: "silent" } });
    servers.push(kernel);
    return kernel;
  };
  const catalogs = db.collection<Document & { _id: string }>("quern.catalog");
  const catalog = async () => {
    const found = await catalogs.findOne({ _id: "catalog" });
    return { version: Number(found?.version), state: JSON.parse(String(found?.state)) };
  };
  const first = server();
  await first.open();
  await first.deploy(schema);
  expect(await answer(first, add("Kent"))).toEqual(added);
  await first.close();
  const { version, state } = await catalog();
  await catalogs.updateOne({ _id: "catalog" }, { $set: { state: JSON.stringify({ ...state, format }) } });
  // The rule of 0.1.0.
  if (format === 1) await db.command({ collMod: "quern.changes", validator: { $or: [{ kind: "mark" }, { layout: version }] } });
  return {
    server,
    format: async () => (await catalog()).state.format,
    deployedVersion: async () => (await catalog()).version,
    olderCommit: (layout) => db.collection("quern.changes").insertOne({ kind: "commit", at: new Date(), layout }),
  };
}

async function answer(kernel: Kernel, query: string): Promise<unknown> {
  const { extensions: _, ...rest } = JSON.parse((await kernel.execute({ query })).body);
  return rest;
}

const add = (name: string) => `mutation { addBoat(input: [{ name: "${name}" }]) { numUids } }`;
const added = { data: { addBoat: { numUids: 1 } } };
const boats = { data: { queryBoat: [{ name: "Kent" }, { name: "Dover" }] } };

describe("a database of an earlier format", () => {
  it("is refused by a server that starts, and its own servers go on writing", async () => {
    const { server, format, olderCommit, deployedVersion } = await siteOf(1);
    await expect(server().open()).rejects.toMatchObject({
      code: "MIGRATION_REFUSED",
      message: expect.stringContaining("has format 1, of an earlier version"),
      hint: expect.stringContaining("--take-over"),
    });
    expect(await format()).toBe(1);
    await olderCommit(await deployedVersion());
  });

  it.each([
    ["a server that may replace the layout", (kernel: Kernel) => kernel.open({ replaceLayout: true })],
    ["a deploy", (kernel: Kernel) => kernel.open({ replacing: true }).then(() => kernel.deploy(schema))],
  ])("is brought to this one by %s: servers of the earlier one can commit no more", async (_, takeOver) => {
    const { server, format, olderCommit, deployedVersion } = await siteOf(1);
    const before = await deployedVersion();
    const kernel = server();
    await takeOver(kernel);
    expect(await format()).toBe(2);
    for (const version of [before, await deployedVersion()]) await expect(olderCommit(version)).rejects.toMatchObject({ code: 121 });
    expect(await answer(kernel, add("Dover"))).toEqual(added);
    const other = server();
    await other.open();
    expect(await answer(other, "{ queryBoat { name } }")).toEqual(boats);
  });
});

describe("a database of a later format", () => {
  it("is refused, also to a server that may replace the layout", async () => {
    const { server } = await siteOf(3);
    await expect(server().open({ replaceLayout: true })).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringContaining("has format 3"),
    });
  });
});
