// What breaks while servers run: a commit's answer, a session, a cursor, the change stream, the place to resume from. Each on a replica
// set of one that the spec may treat as it likes.

import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, it, onTestFinished } from "vitest";
import { type MongodbStorageOptions, mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type LogEntry } from "../../../core/index.ts";
import type { ChangeRecord, Gap, Test, Transaction } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { boats, byValue, field } from "../../conformance/storage/layouts.ts";
import { MongoProxy, type Rule } from "../../support/mongo-proxy.ts";
import { type ReplicaSet, startReplicaSet, startsMongods } from "../../support/mongod.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { eventually } from "./eventually.ts";

const layout = boats({
  fields: [field("Boat.number", "int"), field("Boat.name", "string")],
  indexes: [byValue("Boat.number", { ordered: true })],
  keys: ["Boat.number"],
});

let set: ReplicaSet;
let admin: MongoClient;

beforeAll(async () => {
  if (!startsMongods) return;
  set = await startReplicaSet({ oplogMb: 30, args: ["--setParameter", "enableTestCommands=1", "--syncdelay", "1"] });
  admin = await new MongoClient(set.uri).connect();
});

afterAll(async () => {
  await admin?.close();
  await set?.stop();
});

interface Open {
  readonly storage: Storage;
  readonly version: number;
  readonly proxy: MongoProxy;
  readonly database: string;
}

/** A storage behind a proxy of its own, with boats deployed. */
async function opened(options: Partial<MongodbStorageOptions> = {}): Promise<Open> {
  const proxy = await MongoProxy.start(set.uri);
  const database = options.database ?? `recovery_${randomUUID()}`;
  const storage = mongodbStorage({ uri: proxy.uri, connectTimeoutMs: 3_000, ...layoutOfRun, ...options, database });
  onTestFinished(async () => {
    proxy.rule = undefined;
    await storage.close();
    await proxy.stop();
  });
  await storage.open();
  const { version } = await storage.migrate(layout, "boats");
  return { storage, version, proxy, database };
}

async function addBoat(transaction: Transaction, number: number): Promise<void> {
  const [uid = 0] = await transaction.uids(1);
  await transaction.write([{ kind: "create", uid, type: "Boat", fields: { "Boat.number": number } }]);
}

const add = ({ storage, version }: Open, number: number) => storage.transact((transaction) => addBoat(transaction, number), { version });

async function numbers({ storage, version }: Open): Promise<readonly unknown[]> {
  const snapshot = storage.snapshot({ version });
  const { columns } = await snapshot.find({ types: ["Boat"], order: [{ field: "Boat.number", direction: "asc" }], fields: ["Boat.number"] });
  snapshot.close();
  return columns[0] ?? [];
}

/** What lies in the database, whatever the storage thinks of it. */
const stored = ({ database }: Open) => admin.db(database).collection("Boat").countDocuments();

async function failing(command: string, answer: Document, mode: Document | string = { times: 1 }): Promise<void> {
  onTestFinished(() => void admin.db("admin").command({ configureFailPoint: "failCommand", mode: "off" }));
  await admin.db("admin").command({ configureFailPoint: "failCommand", mode, data: { failCommands: [command], ...answer } });
}

/** Lets the rule take the first command of that name, and about this, only: a server asks for its catalog now and then. */
function firstOf(command: string, fate: "cut" | "lose", about = ""): Rule {
  let met = false;
  return (each, message) => {
    if (met || each !== command || !message.includes(about)) return "pass";
    met = true;
    return fate;
  };
}

