// Long work asks its budget all the way: it ends soon after the request's time is over, in whatever loop it is by then.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel, type Kernel, type Limits, QuernError } from "../../../core/index.ts";
import type { Predicate, Snapshot } from "../../../core/plugin.ts";
import type { Budget } from "../../../core/storage.ts";

const mills = 24_000;
const schema = `
  type Mill { name: String! @id  note: String @search(by: [term])  plain: String  stones: Int @search  town: Town }
  type Town { name: String! @id  mills: [Mill] @hasInverse(field: town)  friends: [Town] }`;

let path: string;
let kernel: Kernel;

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "quern-deadlines-"));
  kernel = await open();
  await kernel.deploy(schema);
  const query = "mutation ($in: [AddMillInput!]!) { addMill(input: $in) { numUids } }";
  for (let start = 0; start < mills; start += 4_000) {
    const input = Array.from({ length: 4_000 }, (_, i) => millOf(start + i));
    expect((await kernel.execute({ query, variables: { in: input } })).body).not.toContain("errors");
  }
  const names = Array.from({ length: 60 }, (_, i) => ({ name: `town ${i}` }));
  const towns = names.map(({ name }) => ({ name, friends: names }));
  await kernel.execute({ query: "mutation ($in: [AddTownInput!]!) { addTown(input: $in) { numUids } }", variables: { in: towns } });
}, 120_000);

afterAll(async () => {
  await kernel.close();
  await rm(path, { recursive: true });
});

/** Values that lie in no order. */
function millOf(i: number) {
  const scattered = (i * 7_919) % mills;
  return { name: `mill ${i}`, note: `note of mill ${i}`, plain: `plain ${scattered}`, stones: scattered, town: { name: "Kent" } };
}

async function open(limits: Partial<Limits> = {}): Promise<Kernel> {
  const opened = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), limits, log: { level: "silent" } });
  await opened.open();
  return opened;
}

/** Counts how often it is asked, and from the `last` time on refuses. */
function countingBudget(last = Number.POSITIVE_INFINITY): Budget & { asked: number } {
  const budget = {
    touched: 0,
    deadline: Number.POSITIVE_INFINITY,
    asked: 0,
    spend(nodes: number) {
      budget.touched += nodes;
      if (++budget.asked > last) throw new QuernError("LIMIT_REACHED", "enough");
    },
  };
  return budget;
}

describe("reads", () => {
  type Read = (snapshot: Snapshot) => unknown;
  const all = ["Mill"];
  const finds =
    (rest: object): Read =>
    (snapshot) =>
      snapshot.find({ types: all, fields: [], ...rest });
  const without: Predicate = { kind: "not", of: { kind: "lookup", index: "Mill.note/term", match: "any", tokens: ["nowhere"] } };
  const heavy = (text: string): Predicate => ({ kind: "check", field: "Mill.plain", test: { id: text, holds: () => false } });

  const blocks = Math.floor(mills / 256);
  /** A sort of so many asks every 4,096 comparisons. */
  const sorting = Math.floor((mills * (Math.log2(mills) - 2)) / 4_096);
  /** `least`: a block of 256 rows that are looked at or filled asks once, a sort on its way, slow tests every 16. */
  const reads: readonly (readonly [what: string, least: number, read: Read])[] = [
    ["rows with columns", 2 * blocks, finds({ fields: ["Mill.plain"] })],
    ["a condition on records", blocks, finds({ where: { kind: "has", field: "Mill.plain" } })],
    ["a slow test of each record", 17 * blocks, finds({ where: heavy("slow") })],
    ["a condition that no index lists", blocks, finds({ where: without })],
    ["a range", blocks, finds({ where: { kind: "compare", field: "Mill.stones", op: "ge", operands: [0] } })],
    ["an order of everything by a column", blocks + sorting, finds({ order: [{ field: "Mill.stones", direction: "desc" }] })],
    ["an order of everything by records", blocks + sorting, finds({ order: [{ field: "Mill.plain", direction: "asc" }] })],
    ["the first by records", blocks, finds({ order: [{ field: "Mill.plain", direction: "asc" }], page: { first: 5 } })],
    [
      "measures",
      blocks,
      (snapshot) => snapshot.aggregate({ over: { types: all, where: { kind: "all" } }, measures: [{ kind: "max", field: "Mill.plain" }] }),
    ],
    ["loads", blocks, (snapshot) => snapshot.load({ uids: Array.from({ length: mills }, (_, i) => i + 1), types: all, fields: [] })],
  ];

  it.each(reads)("of %s check the budget throughout, and stop when it throws", async (_, least, read) => {
    const ask = async (budget: Budget & { asked: number }) => {
      const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0, budget });
      try {
        await read(snapshot);
      } finally {
        snapshot.close();
      }
      return budget.asked;
    };
    const asked = await ask(countingBudget());
    expect(asked).toBeGreaterThanOrEqual(least);
    // Not the very last: records that the first read has cached take a question or two less.
    for (const last of [0, 1, asked >> 1, Math.floor(asked * 0.9)]) {
      const budget = countingBudget(last);
      await expect(ask(budget)).rejects.toMatchObject({ code: "LIMIT_REACHED" });
      expect(budget.asked).toBe(last + 1);
    }
  });

  it("of the partners of one node check the budget throughout, whichever way they are read", async () => {
    const town = async (budget: Budget, read: (snapshot: Snapshot, uid: number) => unknown) => {
      const snapshot = kernel.storage.snapshot({ version: kernel.deployment?.version ?? 0, budget });
      const kent: Predicate = { kind: "compare", field: "Town.name", op: "eq", operands: ["Kent"] };
      const { uids } = await snapshot.find({ types: ["Town"], where: kent, fields: [] });
      await read(snapshot, uids[0] ?? 0);
      snapshot.close();
    };
    const from = (uid: number) => ({ from: [uid], end: "Town.mills", fields: [] });
    const ways: readonly ((snapshot: Snapshot, uid: number) => unknown)[] = [
      (snapshot, uid) => snapshot.follow({ ...from(uid), order: [{ field: "Mill.plain", direction: "asc" }] }),
      (snapshot, uid) => snapshot.follow({ ...from(uid), where: { kind: "has", field: "Mill.plain" } }),
      (snapshot, uid) => snapshot.aggregate({ over: from(uid), measures: [{ kind: "max", field: "Mill.plain" }] }),
    ];
    for (const way of ways) {
      const budget = countingBudget();
      await town(budget, way);
      expect(budget.asked).toBeGreaterThanOrEqual(Math.floor(mills / 4_096));
    }
  });
});

