// Groups. A storage without `group` has nothing to show: the kernel groups what `find` returns.

import assert from "node:assert/strict";
import type { Group, GroupKey, GroupRequest, Measure, Predicate, Snapshot, Stored, TypeName, Value } from "../../../core/storage.ts";
import { type Bench, type Check, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";
import { randomPredicate, seeded } from "./random.ts";
import { populate } from "./random-checks.ts";
import { asKernelAsks } from "./without-links.ts";

const count: Measure = { kind: "count" };

/** `key, key: measure, measure` of each group, sorted; undefined where the storage does not group. */
function shown(groups: readonly Group[] | undefined): readonly string[] | undefined {
  return groups?.map(({ keys, measures }) => `${keys.map(text).join(", ")}: ${measures.map(text).join(", ")}`).sort();
}

function text(value: Value | undefined): string {
  return value === undefined ? "-" : typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
}

interface Grouped {
  readonly by: readonly GroupKey[];
  readonly measures?: readonly Measure[];
  readonly types?: readonly TypeName[];
  readonly where?: Predicate;
}

function request({ by, measures = [count], types = ["Post"], where }: Grouped): GroupRequest {
  return { over: { types, ...(where && { where }) }, by, measures };
}

async function expectGroups(bench: Bench, grouped: Grouped, expected: readonly string[]): Promise<void> {
  const groups = await bench.read((snapshot) => snapshot.group?.(request(grouped)));
  if (groups) assert.deepEqual(shown(groups), [...expected].sort(), JSON.stringify(grouped.by));
}

const rows: readonly Readonly<Record<string, Stored>>[] = [
  {
    "Post.title": "a",
    "Post.name": "a",
    "Post.plain": "a",
    "Post.rank": 0,
    "Post.big": 9_007_199_254_740_993n,
    "Post.score": 0.1,
    "Post.open": true,
    "Post.at": "2031-04-09T06:00:00.5Z",
  },
  {
    "Post.title": "a",
    "Post.name": "A",
    "Post.plain": "a",
    "Post.rank": 0,
    "Post.big": 9_007_199_254_740_992n,
    "Post.score": 0.2,
    "Post.open": false,
    "Post.at": "2031-04-09T08:00:00.5+02:00",
  },
  {
    "Post.title": "ab",
    "Post.name": "a",
    "Post.rank": -1,
    "Post.big": 9_007_199_254_740_993n,
    "Post.score": -0,
    "Post.open": true,
    "Post.at": "2031-12-31T23:30:00-01:00",
  },
  { "Post.title": "", "Post.plain": "", "Post.score": 0, "Post.at": "0000-01-01T00:00:00+01:00" },
  { "Post.at": "9999-12-31T23:59:59.25-01:00" },
];

export const groupChecks: readonly Check[] = [
  {
    id: "group.kinds",
    level: "MUST",
    title: "groups values of every kind, indexed or not; what has no value is a group",
    why: "A group that is split or lost falsifies each number of a report.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", rows);
      await expectGroups(bench, { by: [{ field: "Post.title" }] }, ['"": 1', '"a": 2', '"ab": 1', "-: 1"]);
      await expectGroups(bench, { by: [{ field: "Post.name" }] }, ['"A": 1', '"a": 2', "-: 2"]);
      await expectGroups(bench, { by: [{ field: "Post.plain" }] }, ['"": 1', '"a": 2', "-: 2"]);
      await expectGroups(bench, { by: [{ field: "Post.rank" }] }, ["-1: 1", "0: 2", "-: 2"]);
      await expectGroups(bench, { by: [{ field: "Post.big" }] }, ["9007199254740992n: 1", "9007199254740993n: 2", "-: 2"]);
      await expectGroups(bench, { by: [{ field: "Post.score" }] }, ["0: 2", "0.1: 1", "0.2: 1", "-: 1"]);
      await expectGroups(bench, { by: [{ field: "Post.open" }] }, ["true: 2", "false: 1", "-: 2"]);
    },
  },
  {
    id: "group.dates",
    level: "MUST",
    title: "groups dates by instant and by units in UTC; years outside 0 to 9999 count as the first or the last",
    why: "A day of another time zone puts what happened at night into the wrong group.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", [...rows, {}]);
      const [first, last] = ['"0000-01-01T00:00:00Z": 1', '"9999-12-31T23:59:59Z": 1'];
      const at = (unit?: GroupKey["unit"]) => ({ by: [{ field: "Post.at", unit }] });
      await expectGroups(bench, at(), ['"2031-04-09T06:00:00.5Z": 2', '"2032-01-01T00:30:00Z": 1', first, last, "-: 1"]);
      await expectGroups(bench, at("hour"), ['"2031-04-09T06:00:00Z": 2', '"2032-01-01T00:00:00Z": 1', first, '"9999-12-31T23:00:00Z": 1', "-: 1"]);
      await expectGroups(bench, at("day"), ['"2031-04-09T00:00:00Z": 2', '"2032-01-01T00:00:00Z": 1', first, '"9999-12-31T00:00:00Z": 1', "-: 1"]);
      await expectGroups(bench, at("month"), ['"2031-04-01T00:00:00Z": 2', '"2032-01-01T00:00:00Z": 1', first, '"9999-12-01T00:00:00Z": 1', "-: 1"]);
      await expectGroups(bench, at("year"), ['"2031-01-01T00:00:00Z": 2', '"2032-01-01T00:00:00Z": 1', first, '"9999-01-01T00:00:00Z": 1', "-: 1"]);
    },
  },
  {
    id: "group.measures",
    level: "MUST",
    title: "computes the measures of each group, floats in uid order; several keys give each combination that occurs",
    why: "Every storage must give the same numbers, to the last bit.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", [...rows, { "Post.title": "a", "Post.score": 0.3, "Post.rank": 7 }]);
      const measures: readonly Measure[] = [
        count,
        { kind: "sum", field: "Post.score" },
        { kind: "avg", field: "Post.rank" },
        { kind: "max", field: "Post.big" },
        { kind: "sum", field: "Post.big" },
        { kind: "min", field: "Post.name" },
      ];
      await expectGroups(bench, { by: [{ field: "Post.title" }], measures }, [
        `"a": 3, ${0.1 + 0.2 + 0.3}, ${7 / 3}, 9007199254740993n, 18014398509481985n, "A"`,
        '"ab": 1, 0, -1, 9007199254740993n, 9007199254740993n, "a"',
        '"": 1, 0, -, -, -, -',
        "-: 1, -, -, -, -, -",
      ]);
      await expectGroups(bench, { by: [{ field: "Post.rank" }, { field: "Post.open" }, { field: "Post.at", unit: "year" }] }, [
        '0, true, "2031-01-01T00:00:00Z": 1',
        '0, false, "2031-01-01T00:00:00Z": 1',
        '-1, true, "2032-01-01T00:00:00Z": 1',
        '-, -, "0000-01-01T00:00:00Z": 1',
        '-, -, "9999-01-01T00:00:00Z": 1',
        "7, -, -: 1",
      ]);
    },
  },
  {
    id: "group.ends",
    level: "MUST",
    title: "groups by the partner at a single end, from whichever side the links are kept; in a transaction as it has written",
    why: "Reports by customer, by author, by stock are groups by a link.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0, b = 0, c = 0] = await bench.create("Post", [{}, { "Post.rank": 1 }, {}]);
      const [x = 0, y = 0] = await bench.create("Author", [{}, {}]);
      await bench.write((transaction) =>
        transaction.write([
          linkOf("link", "Post.author", ["Post", a], ["Author", x]),
          linkOf("link", "Post.author", ["Post", b], ["Author", x]),
          linkOf("link", "Post.next", ["Post", a], ["Post", c]),
        ]),
      );
      await expectGroups(bench, { by: [{ field: "Post.author" }], measures: [count, { kind: "sum", field: "Post.rank" }] }, [
        `${x}: 2, 1`,
        "-: 1, -",
      ]);
      await expectGroups(bench, { by: [{ field: "Post.next" }] }, [`${c}: 1`, "-: 2"]);
      await expectGroups(bench, { by: [{ field: "Post.previous" }] }, [`${a}: 1`, "-: 2"]);
      const within = await bench.write(async (transaction) => {
        await transaction.write([
          linkOf("link", "Post.author", ["Post", c], ["Author", y]),
          { kind: "set", uid: b, type: "Post", fields: { "Post.rank": 5 } },
        ]);
        return transaction.group?.(request({ by: [{ field: "Post.author" }, { field: "Post.rank" }] }));
      });
      if (within) assert.deepEqual(shown(within), [`${x}, -: 1`, `${x}, 5: 1`, `${y}, -: 1`].sort());
    },
  },
  ...[1, 2, 3].map(
    (seed): Check => ({
      id: `group.random.${seed}`,
      level: "MUST",
      title: "returns the groups that a loop over the nodes would make",
      why: "Indexes, columns and the database group in ways of their own; none may show.",
      async run(bench) {
        const pick = seeded(seed * 104_729);
        const { oracle, highest } = await populate(bench, pick, seed === 3 ? 2_000 : 60);
        await bench.read(async (snapshot) => {
          if (!snapshot.group) return;
          const asked = asKernelAsks(snapshot, bench.storage.supports, oracle);
          for (let i = 0; i < (seed === 3 ? 25 : 80); i++) {
            const keys = [...keyed].sort(() => pick(3) - 1).slice(0, 1 + pick(2));
            const types = pick(2) === 0 ? ["Post"] : ["Post", "PostTag"];
            const grouped = { by: keys, measures, types, ...(pick(2) === 0 && { where: randomPredicate(pick, 2, highest) }) };
            assert.deepEqual(shown(await asked.group?.(request(grouped))), await byLoop(asked, grouped), JSON.stringify(keys));
          }
        });
      },
    }),
  ),
];

