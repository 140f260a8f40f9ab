// Orders through links over many rows: each step takes its turns, as many as the rows fill blocks, and the order is that of a plain sort.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../core/ground/work.ts";
import { findRelated, followRelated, type RelatedRequest, rankFollowed, rankFound } from "../../core/query/access/related-order.ts";
import type { SortKey } from "../../core/query/level/sort-key.ts";
import { newPlace, type Place } from "../support/storage.ts";
import { blockRows, EagerBudget } from "./eager-budget.ts";
import { deployOn, type TestApi } from "./test-api.ts";

const posts = 6_000;
const authors = 40;
let place: Place;
let api: TestApi;
beforeAll(async () => {
  place = await newPlace();
  const storage = place.storage();
  await storage.open();
  api = await deployOn(
    storage,
    `
    type Shelf { code: String! @id  posts: [Post] @hasInverse(field: shelf) @search }
    type Author { handle: String! @id  name: String }
    type Post { n: Int! @id  author: Author @search  shelf: Shelf @search }`,
    {},
  );
  const nameOf = (i: number) => `name ${String((i * 7) % authors).padStart(2, "0")}`;
  const writers = Array.from({ length: authors }, (_, i) => [`a${i}`, ["Author", { handle: `h${i}`, name: nameOf(i) }]] as const);
  const written = Array.from(
    { length: posts },
    (_, n) => [`p${n}`, ["Post", { n, shelf: "s", ...(n % 10 > 0 && { author: `a${(n * 13) % authors}` }) }]] as const,
  );
  await api.seed({ s: ["Shelf", { code: "s" }], ...Object.fromEntries(writers), ...Object.fromEntries(written) });
});
afterAll(async () => {
  await api?.storage.close();
  await place?.remove();
});

interface Setting {
  readonly related: RelatedRequest;
  readonly budget: EagerBudget;
  /** Uids in the order of `author: {desc: name}`. */
  readonly expected: readonly number[];
  readonly shelf: number;
}

async function withOrder(work: (setting: Setting) => Promise<void>): Promise<void> {
  const { model, version } = api.deployment;
  const author = model.nodeTypes.get("Post")?.fields.get("author");
  if (author?.role !== "link") throw new TypeError("Post.author is no link");
  const keys: readonly SortKey[] = [{ path: [author], by: { field: "Author.name", direction: "desc" } }];
  const budget = new EagerBudget();
  const snapshot = api.storage.snapshot({ version });
  try {
    const { nodes, rows, starts } = await snapshot.follow({
      from: (await snapshot.find({ types: ["Post"], fields: [] })).uids,
      end: "Post.author",
      fields: ["Author.name"],
    });
    const { uids } = await snapshot.find({ types: ["Post"], fields: [] });
    const named = uids.map((uid, i) => ({
      uid,
      name: starts[i] === starts[i + 1] ? undefined : String(nodes.columns[0]?.[rows[starts[i] ?? 0] ?? 0]),
    }));
    const byName = (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0);
    const expected = named.sort((a, b) => Number(!a.name) - Number(!b.name) || byName(a.name ?? "", b.name ?? "") || a.uid - b.uid);
    const [shelf = 0] = (await snapshot.find({ types: ["Shelf"], fields: [] })).uids;
    const related = { keys, snapshot, budget, masks: undefined, kindOf: () => "string" as const, visible: () => snapshot };
    await work({ related, budget, shelf, expected: expected.map(({ uid }) => uid) });
  } finally {
    snapshot.close();
  }
}

describe("an order through a link over many rows", () => {
  it.each([10, 2_000, undefined])("finds the page of a plain sort in many turns, first: %s", async (first) => {
    await withOrder(async ({ related, budget, expected }) => {
      const found = await run(
        findRelated({ types: ["Post"], page: { offset: 5, ...(first !== undefined && { first }) }, fields: ["Post.n"] }, related),
        budget,
      );
      expect(found.uids).toEqual(expected.slice(5, first === undefined ? undefined : 5 + first));
      expect(budget.turns).toBeGreaterThan(posts / blockRows);
    });
  });

  it("follows one list of all rows in as many", async () => {
    await withOrder(async ({ related, budget, expected, shelf }) => {
      const links = await run(followRelated({ from: [shelf, shelf], end: "Shelf.posts", page: { first: 7 }, fields: ["Post.n"] }, related), budget);
      const shown = links.rows.map((row) => links.nodes.uids[row]);
      expect([links.starts, shown]).toEqual([
        [0, 7, 14],
        [...expected.slice(0, 7), ...expected.slice(0, 7)],
      ]);
      expect(budget.turns).toBeGreaterThan((2 * posts) / blockRows);
    });
  });

  it("ranks all rows for pages by cursors in as many", async () => {
    await withOrder(async ({ related, budget, expected, shelf }) => {
      expect((await run(rankFound({ types: ["Post"] }, related), budget)).map(({ uid }) => uid)).toEqual(expected);
      expect(budget.turns).toBeGreaterThan(posts / blockRows);
      const [ranked] = await run(rankFollowed({ from: [shelf], end: "Shelf.posts" }, related), budget);
      expect(ranked?.map(({ uid }) => uid)).toEqual(expected);
    });
  });

  it("answers few rows at once", async () => {
    await withOrder(async ({ related, budget, expected }) => {
      const few = [...expected.slice(100, 300)].sort((a, b) => a - b);
      const found = run(findRelated({ types: ["Post"], where: { kind: "uids", uids: few }, fields: [] }, related), budget);
      expect((await found).uids).toEqual(expected.slice(100, 300));
      expect(budget.turns).toBe(0);
    });
  });
});
