// Orders, pages, measures.

import assert from "node:assert/strict";
import {
  afterPlace,
  all,
  and,
  type Batch,
  type OrderKey,
  type Page,
  type Place,
  type Predicate,
  type Stored,
  type Uid,
} from "../../../core/storage.ts";
import { type Bench, type Check, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";

async function ordered(bench: Bench, order: readonly OrderKey[], page?: Page): Promise<readonly number[]> {
  return (await bench.read((snapshot) => snapshot.find({ types: ["Post"], order, fields: [], ...(page && { page }) }))).uids;
}

/** How a page names the row that it begins behind: as a condition, which every storage takes, or as a place of the order, with `Powers.seek`. */
const manners = ["condition", "place"] as const;
type Manner = (typeof manners)[number];

function mannersOf({ storage }: Bench): readonly Manner[] {
  return manners.filter((manner) => manner === "condition" || storage.supports.seek);
}

interface Walk {
  readonly order: readonly OrderKey[];
  readonly condition: Predicate;
  readonly manner: Manner;
}

function behind({ order, condition, manner }: Walk, place: Place | undefined) {
  if (place === undefined) return { where: condition };
  return manner === "place" ? { where: condition, after: place } : { where: and(condition, afterPlace(order, place)) };
}

/** All rows, eleven at a time. */
async function walked(bench: Bench, walk: Walk): Promise<readonly Uid[]> {
  const fields = walk.order.map(({ field }) => field);
  const seen: Uid[] = [];
  let place: Place | undefined;
  for (;;) {
    const request = { types: ["Post"], ...behind(walk, place), order: walk.order, page: { first: 11 }, fields };
    const { uids, columns } = await bench.read((snapshot) => snapshot.find(request));
    seen.push(...uids);
    const last = uids.at(-1);
    if (last === undefined || seen.length > 1_000) return seen;
    place = { uid: last, keys: columns.map((column) => column.at(-1)) };
  }
}

/** All partners of each source, three at a time. */
async function followed(bench: Bench, from: readonly Uid[], walk: Walk): Promise<readonly (readonly Uid[])[]> {
  const fields = walk.order.map(({ field }) => field);
  const walks = from.map(async (source) => {
    const seen: Uid[] = [];
    let place: Place | undefined;
    for (;;) {
      const request = { from: [source], end: "Author.posts", ...behind(walk, place), order: walk.order, page: { first: 3 }, fields };
      const { rows, nodes } = await bench.read((snapshot) => snapshot.follow(request));
      for (const row of rows) seen.push(nodes.uids[row] ?? 0);
      const last = rows.at(-1);
      if (last === undefined || seen.length > 1_000) return seen;
      place = { uid: nodes.uids[last] ?? 0, keys: nodes.columns.map((column) => column[last]) };
    }
  });
  return await Promise.all(walks);
}

/** Values with many ties, and many missing ones, of an ordered index, a number, a date and a field without an index. */
function unevenRow(i: number): Readonly<Record<string, Stored>> {
  return {
    "Post.title": i % 2 === 0 ? "even" : "odd",
    ...(i % 7 > 0 && { "Post.rank": (i * 13) % 10 }),
    ...(i % 9 > 0 && { "Post.name": `name ${(i * 11) % 40}` }),
    ...(i % 8 > 0 && { "Post.at": `2031-01-01T00:00:0${i % 5}.${(i * 3) % 4}Z` }),
    ...(i % 5 > 0 && { "Post.big": BigInt((i * 17) % 8) * 2n ** 60n }),
    ...(i % 6 > 0 && { "Post.plain": `plain ${(i * 7) % 30}` }),
  };
}

export const orderChecks: readonly Check[] = [
  {
    id: "order.missing-last",
    level: "MUST",
    title: "missing values come last in both directions; ties are in ascending order of uids in both directions",
    why: "Pages are cut from this order; another place for missing values shifts every page.",
    async run(bench) {
      await bench.deploy(library);
      const rows = [{ "Post.rank": 2 }, {}, { "Post.rank": 1 }, { "Post.rank": 2 }, {}].map((row, i) => ({
        ...row,
        "Post.plain": i === 1 ? "z" : "a",
      }));
      const [a, b, c, d, e] = await bench.create("Post", rows);
      assert.deepEqual(await ordered(bench, [{ field: "Post.rank", direction: "asc" }]), [c, a, d, b, e]);
      assert.deepEqual(await ordered(bench, [{ field: "Post.rank", direction: "desc" }]), [a, d, c, b, e]);
      assert.deepEqual(await ordered(bench, [{ field: "Post.rank", direction: "desc" }], { first: 3, offset: 1 }), [d, c, b]);
      assert.deepEqual(
        await ordered(bench, [
          { field: "Post.rank", direction: "asc" },
          { field: "Post.plain", direction: "asc" },
        ]),
        [c, a, d, e, b],
      );
      assert.deepEqual(await ordered(bench, [{ field: "Post.rank", direction: "asc" }], { first: 2, offset: 9 }), []);
    },
  },
  {
    id: "order.kinds",
    level: "MUST",
    title: "sorts texts by UTF-8 bytes, dates by instant, int64 exactly",
    why: "Every storage must give the same order, or a schema behaves differently on each.",
    async run(bench) {
      await bench.deploy(library);
      const [a, b, c] = await bench.create("Post", [
        { "Post.name": "\u{1f600}", "Post.at": "2020-01-01T00:00:00.000000002Z", "Post.big": 9_007_199_254_740_993n },
        { "Post.name": "\uffee", "Post.at": "2020-01-01T01:00:00.000000001+01:00", "Post.big": 9_007_199_254_740_992n },
        { "Post.name": "Z", "Post.at": "0000-01-01T00:00:00Z", "Post.big": -(2n ** 63n) },
      ]);
      for (const field of ["Post.name", "Post.at", "Post.big"]) {
        assert.deepEqual(await ordered(bench, [{ field, direction: "asc" }]), [c, b, a], field);
        assert.deepEqual(await ordered(bench, [{ field, direction: "desc" }], { first: 2 }), [a, b], field);
      }
    },
  },
  {
    id: "order.collation",
    level: "SHOULD",
    title: "sorts by a language's collation when the storage supports it",
    why: "Without the power the kernel sorts itself, which costs more.",
    async run(bench) {
      if (!bench.storage.supports.collation) return;
      await bench.deploy(library);
      const [a, z, ae] = await bench.create("Post", [{ "Post.name": "a" }, { "Post.name": "z" }, { "Post.name": "ä" }]);
      assert.deepEqual(await ordered(bench, [{ field: "Post.name", direction: "asc", collation: "de" }]), [a, ae, z]);
      assert.deepEqual(await ordered(bench, [{ field: "Post.name", direction: "asc", collation: "sv" }]), [a, z, ae]);
      assert.deepEqual(await ordered(bench, [{ field: "Post.name", direction: "asc" }]), [a, z, ae]);
    },
  },
  {
    id: "order.pages",
    level: "MUST",
    title: "pages cut exactly around 255, 256, 512 and 1,024, forwards and from the end; nothing is capped",
    why: "Clients page with these counts; one that is lost at the edge of a block is never seen.",
    async run(bench) {
      await bench.deploy(library);
      const uids = await bench.create(
        "Post",
        Array.from({ length: 1_300 }, (_, i) => ({ "Post.rank": i % 10, "Post.title": i % 2 === 0 ? "even" : "odd" })),
      );
      const even = uids.filter((_, i) => i % 2 === 0);
      const where = { kind: "compare", field: "Post.title", op: "eq", operands: ["even"] } as const;
      await bench.read(async (snapshot) => {
        for (const offset of [0, 1, 254, 255, 256, 511, 512, 513, 649, 650, 2_000]) {
          assert.deepEqual(
            (await snapshot.find({ types: ["Post"], where, page: { offset, first: 3 }, fields: [] })).uids,
            even.slice(offset, offset + 3),
          );
          assert.deepEqual((await snapshot.find({ types: ["Post"], page: { offset }, fields: [] })).uids, uids.slice(offset));
        }
        for (const last of [1, 255, 256, 512, 649, 650, 5_000])
          assert.deepEqual((await snapshot.find({ types: ["Post"], where, page: { last }, fields: [] })).uids, even.slice(-last));
        const bound = uids[700] ?? 0;
        const later = { kind: "and", of: [where, { kind: "after", uid: bound }] } as const;
        assert.deepEqual(
          (await snapshot.find({ types: ["Post"], where: later, page: { first: 2 }, fields: [] })).uids,
          even.filter((uid) => uid > bound).slice(0, 2),
        );
        assert.deepEqual(
          (await snapshot.find({ types: ["Post"], where: later, page: { last: 9_999 }, fields: [] })).uids,
          even.filter((uid) => uid > bound),
        );
        const ranked = await snapshot.find({ types: ["Post"], order: [{ field: "Post.rank", direction: "desc" }], fields: ["Post.rank"] });
        assert.equal(ranked.uids.length, 1_300);
        assert.deepEqual(ranked.columns[0]?.slice(129, 131), [9, 8]);
      });
    },
  },
  {
    id: "order.behind",
    level: "MUST",
    title: "the rows behind a place of an order, page by page, are the ordered list: ties, missing values, both directions, a condition beside",
    why: "Pages by cursors ask so; a row that is lost or shown twice between two pages breaks them.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create(
        "Post",
        Array.from({ length: 160 }, (_, i) => unevenRow(i)),
      );
      const even: Predicate = { kind: "compare", field: "Post.title", op: "eq", operands: ["even"] };
      const rank = (direction: "asc" | "desc"): OrderKey => ({ field: "Post.rank", direction });
      const plain = (direction: "asc" | "desc"): OrderKey => ({ field: "Post.plain", direction });
      const single = ["Post.rank", "Post.name", "Post.at", "Post.big", "Post.plain"].flatMap((field) =>
        (["asc", "desc"] as const).map((direction) => [{ field, direction }]),
      );
      const orders: readonly (readonly OrderKey[])[] = [
        ...single,
        [rank("asc"), plain("desc")],
        [rank("desc"), plain("asc")],
        [plain("asc"), rank("desc")],
      ];
      for (const order of orders)
        for (const condition of [all, even]) {
          const whole: Batch = await bench.read((snapshot) => snapshot.find({ types: ["Post"], where: condition, order, fields: [] }));
          for (const manner of mannersOf(bench))
            assert.deepEqual(await walked(bench, { order, condition, manner }), whole.uids, `${JSON.stringify(order)} by ${manner}`);
        }
    },
  },
  {
    id: "order.behind-links",
    level: "MUST",
    title: "the partners behind a place of an order, page by page, are the ordered list of each source",
    why: "Pages by cursors of a list of links ask so.",
    async run(bench) {
      await bench.deploy(library);
      const from = await bench.create("Author", [{}, {}, {}]);
      const posts = await bench.create(
        "Post",
        Array.from({ length: 48 }, (_, i) => unevenRow(i)),
      );
      const links = posts.map((to, i) => linkOf("link", "Author.posts", ["Author", from[i % 2] ?? 0], ["Post", to]));
      await bench.write((transaction) => transaction.write(links));
      for (const order of [[], [{ field: "Post.rank", direction: "desc" }], [{ field: "Post.plain", direction: "asc" }]] as const) {
        const whole = await bench.read((snapshot) => snapshot.follow({ from, end: "Author.posts", order, fields: [] }));
        const lists = from.map((_, i) => whole.rows.slice(whole.starts[i], whole.starts[i + 1]).map((row) => whole.nodes.uids[row]));
        for (const manner of mannersOf(bench))
          assert.deepEqual(await followed(bench, from, { order, condition: all, manner }), lists, `${JSON.stringify(order)} by ${manner}`);
      }
    },
  },
  {
    id: "measure.values",
    level: "MUST",
    title: "measures use nodes that have a value, and are undefined without any",
    why: "Aggregates of nothing are null, and sums must not overflow in silence.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", [
        { "Post.rank": 2_147_483_647, "Post.big": 2n ** 62n, "Post.score": 0.1, "Post.name": "b", "Post.at": "2020-01-01T02:00:00+02:00" },
        { "Post.rank": 2_147_483_647, "Post.big": 2n ** 62n, "Post.score": 0.2, "Post.name": "\uffee", "Post.at": "2020-01-01T00:30:00Z" },
        { "Post.score": 0.3, "Post.name": "\u{1f600}" },
      ]);
      const of = (kind: "min" | "max" | "sum" | "avg", field: string) => ({ kind, field });
      await bench.read(async (snapshot) => {
        const measures = [
          { kind: "count" } as const,
          of("sum", "Post.rank"),
          of("avg", "Post.rank"),
          of("sum", "Post.big"),
          of("avg", "Post.big"),
          of("sum", "Post.score"),
          of("avg", "Post.score"),
          of("min", "Post.name"),
          of("max", "Post.name"),
          of("min", "Post.at"),
          of("max", "Post.at"),
        ];
        const [row] = await snapshot.aggregate({ over: { types: ["Post"] }, measures });
        assert.deepEqual(row, [
          3,
          4_294_967_294,
          2_147_483_647,
          2n ** 63n,
          2 ** 62,
          0.1 + 0.2 + 0.3,
          (0.1 + 0.2 + 0.3) / 3,
          "b",
          "\u{1f600}",
          "2020-01-01T02:00:00+02:00",
          "2020-01-01T00:30:00Z",
        ]);
        const [none] = await snapshot.aggregate({
          over: { types: ["Author"] },
          measures: [{ kind: "count" }, of("max", "Author.age"), of("sum", "Author.age")],
        });
        assert.deepEqual(none, [0, undefined, undefined]);
      });
    },
  },
];
