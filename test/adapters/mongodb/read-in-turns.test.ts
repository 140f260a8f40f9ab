// Work on what MongoDB has found, in turns: rows become columns, links are sorted and joined with their nodes, pages are cut.

import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from "vitest";
import { type Budget, type Snapshot, TurnClock } from "../../../core/storage.ts";
import { deployOn, type TestApi } from "../../query/test-api.ts";
import { newPlace, type Place } from "../../support/storage.ts";

const mills = 1_600;
const stonesOfMill = 3;
/** The most rows between two looks at the clock. */
const askEvery = 32;

/** Counts the turns. */
class Counting implements Budget {
  touched = 0;
  turns = 0;
  readonly deadline = Number.POSITIVE_INFINITY;

  spend(nodes: number): void {
    this.touched += nodes;
  }

  async turn(): Promise<void> {
    this.turns++;
  }
}

let place: Place;
let api: TestApi;
let snapshot: Snapshot;
let uids: readonly number[];
beforeAll(async () => {
  place = await newPlace();
  const storage = place.storage();
  await storage.open();
  api = await deployOn(
    storage,
    `type Mill { n: Int! @id  land: Land  stones: [Stone] @hasInverse(field: mills) }
     type Stone { n: Int! @id  weight: Int @search  mills: [Mill] }
     type Land { code: String! @id  mills: [Mill] @hasInverse(field: land) }`,
    {},
  );
  const stones = Array.from({ length: mills }, (_, n) => [`s${n}`, ["Stone", { n, weight: (n * 7) % 1_000 }]] as const);
  const stonesOf = (n: number) => Array.from({ length: stonesOfMill }, (_, i) => `s${(n * 11 + i) % mills}`);
  const all = Array.from({ length: mills }, (_, n) => [`m${n}`, ["Mill", { n, land: "l", stones: stonesOf(n) }]] as const);
  await api.seed({ l: ["Land", { code: "l" }], ...Object.fromEntries(stones), ...Object.fromEntries(all) });
});
afterAll(async () => {
  await api?.storage.close();
  await place?.remove();
});

let budget: Counting;
beforeEach(async () => {
  const plain = api.storage.snapshot({ version: api.deployment.version });
  uids = (await plain.find({ types: ["Mill"], fields: [] })).uids;
  plain.close();
  budget = new Counting();
  snapshot = api.storage.snapshot({ version: api.deployment.version, budget });
  // Every look finds that the turn is over.
  vi.spyOn(TurnClock.prototype, "isOver", "get").mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  snapshot.close();
});

/** As many turns as rows in the answer allow, over those that decoding took. */
const turnsOf = (rows: number) => rows / askEvery;

describe("work on what was found", () => {
  it("looks at the clock after at most 32 rows when rows become columns", async () => {
    const { columns } = await snapshot.find({ types: ["Mill"], fields: ["Mill.n", "Mill.land"] });
    assert.deepEqual(
      columns[0],
      Array.from({ length: mills }, (_, n) => n),
    );
    // They are taken, and become uids, types and two columns.
    assert.ok(budget.turns >= turnsOf(5 * mills), `${budget.turns} turns`);
  });

  it("looks at the clock as often when links in a collection of their own are joined with their nodes, in order", async () => {
    const { starts, rows, nodes } = await snapshot.follow({
      from: uids,
      end: "Mill.stones",
      order: [{ field: "Stone.weight", direction: "desc" }],
      fields: ["Stone.n"],
    });
    const stonesOf = (m: number) => rows.slice(starts[m], starts[m + 1]).map((row) => nodes.columns[0]?.[row]);
    const expected = (m: number) =>
      Array.from({ length: stonesOfMill }, (_, i) => (m * 11 + i) % mills).sort((a, b) => ((b * 7) % 1_000) - ((a * 7) % 1_000));
    for (const m of [0, 7, mills - 1]) assert.deepEqual(stonesOf(m), expected(m));
    // Links are taken, sorted, looked up and placed.
    assert.ok(budget.turns >= turnsOf(4 * stonesOfMill * mills), `${budget.turns} turns`);
  });

  it("looks at the clock as often when one long list is ordered", async () => {
    const land = (await snapshot.find({ types: ["Land"], fields: [] })).uids;
    const before = budget.turns;
    const order = [{ field: "Mill.n", direction: "desc" } as const];
    const { starts, rows, nodes } = await snapshot.follow({ from: land, end: "Land.mills", order, fields: [] });
    assert.deepEqual(starts, [0, mills]);
    assert.deepEqual(
      rows.map((row) => nodes.uids[row]),
      [...uids].reverse(),
    );
    assert.ok(budget.turns - before >= turnsOf(3 * mills), `${budget.turns - before} turns`);
  });

  it("looks at the clock as often when nodes are loaded by uid", async () => {
    assert.deepEqual((await snapshot.load({ uids, types: ["Mill"], fields: ["Mill.n"] })).uids, uids);
    assert.ok(budget.turns >= turnsOf(4 * mills), `${budget.turns} turns`);
  });

  it("looks at the clock as often when values are added up here, node by node", async () => {
    const over = { from: uids, end: "Mill.stones", where: { kind: "all" } } as const;
    // A count alone is the database's work.
    const measured = await snapshot.aggregate({ over, measures: [{ kind: "count" }, { kind: "max", field: "Stone.weight" }] });
    assert.deepEqual(
      measured.map(([count]) => count),
      Array(mills).fill(stonesOfMill),
    );
    assert.ok(budget.turns >= turnsOf(4 * mills), `${budget.turns} turns`);
  });
});
