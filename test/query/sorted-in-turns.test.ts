// Orders that no index has, by language and by fields that are hidden from some: many rows are sorted in turns, in the order of a plain sort.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Order } from "../../core/contracts/storage/requests.ts";
import type { Snapshot } from "../../core/contracts/storage/snapshot.ts";
import { run } from "../../core/ground/work.ts";
import { findOrdered, followOrdered } from "../../core/query/access/masked-order.ts";
import type { Masks } from "../../core/query/level/masks.ts";
import { findSorted, followSorted } from "../../core/query/powers/sort-by-language.ts";
import { newPlace, type Place } from "../support/storage.ts";
import { blockRows, EagerBudget } from "./eager-budget.ts";
import { deployOn, type TestApi } from "./test-api.ts";

const mills = 6_000;
const letters = ["a", "Ä", "b", "Z", "z", "ö"];
const nameOf = (n: number) => `${letters[(n * 7) % 6]}${letters[(n * 5) % 6]}${n % 50}`;

let place: Place;
let api: TestApi;
beforeAll(async () => {
  place = await newPlace();
  const storage = place.storage();
  await storage.open();
  api = await deployOn(
    storage,
    "type Land { code: String! @id  mills: [Mill] @hasInverse(field: land) }\ntype Mill { n: Int! @id  name: String @search  land: Land }",
    {},
  );
  const all = Array.from({ length: mills }, (_, n) => [`m${n}`, ["Mill", { n, land: "l", ...(n % 10 > 0 && { name: nameOf(n) }) }]] as const);
  await api.seed({ l: ["Land", { code: "l" }], ...Object.fromEntries(all) });
});
afterAll(async () => {
  await api?.storage.close();
  await place?.remove();
});

interface Setting {
  readonly snapshot: Snapshot;
  readonly budget: EagerBudget;
  readonly land: number;
  readonly kindOf: () => "string";
  /** All uids in the order of their names, those without one last. */
  inOrder(compare: (a: string, b: string) => number, hidden?: (n: number) => boolean): readonly number[];
}

async function withMills(work: (setting: Setting) => Promise<void>): Promise<void> {
  const snapshot = api.storage.snapshot({ version: api.deployment.version });
  try {
    const { uids, columns } = await snapshot.find({ types: ["Mill"], fields: ["Mill.n"] });
    const [land = 0] = (await snapshot.find({ types: ["Land"], fields: [] })).uids;
    const budget = new EagerBudget();
    const inOrder: Setting["inOrder"] = (compare, hidden = () => false) => {
      const rows = uids.map((uid, i) => ({ uid, n: Number(columns[0]?.[i]) }));
      const named = rows.map(({ uid, n }) => ({ uid, name: n % 10 > 0 && !hidden(n) ? nameOf(n) : undefined }));
      return named.sort((a, b) => Number(!a.name) - Number(!b.name) || compare(a.name ?? "", b.name ?? "") || a.uid - b.uid).map(({ uid }) => uid);
    };
    await work({ snapshot, budget, land, kindOf: () => "string", inOrder });
  } finally {
    snapshot.close();
  }
}

const { compare: inGerman } = new Intl.Collator("de");
const byLanguage: Order = [{ field: "Mill.name", direction: "asc", collation: "de" }];
const byName: Order = [{ field: "Mill.name", direction: "asc" }];
const inBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
/** Mills from 3,000 on hide their names. */
const masks: Masks = new Map([["Mill.name", { visible: { kind: "compare", field: "Mill.n", op: "lt", operands: [3_000] }, shows: "null" }]]);

describe("an order by language over many rows", () => {
  it.each([10, 2_000, undefined])("finds the page of a plain sort in many turns, first: %s", async (first) => {
    await withMills(async ({ inOrder, budget, ...context }) => {
      const page = { offset: 5, ...(first !== undefined && { first }) };
      const found = await run(findSorted({ types: ["Mill"], order: byLanguage, page, fields: ["Mill.n"] }, context), budget);
      expect(found.uids).toEqual(inOrder(inGerman).slice(5, first === undefined ? undefined : 5 + first));
      expect(budget.turns).toBeGreaterThan(mills / blockRows);
    });
  });

  it("takes turns for each column of a long page", async () => {
    await withMills(async ({ inOrder, budget, ...context }) => {
      const find = async (fields: readonly string[]) => {
        budget.turns = 0;
        return await run(findSorted({ types: ["Mill"], order: byLanguage, fields }, context), budget);
      };
      await find([]);
      const without = budget.turns;
      const { uids, types, columns } = await find(["Mill.n", "Mill.name"]);
      expect(budget.turns - without).toBeGreaterThan(2);
      expect([uids, new Set(types)]).toEqual([inOrder(inGerman), new Set(["Mill"])]);
      expect(columns[1]).toEqual(columns[0]?.map((n) => (Number(n) % 10 > 0 ? nameOf(Number(n)) : undefined)));
    });
  });

  it("finds what lies behind a place", async () => {
    await withMills(async ({ inOrder, budget, ...context }) => {
      const expected = inOrder(inGerman);
      const after = { keys: [nameOf(1)], uid: 0 };
      const { uids } = await run(findSorted({ types: ["Mill"], order: byLanguage, after, page: { first: 20 }, fields: [] }, context), budget);
      const [first = 0] = uids;
      expect(uids).toEqual(expected.slice(expected.indexOf(first), expected.indexOf(first) + 20));
      expect(expected.indexOf(first)).toBeGreaterThan(0);
    });
  });

  it("follows one list of all rows in as many", async () => {
    await withMills(async ({ inOrder, budget, land, ...context }) => {
      const { starts, rows, nodes } = await run(followSorted({ from: [land], end: "Land.mills", order: byLanguage, fields: [] }, context), budget);
      expect(starts).toEqual([0, mills]);
      expect(rows.map((row) => nodes.uids[row])).toEqual(inOrder(inGerman));
      expect(budget.turns).toBeGreaterThan(mills / blockRows);
    });
  });
});

describe("an order by a field that is hidden from some", () => {
  it("finds the order of a plain sort in many turns, hidden names last", async () => {
    await withMills(async ({ inOrder, budget, ...context }) => {
      const found = await findOrdered({ types: ["Mill"], order: byName, fields: [] }, { ...context, budget, masks });
      expect(found.uids).toEqual(inOrder(inBytes, (n) => n >= 3_000));
      expect(budget.turns).toBeGreaterThan(mills / blockRows);
    });
  });

  it("follows one list of all rows in as many", async () => {
    await withMills(async ({ inOrder, budget, land, ...context }) => {
      const { rows, nodes } = await followOrdered({ from: [land], end: "Land.mills", order: byName, fields: [] }, { ...context, budget, masks });
      expect(rows.map((row) => nodes.uids[row])).toEqual(inOrder(inBytes, (n) => n >= 3_000));
      expect(budget.turns).toBeGreaterThan(mills / blockRows);
    });
  });
});