describe.skipIf(!startsMongods)("a commit", () => {
  it("whose answer is lost is found to be committed, and is not repeated", async () => {
    const open = await opened();
    open.proxy.rule = firstOf("commitTransaction", "lose");
    const { token } = await add(open, 1);
    assert.deepEqual(open.proxy.caught, ["commitTransaction"]);
    assert.deepEqual([await numbers(open), await stored(open)], [[1], 1]);
    assert.ok(token <= open.storage.latest());
  });

  it("that never arrived is sent again", async () => {
    const open = await opened();
    open.proxy.rule = firstOf("commitTransaction", "cut");
    await add(open, 1);
    assert.deepEqual([await numbers(open), await stored(open)], [[1], 1]);
  });

  it("that never arrived, of a transaction that the database then aborted, is run again from the start", async () => {
    const open = await opened();
    open.proxy.rule = (command) => (command === "commitTransaction" ? "wait" : "pass");
    let runs = 0;
    const adding = open.storage.transact(
      (transaction) => {
        runs++;
        return addBoat(transaction, 1);
      },
      { version: open.version },
    );
    await eventually(() => open.proxy.caught.length > 0);
    await admin.db("admin").command({ killAllSessions: [] });
    open.proxy.rule = undefined;
    await adding;
    assert.deepEqual([runs, await numbers(open), await stored(open)], [2, [1], 1]);
  });

  it("that the database interrupts is retried", async () => {
    const open = await opened();
    await failing("commitTransaction", { errorCode: 11_601 });
    await add(open, 1);
    assert.deepEqual([await numbers(open), await stored(open)], [[1], 1]);
  });

  it("that reached no majority in time is waited for", async () => {
    const open = await opened();
    await failing("commitTransaction", {
      writeConcernError: { code: 64, codeName: "WriteConcernFailed", errmsg: "waiting for replication timed out" },
    });
    await add(open, 1);
    assert.deepEqual([await numbers(open), await stored(open)], [[1], 1]);
  });

  it("that the database stops for its time is known not to be committed, and is called no read", async () => {
    const open = await opened({ connectTimeoutMs: 200 });
    await failing("commitTransaction", { errorCode: 50 }, "alwaysOn");
    await assert.rejects(add(open, 1), { code: "STORE_UNAVAILABLE", message: "MongoDB did not finish the commit in time; nothing is stored" });
    await admin.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
    assert.deepEqual([await numbers(open), await stored(open)], [[], 0]);
  });

  it("that the database refuses is known not to be committed, and none of its data appear later", async () => {
    const open = await opened();
    await failing("commitTransaction", { errorCode: 14_031 }, "alwaysOn");
    await assert.rejects(add(open, 1), { code: "STORE_UNAVAILABLE", message: /^MongoDB refused an operation: error \d+$/ });
    await admin.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
    assert.deepEqual([await numbers(open), await stored(open)], [[], 0]);
    await add(open, 1);
    assert.deepEqual(await numbers(open), [1]);
  });

  it("whose answer is lost and whose retry is refused is found to be committed", async () => {
    const open = await opened();
    await failing("commitTransaction", { errorCode: 14_031 }, { skip: 1 });
    open.proxy.rule = firstOf("commitTransaction", "lose");
    const { token } = await add(open, 1);
    await admin.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
    assert.deepEqual([await numbers(open), await stored(open)], [[1], 1]);
    assert.ok(token <= open.storage.latest());
  });

  it("that no server answers for long is OUTCOME_UNKNOWN and applied once at most; writes go on when a server answers", async () => {
    for (const [fate, there] of [
      ["lose", [1]],
      ["cut", []],
    ] as const) {
      const open = await opened();
      let lost = false;
      open.proxy.rule = (command) => {
        if (!lost && command !== "commitTransaction") return "pass";
        if (lost) return "cut";
        lost = true;
        return fate;
      };
      await assert.rejects(add(open, 1), {
        code: "OUTCOME_UNKNOWN",
        message: /^the connection to MongoDB broke while committing/,
        hint: "Look before trying again.",
      });
      open.proxy.rule = undefined;
      // What was left open in the database is in the way of nobody for long.
      await eventually(
        async () =>
          await add(open, 2).then(
            () => true,
            () => false,
          ),
      );
      assert.deepEqual([await numbers(open), await stored(open)], [[...there, 2], there.length + 1]);
    }
  });
});

