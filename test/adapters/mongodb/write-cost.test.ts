// What a mutation reads from the database: in proportion to what it changes. MongoDB's profiler counts.

import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";

interface Site {
  readonly kernel: Kernel;
  /** The commands that `work` sends, as the profiler writes them. */
  profile(work: () => Promise<unknown>): Promise<readonly Document[]>;
}

async function site(schema: string): Promise<Site> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const db = client.db(database);
  const kernel = createKernel({ storage: mongodbStorage({ uri, database }), plugins: [identityPlugin()], log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await db.dropDatabase();
    await client.close();
  });
  await kernel.open();
  await kernel.deploy(schema);
  return {
    kernel,
    async profile(work) {
      await db.command({ profile: 2, filter: { "command.aggregate": { $ne: "quern.changes" }, ns: { $not: /system\.profile$/ } } });
      await work();
      await db.command({ profile: 0 });
      return await db.collection("system.profile").find().toArray();
    },
  };
}

async function data(kernel: Kernel, query: string): Promise<Document> {
  const { data: found, errors } = JSON.parse((await kernel.execute({ query })).body);
  expect(errors).toBeUndefined();
  return found;
}

describe("an add that refers to a node", () => {
  it("does not read the others that refer to it", async () => {
    const { kernel, profile } = await site(`
      type Package { id: ID! name: String! @id maintainer: Person @hasInverse(field: packages) }
      type Person { id: ID! name: String! @id packages: [Package] }`);
    await data(
      kernel,
      `mutation { addPerson(input: [{ name: "ann", packages: [${Array.from({ length: 400 }, (_, i) => `{ name: "p${i}" }`)}] }]) { numUids } }`,
    );
    const commands = await profile(() =>
      data(kernel, `mutation { addPackage(input: [{ name: "one more", maintainer: { name: "ann" } }]) { numUids } }`),
    );
    const returned = commands.reduce((sum, { nreturned = 0 }) => sum + nreturned, 0);
    expect(commands.length).toBeGreaterThan(0);
    expect(returned).toBeLessThan(20);
    expect(await data(kernel, `{ getPerson(name: "ann") { packagesAggregate { count } } }`)).toEqual({
      getPerson: { packagesAggregate: { count: 401 } },
    });
  });

  it("that has room for one reads whom it displaces", async () => {
    const { kernel } = await site(`
      type Ship { id: ID! name: String! @id captain: Captain @hasInverse(field: ship) }
      type Captain { id: ID! name: String! @id ship: Ship }`);
    await data(kernel, `mutation { addShip(input: [{ name: "a", captain: { name: "ann" } }]) { numUids } }`);
    await data(kernel, `mutation { addShip(input: [{ name: "b", captain: { name: "ann" } }]) { numUids } }`);
    expect(await data(kernel, "{ queryShip(order: { asc: name }) { name captain { name ship { name } } } }")).toEqual({
      queryShip: [
        { name: "a", captain: null },
        { name: "b", captain: { name: "ann", ship: { name: "b" } } },
      ],
    });
  });
});

describe("a link that is moved", () => {
  it("asks the types that it leads to, and no others", async () => {
    const others = Array.from({ length: 12 }, (_, i) => `type Other${i} { id: ID! name: String }`).join("\n");
    const { kernel, profile } = await site(`
      type Package { id: ID! name: String! @id maintainer: Person @hasInverse(field: packages) }
      type Person { id: ID! name: String! @id packages: [Package] }
      ${others}`);
    await data(kernel, `mutation { addPackage(input: [{ name: "p", maintainer: { name: "ann" } }]) { numUids } }`);
    await data(kernel, `mutation { addPerson(input: [{ name: "bob" }]) { numUids } }`);
    const move = `mutation { updatePackage(input: { filter: {}, set: { maintainer: { name: "bob" } } }) { numUids } }`;
    const commands = await profile(() => data(kernel, move));
    expect(commands.map(({ ns }) => String(ns)).filter((ns) => ns.includes(".Other"))).toEqual([]);
    expect(commands.length).toBeGreaterThan(0);
    expect(await data(kernel, "{ queryPerson(order: { asc: name }) { name packages { name } } }")).toEqual({
      queryPerson: [
        { name: "ann", packages: [] },
        { name: "bob", packages: [{ name: "p" }] },
      ],
    });
  });
});
