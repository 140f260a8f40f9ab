// The database is dropped under running servers: none acknowledges a write, or answers from nothing, until a schema is deployed again.

import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { eventually } from "./eventually.ts";

const schema = "type Boat { id: ID! name: String! @id }";

async function site(): Promise<{ readonly servers: readonly [Kernel, Kernel]; readonly drop: () => Promise<unknown> }> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const server = () =>
    createKernel({ storage: mongodbStorage({ uri, database, ...layoutOfRun }), plugins: [identityPlugin()], log: { level: "silent" } });
  const servers = [server(), server()] as const;
  onTestFinished(async () => {
    for (const kernel of servers) await kernel.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  for (const kernel of servers) {
    await kernel.open();
    await kernel.deploy(schema);
  }
  return { servers, drop: () => client.db(database).dropDatabase() };
}

async function answer(kernel: Kernel, query: string) {
  return JSON.parse((await kernel.execute({ query })).body);
}

const add = (name: string) => `mutation { addBoat(input: [{ name: "${name}" }]) { boat { id } } }`;
const lost = "the catalog is gone from the database";

describe("a dropped database", () => {
  it("takes no write, the very next one included", async () => {
    const { servers, drop } = await site();
    for (const kernel of servers) expect((await answer(kernel, add(`before ${servers.indexOf(kernel)}`))).errors).toBeUndefined();
    await drop();
    for (const kernel of servers) expect((await answer(kernel, add("after"))).errors[0].message).toContain(lost);
  });

  it("is not read as an empty one", async () => {
    const { servers, drop } = await site();
    await answer(servers[0], add("before"));
    await drop();
    for (const kernel of servers) await eventually(async () => (await answer(kernel, "{ queryBoat { name } }")).errors?.[0].message.includes(lost));
  });

  it("is made anew by a deploy of the same schema, for all servers: keys hold, and ids are given once", async () => {
    const { servers, drop } = await site();
    const [one, other] = servers;
    await answer(one, add("before"));
    await answer(other, add("before too"));
    await drop();
    expect((await answer(one, add("after"))).errors[0].message).toContain(lost);
    await one.deploy(schema);
    const ids: string[] = [];
    for (const [i, kernel] of [one, other, one, other].entries()) {
      await eventually(async () => {
        const { data, errors } = await answer(kernel, add(`boat ${i}`));
        if (errors === undefined) ids.push(data.addBoat.boat[0].id);
        return errors === undefined;
      });
    }
    expect(new Set(ids).size).toBe(4);
    for (const kernel of servers) expect((await answer(kernel, add("boat 2"))).errors[0].message).toContain("already");
    for (const kernel of servers) await eventually(async () => (await answer(kernel, "{ aggregateBoat { count } }")).data.aggregateBoat?.count === 4);
    expect((await one.storage.verify()).faults).toEqual([]);
  });

  it("is followed by a server that never noticed", async () => {
    const { servers, drop } = await site();
    const [one, other] = servers;
    await answer(other, add("before"));
    await drop();
    await one.deploy("type Boat { id: ID! name: String! @id length: Int }");
    await eventually(async () => (await answer(other, "{ queryBoat { length } }")).errors === undefined);
    await eventually(async () => (await answer(other, add("after"))).errors === undefined);
    // The first server learns of the second one's commit by the change stream.
    await eventually(async () => JSON.stringify((await answer(one, "{ queryBoat { name } }")).data) === '{"queryBoat":[{"name":"after"}]}');
  });
});