describe.skipIf(!startsMongods)("a transaction", () => {
  it("whose session is killed runs again", async () => {
    const open = await opened();
    let runs = 0;
    await open.storage.transact(
      async (transaction) => {
        await transaction.find({ types: ["Boat"], fields: [] });
        if (runs++ === 0) await admin.db("admin").command({ killAllSessions: [] });
        await addBoat(transaction, 1);
      },
      { version: open.version },
    );
    assert.deepEqual([runs, await numbers(open)], [2, [1]]);
  });

  /** One whose server wrote the boat, and then sends no command, or a command a second until `beats` are sent. */
  async function otherServer({ database }: Open, beats: number): Promise<{ readonly done: Promise<unknown> }> {
    const client = await new MongoClient(set.uri, { appName: "quern" }).connect();
    const session = client.startSession();
    onTestFinished(async () => {
      await session.endSession();
      await client.close();
    });
    const boat = client.db(database).collection("Boat");
    session.startTransaction();
    await boat.updateOne({}, { $set: { other: 0 } }, { session });
    const work = async () => {
      for (let beat = 1; beat <= beats; beat++) {
        await setTimeout(1_000);
        await boat.updateOne({}, { $set: { other: beat } }, { session });
      }
      await session.commitTransaction();
    };
    return { done: beats === 0 ? Promise.resolve() : work() };
  }

  /** Gives up after thirty seconds, in which MongoDB itself ends no transaction. */
  async function renameBoat({ storage, version }: Open, name: string): Promise<void> {
    await storage.transact(
      async (transaction) => {
        const { uids } = await transaction.find({ types: ["Boat"], fields: [] });
        await transaction.write(uids.map((uid) => ({ kind: "set", uid, type: "Boat", fields: { "Boat.name": name } })));
      },
      { version },
    );
  }

  it("of a server that died in the middle is ended for the others", async () => {
    const open = await opened();
    await add(open, 1);
    await otherServer(open, 0);
    await renameBoat(open, "renamed");
    assert.deepEqual(await admin.db(open.database).collection("Boat").distinct("name"), ["renamed"]);
  });

  it("of a server that goes on is waited for", async () => {
    const open = await opened();
    await add(open, 1);
    const { done } = await otherServer(open, 15);
    await Promise.all([done, renameBoat(open, "renamed")]);
    const [boat] = await admin.db(open.database).collection("Boat").find().toArray();
    assert.deepEqual([boat?.name, boat?.other], ["renamed", 15]);
  });

  it("that is interrupted in a read or a write runs again", async () => {
    const open = await opened();
    for (const [i, command] of ["find", "insert"].entries()) {
      let runs = 0;
      await open.storage.transact(
        async (transaction) => {
          if (runs++ === 0) await failing(command, { errorCode: 11_601, namespace: `${open.database}.Boat` });
          await transaction.find({ types: ["Boat"], fields: [] });
          await addBoat(transaction, i);
        },
        { version: open.version },
      );
      assert.equal(runs, 2);
    }
    assert.deepEqual(await numbers(open), [0, 1]);
  });

  it("whose connection breaks runs again, and does not conflict with its own keys", async () => {
    const open = await opened();
    for (const [i, [command, fate]] of (
      [
        ["insert", "lose"],
        ["insert", "cut"],
        ["find", "lose"],
      ] as const
    ).entries()) {
      open.proxy.rule = firstOf(command, fate, "Boat\0");
      await open.storage.transact(
        async (transaction) => {
          await transaction.find({ types: ["Boat"], fields: [] });
          await addBoat(transaction, i);
        },
        { version: open.version },
      );
    }
    assert.deepEqual([await numbers(open), await stored(open)], [[0, 1, 2], 3]);
  });

  it("that no server answers is refused in time and stored nowhere, and the next one succeeds", async () => {
    const open = await opened();
    open.proxy.rule = () => "cut";
    await assert.rejects(add(open, 1), {
      code: "STORE_UNAVAILABLE",
      message: /^(no MongoDB answers|MongoDB has no primary at the moment|the connection to MongoDB broke)$/,
    });
    await assert.rejects(numbers(open), { code: "STORE_UNAVAILABLE" });
    open.proxy.rule = undefined;
    await eventually(
      async () =>
        await add(open, 2).then(
          () => true,
          () => false,
        ),
    );
    assert.deepEqual([await numbers(open), await stored(open)], [[2], 1]);
  });
});

it.skipIf(!startsMongods)("a server stops at once while nobody answers, and starts again when somebody does", async () => {
  const open = await opened({ connectTimeoutMs: 60_000 });
  await add(open, 1);
  open.proxy.rule = () => "cut";
  open.proxy.cut();
  const begun = performance.now();
  await open.storage.close();
  assert.ok(performance.now() - begun < 40_000);
  await assert.rejects(add(open, 2), { code: "STORE_CLOSED" });
  open.proxy.rule = undefined;
  await open.storage.open();
  await open.storage.migrate(layout, "boats");
  assert.deepEqual(await numbers(open), [1]);
});

/** Kills the cursors of a database that `which` picks by the command they came from. */
async function killCursors(database: string, which: (command: Document) => boolean): Promise<number> {
  const found = await admin
    .db("admin")
    // One id of a cursor in a thousand fits a number, which would be sent back as a double.
    .aggregate([{ $currentOp: { allUsers: true, idleCursors: true } }], { promoteLongs: false })
    .toArray();
  let killed = 0;
  for (const { cursor, ns, command } of found) {
    if (cursor === undefined || !String(ns).startsWith(`${database}.`)) continue;
    if (!which(cursor.originatingCommand ?? command)) continue;
    const collection = String(ns).slice(database.length + 1);
    await admin.db(database).command({ killCursors: collection, cursors: [cursor.cursorId] });
    killed++;
  }
  return killed;
}