const keyed: readonly GroupKey[] = ["title", "name", "plain", "rank", "big", "score", "open", "author"].map((name) => ({ field: `Post.${name}` }));
const measures: readonly Measure[] = [
  count,
  { kind: "sum", field: "Post.rank" },
  { kind: "max", field: "Post.big" },
  { kind: "sum", field: "Post.score" },
];

/** The plain meaning, over what `find` returns. */
async function byLoop(snapshot: Snapshot, { by, types = ["Post"], where }: Grouped): Promise<readonly string[]> {
  const fields = [...by.map(({ field }) => field), "Post.rank", "Post.big", "Post.score"];
  const { uids, columns } = await snapshot.find({ types, ...(where && { where }), fields });
  const groups = new Map<string, number[]>();
  for (const row of uids.keys()) {
    const id = by.map((_, k) => text(single(columns[k]?.[row]))).join(", ");
    const members = groups.get(id);
    if (members) members.push(row);
    else groups.set(id, [row]);
  }
  const valuesOf = (column: number, members: readonly number[]) => members.flatMap((row) => single(columns[by.length + column]?.[row]) ?? []);
  const sum = (values: readonly Value[]) => (values.length === 0 ? undefined : values.reduce<number>((total, each) => total + Number(each), 0));
  return [...groups]
    .map(([id, members]) => {
      const longs = valuesOf(1, members).flatMap((each) => (typeof each === "bigint" ? [each] : []));
      const most = longs.length === 0 ? undefined : longs.reduce((a, b) => (b > a ? b : a));
      return `${id}: ${[members.length, sum(valuesOf(0, members)), most, sum(valuesOf(2, members))].map(text).join(", ")}`;
    })
    .sort();
}

/** Zeroes of both signs are equal. */
function single(stored: Stored | undefined): Value | undefined {
  if (Array.isArray(stored)) return undefined;
  return stored === 0 ? 0 : (stored as Value | undefined);
}
