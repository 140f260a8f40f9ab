// Large transactions: what ends one is named, and a small one beside it waits for it.

import { MongoClient, MongoServerError } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { endedByServer } from "../../../adapters/mongodb/connection/store-error.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { startReplicaSet, startsMongods } from "../../support/mongod.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

describe("a transaction that MongoDB ends", () => {
  it.runIf(startsMongods)("because its cache is too small for the changes is refused with that reason, and nothing is written", async () => {
    const set = await startReplicaSet();
    const client = await new MongoClient(set.uri).connect();
    const kernel = createKernel({
      storage: mongodbStorage({ uri: set.uri, database: "boats", ...layoutOfRun }),
      plugins: [identityPlugin()],
      log: { level: "silent" },
    });
    onTestFinished(async () => {
      await kernel.close();
      await client.close();
      await set.stop();
    });
    await kernel.open();
    await kernel.deploy("type Boat { id: ID! name: String! text: String }");
    await client.db("admin").command({ setParameter: 1, wiredTigerEngineRuntimeConfig: "cache_size=4M" });
    const input = Array.from({ length: 4_000 }, (_, i) => ({ name: `boat ${i}`, text: `${i} `.repeat(1_000) }));
    const query = "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }";
    const { body } = await kernel.execute({ query, variables: { input } });
    expect(JSON.parse(body).errors[0].message).toContain("do not fit into the cache of MongoDB, which ended it");
    await client.db("admin").command({ setParameter: 1, wiredTigerEngineRuntimeConfig: "cache_size=512M" });
    expect(JSON.parse((await kernel.execute({ query: "{ aggregateBoat { count } }" })).body).data).toEqual({ aggregateBoat: { count: 0 } });
  });

  it.each([
    ["its cache", { code: 112, message: "WriteConflict: oldest pinned transaction ID rolled back for eviction" }, "cache"],
    ["the transaction's life", { code: 251, message: "Transaction 1 has been aborted." }, "transactionLifetimeLimitSeconds"],
  ])("is refused with the reason when that is %s", (_, said, reason) => {
    expect(endedByServer(new MongoServerError(said))).toMatchObject({ code: "TOO_LARGE", message: expect.stringContaining(reason) });
  });

  it("for another writer has no such reason", () => {
    expect(endedByServer(new MongoServerError({ code: 112, message: "Write conflict during plan execution" }))).toBeUndefined();
  });
});

describe("a small transaction beside one that holds what it needs", () => {
  it("is committed after it, also when that takes seconds", async () => {
    const place = await mongodbPlace();
    const [bulk, small] = [place.storage(), place.storage()];
    onTestFinished(async () => {
      await bulk.close();
      await small.close();
      await place.remove();
    });
    await bulk.open();
    await small.open();
    const { version } = await bulk.migrate(library, "library");
    await small.migrate(library, "library");
    const { result: uid, token } = await bulk.transact(
      async (transaction) => {
        const [made = 0] = await transaction.uids(1);
        await transaction.write([{ kind: "create", uid: made, type: "Post", fields: { "Post.rank": 0 } }]);
        return made;
      },
      { version },
    );
    const raise = { kind: "set", uid, type: "Post" } as const;
    let holds = (): void => {};
    const held = new Promise<void>((resolve) => {
      holds = resolve;
    });
    const long = bulk.transact(
      async (transaction) => {
        await transaction.write([{ ...raise, fields: { "Post.rank": 1 } }]);
        holds();
        for (const until = performance.now() + 10_000; performance.now() < until; ) {
          await transaction.load({ uids: [uid], types: ["Post"], fields: [] });
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      },
      { version, after: token },
    );
    await held;
    const after = await small.transact((transaction) => transaction.write([{ ...raise, fields: { "Post.rank": 2 } }]), { version });
    await long;
    const snapshot = small.snapshot({ version, after: after.token });
    expect((await snapshot.load({ uids: [uid], types: ["Post"], fields: ["Post.rank"] })).columns).toEqual([[2]]);
    snapshot.close();
  });
});
