// What predicates mean at their edges.

import assert from "node:assert/strict";
import type { Predicate, Uid, Value } from "../../../core/storage.ts";
import type { Bench, Check } from "./kit.ts";
import { library } from "./layouts.ts";

async function found(bench: Bench, where: Predicate, types: readonly string[] = ["Post"]): Promise<readonly Uid[]> {
  return (await bench.read((snapshot) => snapshot.find({ types, where, fields: [] }))).uids;
}

function compare(
  field: string,
  op: "eq" | "in" | "lt" | "le" | "gt" | "ge" | "between",
  ...operands: (string | number | bigint | boolean)[]
): Predicate {
  return { kind: "compare", field, op, operands };
}

export const predicateChecks: readonly Check[] = [
  {
    id: "predicate.neighbours",
    level: "MUST",
    title: "names and values with a common prefix are distinct: Post and PostTag, a and ab, the empty text",
    why: "A scan by prefix finds the neighbour too: wrong nodes in an answer.",
    async run(bench) {
      await bench.deploy(library);
      const [a, ab, empty] = await bench.create("Post", [
        { "Post.title": "a", "Named.label": "a" },
        { "Post.title": "ab", "Named.label": "ab" },
        { "Post.title": "", "Named.label": "" },
      ]);
      const [tag] = await bench.create("PostTag", [{ "PostTag.title": "a", "Named.label": "a" }]);
      for (const [text, uid] of [
        ["a", a],
        ["ab", ab],
        ["", empty],
      ] as const)
        assert.deepEqual(await found(bench, compare("Post.title", "eq", text)), [uid]);
      assert.deepEqual(await found(bench, { kind: "all" }), [a, ab, empty]);
      assert.deepEqual(await found(bench, { kind: "all" }, ["PostTag"]), [tag]);
      assert.deepEqual(await found(bench, compare("Named.label", "eq", "a"), ["Post", "PostTag"]), [a, tag]);
      assert.deepEqual(await found(bench, compare("Named.label", "eq", "a"), ["PostTag"]), [tag]);
      assert.deepEqual(await found(bench, compare("Named.label", "lt", "b")), [a, ab, empty]);
    },
  },
  {
    id: "predicate.absent",
    level: "MUST",
    title: "an absent value fails every comparison, and not is the complement",
    why: "Rules of @auth stand on `not`; three-valued logic would hide or show too much.",
    async run(bench) {
      await bench.deploy(library);
      const [one, none] = await bench.create("Post", [{ "Post.rank": 1 }, {}]);
      for (const where of [
        compare("Post.rank", "lt", 5),
        compare("Post.rank", "ge", -5),
        compare("Post.rank", "eq", 1),
        compare("Post.rank", "in", 1, 2),
      ]) {
        assert.deepEqual(await found(bench, where), [one]);
        assert.deepEqual(await found(bench, { kind: "not", of: where }), [none]);
      }
      assert.deepEqual(await found(bench, compare("Post.rank", "in")), []);
      assert.deepEqual(await found(bench, compare("Post.rank", "between", 5, -5)), []);
    },
  },
  {
    id: "predicate.lists",
    level: "MUST",
    title:
      "a condition on a list holds if one element satisfies it; one element must satisfy both bounds of between; two conditions may use two elements",
    why: "A condition on lists means one element, and an index that counts elements apart answers otherwise.",
    async run(bench) {
      await bench.deploy(library);
      const [wide, narrow] = await bench.create("Post", [{ "Post.nums": [1, 100] }, { "Post.nums": [50] }]);
      assert.deepEqual(await found(bench, compare("Post.nums", "between", 10, 60)), [narrow]);
      assert.deepEqual(await found(bench, { kind: "and", of: [compare("Post.nums", "ge", 10), compare("Post.nums", "le", 60)] }), [wide, narrow]);
      assert.deepEqual(await found(bench, { kind: "not", of: compare("Post.nums", "gt", 60) }), [narrow]);
    },
  },
  {
    id: "predicate.kinds",
    level: "MUST",
    title: "int64 is exact beyond 2^53, dates compare by instant, -0 is 0, text by UTF-8 bytes",
    why: "Numbers as doubles, dates as text and text as UTF-16 each compare wrongly somewhere.",
    async run(bench) {
      await bench.deploy(library);
      const [a, b] = await bench.create("Post", [
        { "Post.big": 9_007_199_254_740_992n, "Post.at": "2020-01-01T00:00:00Z", "Post.score": 0, "Post.name": "\u{1f600}" },
        { "Post.big": 9_007_199_254_740_993n, "Post.at": "2020-01-01T02:00:00.000000001+02:00", "Post.score": -0, "Post.name": "\uffee" },
      ]);
      assert.deepEqual(await found(bench, compare("Post.big", "eq", 9_007_199_254_740_993n)), [b]);
      assert.deepEqual(await found(bench, compare("Post.big", "lt", 9_007_199_254_740_993n)), [a]);
      assert.deepEqual(await found(bench, compare("Post.at", "eq", "2020-01-01T03:00:00+03:00")), [a]);
      assert.deepEqual(await found(bench, compare("Post.at", "gt", "2020-01-01T00:00:00Z")), [b]);
      assert.deepEqual(await found(bench, compare("Post.score", "eq", -0)), [a, b]);
      assert.deepEqual(await found(bench, compare("Post.name", "lt", "\u{1f600}")), [b], "UTF-16 order would say neither");
    },
  },
  {
    id: "predicate.lookup",
    level: "MUST",
    title: "token lookups: any, all, no token given; the index follows changes",
    why: "Search by tokens stands on it; an index that keeps old tokens finds what is no longer there.",
    async run(bench) {
      await bench.deploy(library);
      const [both = 0, one] = await bench.create("Post", [{ "Post.text": "Stone Mill" }, { "Post.text": "stone" }]);
      const lookup = (match: "any" | "all", ...tokens: string[]): Predicate => ({ kind: "lookup", index: "Post.text/words", match, tokens });
      assert.deepEqual(await found(bench, lookup("any", "mill", "stone")), [both, one]);
      assert.deepEqual(await found(bench, lookup("all", "mill", "stone")), [both]);
      assert.deepEqual(await found(bench, lookup("all")), []);
      assert.deepEqual(await found(bench, lookup("any")), []);
      await bench.write((transaction) => transaction.write([{ kind: "set", uid: both, type: "Post", fields: { "Post.text": "stones" } }]));
      assert.deepEqual(await found(bench, lookup("any", "mill", "stone")), [one]);
    },
  },
  {
    id: "predicate.check",
    level: "MUST",
    title: "a test gets all values of a field, decides alone, and may be narrowed by lookups",
    why: "The test decides and the lookup only narrows: without it an index's guess would be the answer.",
    async run(bench) {
      await bench.deploy(library);
      const [a, b] = await bench.create("Post", [
        { "Post.text": "stone mill", "Post.tags": ["x", "y"] },
        { "Post.text": "mill stone", "Post.tags": ["y"] },
        {},
      ]);
      const test = { id: "begins with mill", holds: (values: readonly unknown[]) => String(values[0]).startsWith("mill") };
      assert.deepEqual(
        await found(bench, {
          kind: "check",
          field: "Post.text",
          test,
          within: { kind: "lookup", index: "Post.text/words", match: "all", tokens: ["mill"] },
        }),
        [b],
      );
      assert.deepEqual(await found(bench, { kind: "check", field: "Post.text", test }), [b]);
      const two = { id: "two values", holds: (values: readonly unknown[]) => values.length === 2 };
      assert.deepEqual(await found(bench, { kind: "check", field: "Post.tags", test: two }), [a]);
    },
  },
  {
    id: "predicate.budget",
    level: "MUST",
    title: "a budget is asked at least every 256 rows, and what it throws ends the read",
    why: "A request whose client is gone must end soon, whatever it scans.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create(
        "Post",
        Array.from({ length: 2_000 }, (_, i) => ({ "Post.plain": `p${i}` })),
      );
      const nothing: Predicate = { kind: "check", field: "Post.plain", test: { id: "no", holds: () => false } };
      const asked: number[] = [];
      const budget = { touched: 0, deadline: Number.POSITIVE_INFINITY, spend: (nodes: number) => void asked.push(nodes) };
      await bench.read((snapshot) => snapshot.find({ types: ["Post"], where: nothing, fields: [] }), { budget });
      assert.ok(Math.max(...asked) <= 256 && asked.reduce((a, b) => a + b, 0) >= 2_000, `asked ${asked}`);
      const strict = {
        ...budget,
        spend: () => {
          throw new Error("client is gone");
        },
      };
      await assert.rejects(
        async () => await bench.read(async (snapshot) => await snapshot.find({ types: ["Post"], where: nothing, fields: [] }), { budget: strict }),
        /client is gone/,
      );
    },
  },
  {
    id: "predicate.kept",
    level: "MUST",
    title: "a read finds the same when the budget says that all requests keep too much, and counts no more as dropped than as kept",
    why: "A read that drops what it has, and forgets to read it again, shows a part of the nodes as if it were all.",
    async run(bench) {
      await bench.deploy(library);
      const uids = await bench.create(
        "Post",
        Array.from({ length: 2_000 }, (_, i) => ({ "Post.plain": `p${i}` })),
      );
      let kept = 0;
      let isCrowded = true;
      const budget = {
        touched: 0,
        deadline: Number.POSITIVE_INFINITY,
        spend() {},
        keep(bytes: number) {
          kept += bytes;
          assert.ok(kept >= 0, `${kept} bytes kept`);
          return bytes > 0 && isCrowded;
        },
        async turn() {
          isCrowded = false;
        },
      };
      const found = await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: ["Post.plain"] }), { budget });
      assert.deepEqual([found.uids, found.columns], [uids, [uids.map((_, i) => `p${i}`)]]);
    },
  },
  {
    id: "predicate.equality",
    level: "MUST",
    title: "eq and in decide on booleans, hashes and geometries too: false is a value, geometries are equal when all their numbers are",
    why: "A condition that a storage cannot put to its index must be decided all the same, and not hold for all.",
    async run(bench) {
      await bench.deploy(library);
      const point = (x: number, y: number) => ({ type: "Point", coordinates: [x, y] }) as const;
      const square = (size: number) => {
        const ring = [
          [0, 0],
          [size, 0],
          [size, size],
          [0, 0],
        ] as const;
        return { type: "Polygon", coordinates: [ring] } as const;
      };
      const [a, b, c] = await bench.create("Post", [
        { "Post.open": false, "Post.secret": "h1", "Post.place": point(1, 2) },
        { "Post.open": true, "Post.secret": "h2", "Post.place": point(2, 1) },
        { "Post.place": square(1) },
        {},
      ]);
      const equal = (field: string, ...operands: Value[]) =>
        bench.find("Post", { kind: "compare", field, op: operands.length === 1 ? "eq" : "in", operands });
      assert.deepEqual([await equal("Post.open", false), await equal("Post.open", true)], [[a], [b]]);
      assert.deepEqual(await equal("Post.open", true, false), [a, b]);
      assert.deepEqual([await equal("Post.secret", "h1"), await equal("Post.secret", "h")], [[a], []]);
      assert.deepEqual([await equal("Post.place", point(1, 2)), await equal("Post.place", point(1, 3))], [[a], []]);
      assert.deepEqual(await equal("Post.place", point(2, 1), square(1)), [b, c]);
      assert.deepEqual(await equal("Post.place", square(2)), []);
    },
  },
];
