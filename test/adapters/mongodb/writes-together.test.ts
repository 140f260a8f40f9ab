// Writes to several collections in one command, where the server knows it; the servers of the specs may not.

import { Db, MongoClientBulkWriteError, MongoServerError } from "mongodb";
import { describe, expect, it, vi } from "vitest";
import type { Connection } from "../../../adapters/mongodb/connection/connection.ts";
import { type Writes, WritesApart, writeTogether } from "../../../adapters/mongodb/session/write-models.ts";
import { type WatchedSite, watchedSite } from "./watched-commands.ts";

const add = (name: string) => `mutation { addBoat(input: [{ name: "${name}", crew: [{ name: "${name}" }] }]) { boat { name crew { name } } } }`;

/** A site on a server that says it is MongoDB 8.0. */
async function asVersion8(options: { readonly clientBulkWrite: boolean }): Promise<WatchedSite> {
  const command = Db.prototype.command;
  const hello = vi.spyOn(Db.prototype, "command").mockImplementation(async function (this: Db, asked, ...others) {
    const answer = await command.call(this, asked, ...others);
    return "hello" in asked ? { ...answer, maxWireVersion: 25 } : answer;
  });
  try {
    return await watchedSite("type Boat { id: ID! name: String! @id crew: [Sailor] } type Sailor { id: ID! name: String! @id }", options);
  } finally {
    hello.mockRestore();
  }
}

describe("a server that says it knows the command", () => {
  it("gets a command for each collection unless the configuration says otherwise", async () => {
    const site = await asVersion8({ clientBulkWrite: false });
    expect((await site.commands(() => site.run(add("ann")))).map((name) => name.split(" ")[0])).not.toContain("bulkWrite");
  });

  it("is tried where the configuration says so", async () => {
    const site = await asVersion8({ clientBulkWrite: true });
    expect((await site.commands(() => site.run(add("ann")))).map((name) => name.split(" ")[0])).toContain("bulkWrite");
  });
});

describe("a server that says it knows the command, and refuses it", () => {
  it("gets a command for each collection, and nothing is lost or done twice", async () => {
    const site = await asVersion8({ clientBulkWrite: true });
    for (const name of ["ann", "bob"]) expect(await site.run(add(name))).toEqual({ addBoat: { boat: [{ name, crew: [{ name }] }] } });
    await expect(site.run(add("ann"))).rejects.toThrow('name \\"ann\\" already');
    expect(await site.run("{ aggregateBoat { count } aggregateSailor { count } }")).toEqual({
      aggregateBoat: { count: 2 },
      aggregateSailor: { count: 2 },
    });
    if (!site.writesTogether) expect(await site.commands(() => site.run(add("cid")))).not.toContain("bulkWrite");
  });
});

describe("the error of writes in one command", () => {
  const nodes: Writes = {
    collection: "Boat",
    operations: [{ insertOne: { document: { _id: 1 } } }, { deleteOne: { filter: { _id: 2 } } }],
    explain: named("nodes"),
  };
  const record: Writes = {
    collection: "quern.changes",
    operations: [{ updateMany: { filter: {}, update: { $set: { n: 1 } } } }],
    explain: named("record"),
  };

  function named(what: string): (thrown: unknown) => unknown {
    return (thrown) => (thrown instanceof MongoServerError && thrown.code === 11_000 ? new Error(`${what}: ${thrown.message}`) : thrown);
  }

  /** What a client says that takes the command and answers with `thrown`. */
  async function errorOf(thrown: MongoClientBulkWriteError): Promise<unknown> {
    const client = { bulkWrite: () => Promise.reject(thrown) };
    const connection = { client, db: { databaseName: "boats" } } as unknown as Connection;
    return await writeTogether(connection, [nodes, record], {} as never).catch((reason: unknown) => reason);
  }

  function failedAt(index: number): MongoClientBulkWriteError {
    const thrown = new MongoClientBulkWriteError({ message: "a write failed" });
    thrown.writeErrors = new Map([[index, { code: 11_000, message: "E11000 duplicate key" }]]);
    return thrown;
  }

  function failedAsAWhole(code: number): MongoClientBulkWriteError {
    const thrown = new MongoClientBulkWriteError({ message: "the command failed" });
    thrown.cause = new MongoServerError({ code, message: `code ${code}` });
    return thrown;
  }

  it("is explained by those who asked for the write that failed", async () => {
    expect(await errorOf(failedAt(1))).toMatchObject({ message: "nodes: E11000 duplicate key" });
    expect(await errorOf(failedAt(2))).toMatchObject({ message: "record: E11000 duplicate key" });
  });

  it("is that of the server where the command failed as a whole", async () => {
    expect(await errorOf(failedAsAWhole(112))).toMatchObject({ code: 112, message: "code 112" });
  });

  it("asks for a command for each collection where the server does not know this one", async () => {
    expect(await errorOf(failedAsAWhole(59))).toBeInstanceOf(WritesApart);
  });
});