describe("requests of 20 ms", () => {
  /** Processor time, in milliseconds: a machine that others use is late by itself. */
  const busySince = (begun: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
  const late = /limits\.maxTimeMs/;
  const questions = {
    "every object": "{ queryMill { name plain } }",
    "every object in order": "{ queryMill(order: { asc: plain }) { name } }",
    "a demand on every object": "{ queryMill @cascade { name town { name } } }",
    "an update of everything": 'mutation { updateMill(input: { filter: { has: name }, set: { plain: "q", note: "changed for good" } }) { numUids } }',
    "a deletion of everything": "mutation { deleteMill(filter: { has: name }) { numUids } }",
  };

  beforeAll(async () => {
    await kernel.close();
    kernel = await open({ maxTimeMs: 20 });
  });

  it.each(Object.entries(questions))("for %s end soon, with the reason", async (_, query) => {
    const begun = process.cpuUsage();
    expect((await kernel.execute({ query })).body).toMatch(late);
    expect(busySince(begun)).toBeLessThan(250);
  });

  it("with a long input end before anything is written", async () => {
    const query = "mutation ($in: [AddMillInput!]!) { addMill(input: $in) { numUids } }";
    const input = Array.from({ length: 40_000 }, (_, i) => ({ ...millOf(i), name: `new ${i}` }));
    const begun = process.cpuUsage();
    expect((await kernel.execute({ query, variables: { in: input } })).body).toMatch(late);
    expect(busySince(begun)).toBeLessThan(500);
  });

  it("leave the data unchanged", async () => {
    await kernel.close();
    kernel = await open();
    const { body } = await kernel.execute({
      query: '{ aggregateMill { count stonesMax } queryMill(filter: { note: { anyofterms: "good" } }) { name } }',
    });
    expect(JSON.parse(body).data).toEqual({ aggregateMill: { count: mills, stonesMax: mills - 1 }, queryMill: [] });
    expect((await kernel.storage.verify()).faultCount).toBe(0);
  });
});

describe("a client that has gone", () => {
  const gone = (afterMs: number) => (listener: () => void) => void setTimeout(listener, afterMs);

  it("ends a long read and a long write", async () => {
    for (const query of [
      "{ queryMill(order: { asc: plain }) { name plain note } }",
      'mutation { updateMill(input: { filter: { has: name }, set: { note: "changed for good" } }) { numUids } }',
    ]) {
      expect((await kernel.execute({ query, onGone: gone(5) })).body).toContain("The client has gone.");
    }
    const { body } = await kernel.execute({ query: '{ aggregateMill(filter: { note: { anyofterms: "good" } }) { count } }' });
    expect(JSON.parse(body).data).toEqual({ aggregateMill: { count: 0 } });
  });
});

it("refuses an answer beyond the limit, not as an internal error", async () => {
  const { body } = await kernel.execute({ query: "{ queryTown { friends { friends { friends { friends { name } } } } } }" });
  expect(JSON.parse(body)).toMatchObject({
    errors: [{ message: expect.stringContaining("limits.maxAnswerBytes") }],
    data: null,
  });
});

it("lets others read while a long write runs", async () => {
  // On a busy machine the write takes long, and is to end all the same.
  await kernel.close();
  kernel = await open({ maxTimeMs: 3_600_000 });
  const update = kernel.execute({
    query: 'mutation { updateMill(input: { filter: { has: name }, set: { note: "one two three four" } }) { numUids } }',
  });
  let answers = 0;
  let isOver = false;
  const done = Promise.resolve(update).then(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver && (await kernel.execute({ query: '{ getMill(name: "mill 7") { note } }' })).body.includes("note of mill 7")) answers++;
  }
  await done;
  expect(answers).toBeGreaterThan(10);
  expect((await kernel.execute({ query: '{ getMill(name: "mill 7") { note } }' })).body).toContain("one two three four");
});