const isChangeStream = ({ pipeline }: Document) => pipeline?.[0]?.$changeStream !== undefined;

describe.skipIf(!startsMongods)("a long read", () => {
  const many = 12_000;

  async function withMany(): Promise<Open> {
    const open = await opened();
    const docs = Array.from({ length: many }, (_, i) => ({ _id: i + 1_000_000, number: i, name: i % 2 ? "Odd" : "Even" }));
    await admin.db(open.database).collection<{ _id: number }>("Boat").insertMany(docs);
    await add(open, many);
    return open;
  }

  /** Kills the cursor before the read asks it for more. */
  async function killing<T>(open: Open, read: () => Promise<T>): Promise<T> {
    open.proxy.rule = (command, message) => (command === "getMore" && message.includes("Boat") ? "wait" : "pass");
    const [result] = await Promise.all([read(), killWhenCaught(open)]);
    return result;
  }

  async function killWhenCaught({ proxy, database }: Open): Promise<void> {
    await eventually(() => proxy.caught.length > 0);
    assert.equal(await killCursors(database, (command) => !isChangeStream(command)), 1);
    proxy.rule = undefined;
  }

  it("whose cursor is killed returns each node once", async () => {
    const open = await withMany();
    const read = await killing(open, () => numbers(open));
    assert.deepEqual(
      read,
      Array.from({ length: many + 1 }, (_, i) => i),
    );
  });

  it("that decides node by node and loses its cursor between two batches returns each node once", async () => {
    const open = await withMany();
    const test: Test = { id: "odd 1", holds: ([value]) => value === "Odd" };
    const isOdd = { kind: "check" as const, field: "Boat.name", test };
    const read = await killing(open, async () => {
      const snapshot = open.storage.snapshot({ version: open.version });
      const { columns } = await snapshot.find({ types: ["Boat"], where: isOdd, fields: ["Boat.number"] });
      snapshot.close();
      return columns[0] ?? [];
    });
    assert.deepEqual(
      read,
      Array.from({ length: many / 2 }, (_, i) => 2 * i + 1),
    );
  });

  it("that is interrupted is retried once: a second interruption ends it", async () => {
    const open = await opened();
    await add(open, 1);
    await failing("aggregate", { errorCode: 11_601, namespace: `${open.database}.Boat` });
    assert.deepEqual(await numbers(open), [1]);
    await failing("aggregate", { errorCode: 11_601, namespace: `${open.database}.Boat` }, { times: 2 });
    await assert.rejects(numbers(open), { code: "STORE_UNAVAILABLE", message: /^MongoDB refused an operation: error \d+$/ });
    assert.deepEqual(await numbers(open), [1]);
  });

  it("in a transaction that loses its cursor makes the transaction run again", async () => {
    const open = await withMany();
    let runs = 0;
    await killing(open, async () => {
      await open.storage.transact(
        async (transaction) => {
          runs++;
          const { uids } = await transaction.find({ types: ["Boat"], fields: [] });
          assert.equal(uids.length, many + 1);
          await addBoat(transaction, many + 1);
        },
        { version: open.version },
      );
    });
    assert.equal(runs, 2);
  });
});

