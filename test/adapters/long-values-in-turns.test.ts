// Tokens of a long value are drawn in many turns of the event loop, whatever is done with the value, and each is drawn.

import { expect, it, onTestFinished } from "vitest";
import type { Change, Layout, Storage } from "../../core/storage.ts";
import { newStorage } from "../support/storage.ts";

/** Counts the turns in which tokens are drawn. */
class TurnCounter {
  #turn = 0;
  #isOver = false;
  readonly #turns = new Set<number>();

  constructor() {
    const next = () => {
      this.#turn++;
      if (!this.#isOver) setImmediate(next);
    };
    setImmediate(next);
  }

  draw(): void {
    this.#turns.add(this.#turn);
  }

  end(): void {
    this.#isOver = true;
  }

  /** The number of turns since the last call. */
  take(): number {
    const { size } = this.#turns;
    this.#turns.clear();
    return size;
  }
}

const count = 60_000;
/** So many take a millisecond at least, also on a fast machine: all of them more than ten turns. */
const perMillisecond = 1_000;
const enoughTurns = 5;
const text = Array.from({ length: count }, (_, i) => `t${i}`).join(" ");

function layoutOf(counter: TurnCounter, ...indexes: readonly string[]): Layout {
  const tokens = function* (value: unknown) {
    for (const [i, token] of String(value).split(" ").entries()) {
      counter.draw();
      if (i % perMillisecond === 0) takeMillisecond();
      yield token;
    }
  };
  return {
    types: [{ name: "Mill", fields: ["Mill.about"] }],
    fields: [{ name: "Mill.about", kind: "string", list: false }],
    edges: [],
    indexes: indexes.map((name) => ({ name, field: "Mill.about", by: "tokens", id: `${name}@1`, tokens })),
    keys: [],
  };
}

function takeMillisecond(): void {
  for (const begun = performance.now(); performance.now() - begun < 1; );
}

async function opened(): Promise<{ readonly storage: Storage; readonly counter: TurnCounter }> {
  const counter = new TurnCounter();
  const storage = await newStorage();
  await storage.open();
  onTestFinished(async () => {
    counter.end();
    await storage.close();
  });
  return { storage, counter };
}

async function found(storage: Storage, version: number, tokens: readonly string[], index = "words"): Promise<readonly number[]> {
  const snapshot = storage.snapshot({ version });
  try {
    const where = { kind: "lookup", index, match: "all", tokens } as const;
    return (await snapshot.find({ types: ["Mill"], where, fields: [] })).uids;
  } finally {
    snapshot.close();
  }
}

it("draws the tokens of a value that is added, replaced or removed in many turns", async () => {
  const { storage, counter } = await opened();
  const { version } = await storage.migrate(layoutOf(counter, "words"), "");
  const write = (...changes: readonly Change[]) => storage.transact(async (transaction) => void (await transaction.write(changes)), { version });
  const uid = (await storage.transact((transaction) => transaction.uids(1), { version })).result[0] ?? 0;

  await write({ kind: "create", uid, type: "Mill", fields: { "Mill.about": text } });
  expect(counter.take()).toBeGreaterThan(enoughTurns);
  expect(await found(storage, version, ["t0", `t${count - 1}`])).toEqual([uid]);

  await write({ kind: "set", uid, type: "Mill", fields: { "Mill.about": `${text} more` } });
  expect(counter.take()).toBeGreaterThan(enoughTurns);
  expect(await found(storage, version, ["t0", "more"])).toEqual([uid]);

  await write({ kind: "remove", uid, type: "Mill" });
  expect(counter.take()).toBeGreaterThan(enoughTurns);
  expect(await found(storage, version, ["t0"])).toEqual([]);
}, 120_000);

it("draws the tokens of a stored value in many turns while an index is built and while the store is verified", async () => {
  const { storage, counter } = await opened();
  const before = await storage.migrate(layoutOf(counter), "");
  const { result: uid } = await storage.transact(
    async (transaction) => {
      const [own = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid: own, type: "Mill", fields: { "Mill.about": text } }]);
      return own;
    },
    { version: before.version },
  );
  counter.take();
  const { version } = await storage.migrate(layoutOf(counter, "words"), "indexed");
  expect(counter.take()).toBeGreaterThan(enoughTurns);
  expect(await found(storage, version, ["t0", `t${count - 1}`])).toEqual([uid]);

  const report = await storage.verify();
  expect(counter.take()).toBeGreaterThan(enoughTurns);
  expect(report.faults).toEqual([]);
}, 120_000);

it("finds nodes by more tokens than it opens at once", async () => {
  const { storage, counter } = await opened();
  const { version } = await storage.migrate(layoutOf(counter, "words"), "");
  const tokens = Array.from({ length: 200 }, (_, i) => `t${i}`);
  const texts = [tokens.join(" "), tokens.slice(1).join(" "), "t199", "other"];
  const { result: uids } = await storage.transact(
    async (transaction) => {
      const own = await transaction.uids(texts.length);
      await transaction.write(own.map((uid, i) => ({ kind: "create", uid, type: "Mill", fields: { "Mill.about": texts[i] ?? "" } })));
      return own;
    },
    { version },
  );
  expect(await found(storage, version, tokens)).toEqual(uids.slice(0, 1));
  expect(await found(storage, version, tokens.slice(1))).toEqual(uids.slice(0, 2));
  expect(await found(storage, version, [...tokens, "nowhere"])).toEqual([]);
  const snapshot = storage.snapshot({ version });
  const any = { kind: "lookup", index: "words", match: "any", tokens } as const;
  const other = { kind: "lookup", index: "words", match: "any", tokens: ["other"] } as const;
  expect((await snapshot.find({ types: ["Mill"], where: any, fields: [] })).uids).toEqual(uids.slice(0, 3));
  expect((await snapshot.find({ types: ["Mill"], where: { kind: "and", of: [any, { kind: "not", of: other }] }, fields: [] })).uids).toEqual(
    uids.slice(0, 3),
  );
  snapshot.close();
});
