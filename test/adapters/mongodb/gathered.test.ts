// Documents of many cursors are decoded in turns: those that come together from the database do not hold the event loop together.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import type { Cursor } from "../../../adapters/mongodb/session/cursor.ts";
import { gathered } from "../../../adapters/mongodb/session/gathered.ts";
import { RawCursor } from "../../../adapters/mongodb/session/raw-cursor.ts";
import { defaultLimits } from "../../../core/ground/limits.ts";
import { RequestBudget } from "../../../core/request/budget/budget.ts";
import { LongWork } from "../../../core/request/budget/long-work.ts";
import type { Budget } from "../../../core/storage.ts";

const documents = 6_000;
const batchSize = 5_000;

let client: MongoClient;
let collection: Collection<Document & { _id: number }>;
beforeAll(async () => {
  client = await MongoClient.connect(inject("mongodbUri"));
  collection = client.db(`quern_test_${randomUUID()}`).collection("mills");
  await collection.insertMany(Array.from({ length: documents }, (_, _id) => ({ _id, name: `mill ${_id}` })));
});
afterAll(async () => {
  await client.db(collection.dbName).dropDatabase();
  await client.close();
});

/** Counts the turns; the one with this number ends the work. */
function counting(last = Number.POSITIVE_INFINITY): Budget & { turns: number } {
  return {
    touched: 0,
    deadline: Number.POSITIVE_INFINITY,
    turns: 0,
    spend() {},
    async turn() {
      if (++this.turns === last) throw new Error("the time is over");
    },
  };
}

const find = (options: { readonly batchSize: number; readonly below?: number }) => {
  const { batchSize, below = documents } = options;
  return collection.find({ _id: { $lt: below } }, { batchSize, sort: { _id: 1 }, raw: true });
};
const all = () => new RawCursor(find({ batchSize }));

/** A cursor that is among `long` from its second batch on until it is closed. */
class Watched implements Cursor {
  readonly #cursor: RawCursor;
  readonly #long: Set<Watched>;
  #batches = 0;

  constructor(cursor: ReturnType<typeof find>, long: Set<Watched>) {
    this.#cursor = new RawCursor(cursor);
    this.#long = long;
  }

  get id() {
    return this.#cursor.id;
  }

  hasNext() {
    if (++this.#batches > 1) this.#long.add(this);
    return this.#cursor.hasNext();
  }

  readBufferedDocuments(most?: number) {
    return this.#cursor.readBufferedDocuments(most);
  }

  async close() {
    this.#long.delete(this);
    await this.#cursor.close();
  }
}

describe("documents of a cursor", () => {
  it("are all there, in order", async () => {
    const found = await gathered(all, counting());
    assert.deepEqual(
      found.map(({ _id }) => _id),
      Array.from({ length: documents }, (_, i) => i),
    );
  });

  it("wait for a turn after the first ones, and for one with each further batch", async () => {
    const budget = counting();
    await gathered(all, budget);
    assert.ok(budget.turns >= 2, `${budget.turns} turns`);
  });

  it("wait for none when they are few", async () => {
    const budget = counting();
    assert.equal((await gathered(() => new RawCursor(find({ batchSize, below: 200 })), budget)).length, 200);
    assert.equal(budget.turns, 0);
  });

  it("are read no further when a turn says that the time is over, and the cursor is closed", async () => {
    const cursor = find({ batchSize });
    await assert.rejects(
      gathered(() => new RawCursor(cursor), counting(1)),
      /the time is over/,
    );
    assert.ok(cursor.killed);
  });
});

describe("documents of many requests at once", () => {
  const batch = 500;
  const maxKeptBytes = 40_000;

  it("are dropped while all keep too much, and read again when few work for long", async () => {
    const longWork = new LongWork({ maxRunning: 2, maxWaiting: 100, maxUnsentBytes: 1, maxKeptBytes });
    let opened = 0;
    let mostKept = 0;
    const read = async () => {
      const budget = new RequestBudget({ limits: { ...defaultLimits, maxTimeMs: 600_000 }, longWork });
      const open = () => {
        opened++;
        mostKept = Math.max(mostKept, longWork.keptBytes);
        return new RawCursor(find({ batchSize: batch }));
      };
      const found = await gathered(open, budget);
      budget.close();
      return found.map(({ _id }) => _id);
    };
    const answers = await Promise.all(Array.from({ length: 30 }, read));
    for (const each of answers)
      assert.deepEqual(
        each,
        Array.from({ length: documents }, (_, i) => i),
      );
    assert.ok(opened > 30, `${opened} cursors`);
    const bytesOfAll = documents * 40;
    assert.ok(mostKept < bytesOfAll, `${mostKept} bytes kept at once`);
    assert.deepEqual([longWork.keptBytes, longWork.running, longWork.waiting], [0, 0, 0]);
  });

  it("are not dropped while there is room for another long request", async () => {
    const longWork = new LongWork({ maxRunning: 2, maxWaiting: 100, maxUnsentBytes: 1, maxKeptBytes: 1 });
    let opened = 0;
    const budget = new RequestBudget({ limits: defaultLimits, longWork });
    const open = () => {
      opened++;
      return new RawCursor(find({ batchSize: batch }));
    };
    assert.equal((await gathered(open, budget)).length, documents);
    assert.deepEqual([opened, longWork.keptBytes, longWork.running], [1, 0, 1]);
    budget.close();
  });

  it("count no more when reading them fails", async () => {
    let kept = 0;
    const keep = (bytes: number) => {
      kept += bytes;
      return false;
    };
    await assert.rejects(gathered(all, Object.assign(counting(1), { keep })), /the time is over/);
    assert.equal(kept, 0);
  });
});

describe("cursors of one request that have several batches", () => {
  /** Gathers the documents of `count` cursors side by side. */
  async function together(count: number, budgetOf: (i: number) => Budget) {
    const long = new Set<Watched>();
    let most = 0;
    const found = await Promise.allSettled(
      Array.from({ length: count }, (_, i) => {
        const turn = async () => {
          most = Math.max(most, long.size);
        };
        return gathered(() => new Watched(find({ batchSize: 500 }), long), Object.assign(budgetOf(i), { turn }));
      }),
    );
    return { most, found };
  }

  it("go on two at a time", async () => {
    const shared = counting();
    const { most, found } = await together(6, () => shared);
    assert.equal(most, 2);
    for (const each of found) assert.ok(each.status === "fulfilled" && each.value.length === documents);
  });

  it("wait for those of no other request", async () => {
    const { most } = await together(6, () => counting());
    assert.ok(most > 2, `${most} at once`);
  });

  it("all end when the time is over", async () => {
    const budget = counting();
    let spent = 0;
    const { found } = await together(6, () =>
      Object.assign(budget, {
        spend() {
          if (++spent > 2) throw new Error("the time is over");
        },
      }),
    );
    assert.deepEqual(found.map(({ status }) => status).sort(), [...Array(2).fill("fulfilled"), ...Array(4).fill("rejected")]);
  });

  it("do not make those of a single batch wait", async () => {
    const budget = counting();
    const long = Array.from({ length: 3 }, () => gathered(() => new RawCursor(find({ batchSize: 500 })), budget));
    let ended = 0;
    for (const each of long) void each.then(() => ended++);
    assert.equal((await gathered(() => new RawCursor(find({ batchSize: 500, below: 300 })), budget)).length, 300);
    assert.ok(ended < 3);
    await Promise.all(long);
  });
});