describe.skipIf(!startsMongods)("the change stream", () => {
  function listen({ storage }: Open): readonly (ChangeRecord | Gap)[] {
    const heard: (ChangeRecord | Gap)[] = [];
    storage.changes((event) => heard.push(event));
    return heard;
  }

  it("whose cursor is killed and whose connection breaks again and again goes on without loss and in order", async () => {
    const one = await opened();
    const other = await opened({ database: one.database });
    const heard = [one, other].map(listen);
    const tokens: string[] = [];
    let killed = 0;
    for (let i = 0; i < 120; i++) {
      tokens.push((await add(one, i)).token);
      if (i % 10 === 4) await eventually(async () => (await killCursors(one.database, isChangeStream)) > 0 && ++killed > 0);
      if (i % 30 === 9) other.proxy.cut();
    }
    await eventually(() => heard.every((events) => events.length >= tokens.length));
    assert.equal(killed, 12);
    for (const events of heard)
      assert.deepEqual(
        events.map(({ kind, token }) => [kind, token]),
        tokens.map((token) => ["detailed", token]),
      );
  });

  it("that was disconnected delivers the commits of that time", async () => {
    const one = await opened();
    const other = await opened({ database: one.database });
    const heard = listen(other);
    await add(one, 0);
    await eventually(() => heard.length === 1);
    other.proxy.rule = () => "cut";
    other.proxy.cut();
    for (let i = 1; i <= 20; i++) await add(one, i);
    assert.equal(heard.length, 1);
    other.proxy.rule = undefined;
    await eventually(() => heard.length === 21);
    assert.ok(heard.every(({ kind }) => kind === "detailed"));
  });

  it("that cannot be resumed reports a gap and starts again", async () => {
    const open = await opened();
    const heard = listen(open);
    await add(open, 0);
    await eventually(() => heard.length === 1);
    await admin.db(open.database).collection("quern.changes").drop();
    await add(open, 1);
    await eventually(() => heard.length >= 2);
    const { token } = await add(open, 2);
    await eventually(() => heard.at(-1)?.token === token);
    assert.deepEqual([heard[0]?.kind, heard.some(({ kind }) => kind === "gap"), heard.at(-1)?.kind], ["detailed", true, "detailed"]);
  });

  it("whose resume token has expired reports a gap, and live queries read again", async () => {
    const proxy = await MongoProxy.start(set.uri);
    const database = `recovery_${randomUUID()}`;
    const warnings: LogEntry[] = [];
    const [one, other] = [set.uri, proxy.uri].map((uri) =>
      createKernel({
        storage: mongodbStorage({ uri, database, connectTimeoutMs: 3_000, ...layoutOfRun }),
        plugins: [subscriptionPlugin()],
        log: { level: "warn", to: { write: (entry) => void warnings.push(entry) } },
      }),
    );
    assert.ok(one && other);
    onTestFinished(async () => {
      proxy.rule = undefined;
      await Promise.all([one.close(), other.close()]);
      await proxy.stop();
    });
    await one.open();
    await one.deploy("type Tram @withSubscription { code: String! }");
    await other.open();
    const addTram = (code: string) => one.execute({ query: `mutation { addTram(input: [{ code: "${code}" }]) { numUids } }` });
    const seen: unknown[] = [];
    const subscription = other.subscribe(
      { query: "subscription { queryTram { code } }" },
      { ready: () => true, next: (body) => seen.push(JSON.parse(body).data), end: (why) => seen.push(why) },
    );
    onTestFinished(() => subscription.stop());
    const events: (ChangeRecord | Gap)[] = [];
    other.storage.changes((event) => events.push(event));
    await addTram("T1");
    await eventually(() => isDeepStrictEqual(seen.at(-1), { queryTram: [{ code: "T1" }] }));
    proxy.rule = () => "cut";
    proxy.cut();
    await addTram("T2");
    const { token } = await one.storage.transact(() => undefined, { version: one.deployment?.version ?? 0 });
    await forgetHistory();
    proxy.rule = undefined;
    await eventually(() => isDeepStrictEqual(seen.at(-1), { queryTram: [{ code: "T1" }, { code: "T2" }] }), 30_000);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["detailed", "gap"],
    );
    assert.ok((events.at(-1)?.token ?? "") >= token);
    assert.deepEqual(
      warnings.filter(({ event }) => event !== "slow").map(({ level, event, message }) => [level, event, message]),
      [["warn", "live", "the store lost commit records; all live queries are read again"]],
    );
    await addTram("T3");
    await eventually(() => isDeepStrictEqual(seen.at(-1), { queryTram: [{ code: "T1" }, { code: "T2" }, { code: "T3" }] }));
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["detailed", "gap", "detailed"],
    );
  }, 120_000);
});

/** Writes so much that the database no longer knows what it did before. */
async function forgetHistory(): Promise<void> {
  const oplog = admin.db("local").collection("oplog.rs");
  const oldest = async () => (await oplog.find().sort({ $natural: 1 }).limit(1).toArray())[0]?.ts;
  const [latest] = await oplog.find().sort({ $natural: -1 }).limit(1).toArray();
  const filler = admin.db("filler").collection("filler");
  const bytes = randomBytes(4 << 20);
  await eventually(async () => {
    await filler.insertOne({ bytes });
    return (await oldest())?.greaterThan(latest?.ts) === true;
  });
  await admin.db("filler").dropDatabase();
}
