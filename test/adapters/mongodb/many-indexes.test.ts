// MongoDB takes 64 indexes for each collection: a type that needs more is refused before anything is built; one that needs fewer can
// become another that does.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { describe, inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel, QuernError } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";

interface Site {
  readonly kernel: Kernel;
  indexes(): Promise<readonly string[]>;
  /** As somebody does in mongosh. */
  index(name: string): Promise<void>;
}

async function site(): Promise<Site> {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  const client = await new MongoClient(uri).connect();
  const kernel = createKernel({ storage: mongodbStorage({ uri, database }), plugins: [identityPlugin(), searchPlugin()], log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await client.db(database).dropDatabase();
    await client.close();
  });
  await kernel.open();
  const boats = client.db(database).collection("Boat");
  return {
    kernel,
    indexes: async () =>
      (
        await boats
          .listIndexes()
          .toArray()
          .catch(() => [])
      ).map(({ name }) => String(name)),
    index: async (name) => void (await boats.createIndex({ [name]: 1 }, { name })),
  };
}

/** A type with this many fields that have an order each. */
function fleet(fields: number, more = "", prefix = "f"): string {
  return `type Boat { id: ID!  ${Array.from({ length: fields }, (_, i) => `${prefix}${i}: Int @search`).join("  ")}  ${more} }`;
}

async function ask(kernel: Kernel, query: string): Promise<unknown> {
  const { data, errors } = JSON.parse((await kernel.execute({ query })).body);
  assert.equal(errors, undefined);
  return data;
}

async function refusal(work: Promise<unknown>): Promise<QuernError> {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(thrown instanceof QuernError, String(thrown));
  return thrown;
}

describe("a type", () => {
  it("may have 63 searched fields: together with the index of uids these are all indexes that a collection can have", async () => {
    const { kernel, indexes } = await site();
    await kernel.deploy(fleet(63));
    assert.equal((await indexes()).length, 64);
    await ask(kernel, "mutation { addBoat(input: [{ f0: 1, f62: 5 }, { f0: 2, f62: 7 }, { f0: 3 }]) { numUids } }");
    assert.deepEqual(await ask(kernel, "{ queryBoat(filter: { f62: { ge: 5 } }, order: { desc: f62 }) { f0 f62 } }"), {
      queryBoat: [
        { f0: 2, f62: 7 },
        { f0: 1, f62: 5 },
      ],
    });
    assert.deepEqual(await ask(kernel, "{ queryBoat(order: { desc: f62 }) { f0 } }"), { queryBoat: [{ f0: 2 }, { f0: 1 }, { f0: 3 }] });
  });

  it.each([
    { fields: 64, needs: 65, less: "1 field" },
    { fields: 70, needs: 71, less: "7 fields" },
  ])("with $fields of them is refused in one sentence, before anything is built", async ({ fields, needs, less }) => {
    const { kernel, indexes } = await site();
    await kernel.deploy(fleet(2));
    await ask(kernel, "mutation { addBoat(input: [{ f0: 1 }]) { numUids } }");
    const before = await indexes();
    const sentence =
      `type Boat needs ${needs} indexes of MongoDB, which takes 64 for each type (${fields} of fields, 1 of uids): ` +
      `index ${less} less, or move some to a type that Boat links to`;
    assert.deepEqual((await kernel.compare(fleet(fields))).storage.obstacles, [sentence]);
    const { code, message } = await refusal(kernel.deploy(fleet(fields)));
    assert.deepEqual([code, message], ["MIGRATION_REFUSED", sentence]);
    assert.deepEqual(await indexes(), before);
    assert.deepEqual(await ask(kernel, "{ queryBoat(filter: { f0: { eq: 1 } }) { f0 } }"), { queryBoat: [{ f0: 1 }] });
    await kernel.deploy(fleet(63));
  });

  it("may have 70 fields that are searched by terms: one index holds all their terms", async () => {
    const { kernel, indexes } = await site();
    const texts = Array.from({ length: 70 }, (_, i) => `t${i}: String @search(by: [term])`).join("  ");
    await kernel.deploy(`type Boat { id: ID!  ${texts} }`);
    assert.deepEqual(await indexes(), ["_id_", "quern.tokens"]);
    await ask(kernel, `mutation { addBoat(input: [{ t0: "red", t69: "blue" }, { t0: "blue", t69: "red" }]) { numUids } }`);
    assert.deepEqual(await ask(kernel, `{ queryBoat(filter: { t69: { anyofterms: "red" } }) { t0 } }`), { queryBoat: [{ t0: "blue" }] });
  });

  it("is refused with a list of what uses the indexes: keys, links and indexes made by hand", async () => {
    const { kernel, index } = await site();
    await kernel.deploy(fleet(1));
    await index("mine");
    const more = `name: String! @id @search(by: [term])  owner: Person`;
    const { message } = await refusal(kernel.deploy(`${fleet(60, more)}  type Person { id: ID!  boats: [Boat] @hasInverse(field: owner) }`));
    const listed = "(60 of fields, 1 of terms, 1 of keys, 1 of links, 1 of uids, 1 that Quern did not make)";
    assert.match(message, /^type Boat needs 65 indexes/);
    assert.ok(message.includes(listed), message);
    await kernel.deploy(`${fleet(59, more)}  type Person { id: ID!  boats: [Boat] @hasInverse(field: owner) }`);
  });
});

describe("a deploy", () => {
  it("from 60 indexes to 60 others makes room first, and answers under both", async () => {
    const { kernel, indexes } = await site();
    await kernel.deploy(fleet(60));
    await ask(kernel, "mutation { addBoat(input: [{ f0: 1 }, { f0: 2 }]) { numUids } }");
    await kernel.deploy(fleet(60, "f0: Int", "g"));
    await ask(kernel, "mutation { addBoat(input: [{ f0: 3, g59: 9 }]) { numUids } }");
    assert.deepEqual(await ask(kernel, "{ queryBoat(filter: { g59: { eq: 9 } }) { f0 g59 } }"), { queryBoat: [{ f0: 3, g59: 9 }] });
    const names = await indexes();
    assert.deepEqual(
      names.filter((name) => name.startsWith("quern.f")),
      [],
    );
    assert.ok(names.length <= 64);
    assert.deepEqual((await kernel.storage.verify()).faults, []);
  });
});
