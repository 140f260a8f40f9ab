// Random data and questions against the oracle.

import assert from "node:assert/strict";
import { and, type Change, type FindRequest, type FollowRequest, type MigrateOptions, type Snapshot, type Uid } from "../../../core/storage.ts";
import { type Bench, type Check, createOf } from "./kit.ts";
import { library } from "./layouts.ts";
import { Oracle } from "./oracle.ts";
import { type Pick, randomChanges, randomFields, randomOrder, randomPage, randomPredicate, seeded } from "./random.ts";
import { asKernelAsks } from "./without-links.ts";

/** Writes random nodes and hands back the oracle that knows them. */
export async function populate(
  bench: Bench,
  pick: Pick,
  count: number,
  options?: MigrateOptions,
): Promise<{ readonly oracle: Oracle; readonly highest: Uid }> {
  await bench.deploy(library, "document", options);
  const oracle = new Oracle(library);
  let highest = 0;
  const changes = await bench.write(async (transaction) => {
    const uids = await transaction.uids(count);
    highest = uids.at(-1) ?? 1;
    const all: Change[] = randomChanges(pick, uids);
    await transaction.write(all);
    return all;
  });
  oracle.apply(changes);
  return { oracle, highest };
}

/** One random question of each kind. */
export async function askRandomly(snapshot: Snapshot, oracle: Oracle, pick: Pick, highest: Uid): Promise<void> {
  const order = randomOrder(pick);
  const types = [["Post"], ["Post", "PostTag"], ["PostTag"], ["Author", "Post", "PostTag"], ["Author"]][pick(5)] ?? ["Post"];
  const find: FindRequest = { types, where: randomPredicate(pick, 3, highest), order, page: randomPage(pick, order), fields: ["Post.rank"] };
  const found = await snapshot.find(find);
  assert.deepEqual(found.uids, oracle.find(find), `find ${shown(find)}`);
  const ranks = found.uids.map((uid) => oracle.nodes.get(uid)?.fields.get("Post.rank"));
  assert.deepEqual(found.columns, [ranks], `column of ${shown(find)}`);
  const [counted] = await snapshot.aggregate({
    over: { types, ...(find.where && { where: find.where }) },
    measures: [{ kind: "count" }, { kind: "sum", field: "Post.rank" }, { kind: "max", field: "Post.big" }],
  });
  const all = oracle.find({ types, ...(find.where && { where: find.where }) });
  assert.equal(counted?.[0], all.length, `count of ${shown(find)}`);
  const sums = all.map((uid) => oracle.nodes.get(uid)?.fields.get("Post.rank")).filter((value) => typeof value === "number");
  assert.equal(counted?.[1], sums.length === 0 ? undefined : sums.reduce((a, b) => a + b, 0), `sum of ${shown(find)}`);
  await followRandomly(snapshot, oracle, pick, highest);
}

async function followRandomly(snapshot: Snapshot, oracle: Oracle, pick: Pick, highest: Uid): Promise<void> {
  const end = ["Post.tagged", "~Post.tagged", "Author.posts", "Post.author", "Author.friends"][pick(5)] ?? "Post.tagged";
  const order = end === "Author.posts" ? randomOrder(pick) : [];
  const from = [...oracle.nodes.keys()].filter(() => pick(3) === 0);
  const request: FollowRequest = {
    from,
    end,
    order,
    page: randomPage(pick, order),
    fields: [],
    ...(pick(2) === 0 && { where: randomPredicate(pick, 2, highest) }),
  };
  const links = await snapshot.follow(request);
  const found = from.map((_, i) => links.rows.slice(links.starts[i], links.starts[i + 1]).map((row) => links.nodes.uids[row]));
  assert.deepEqual(found, oracle.follow(request), `follow ${shown(request)}`);
  assert.equal(new Set(links.nodes.uids).size, links.nodes.uids.length, "each node once");
}

function shown(request: object): string {
  return JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
}

export const randomChecks: readonly Check[] = [
  ...[1, 2, 3, 4, 5, 6].map(
    (seed): Check => ({
      id: `random.small.${seed}`,
      level: "MUST",
      title: "returns for every read what a scan of all nodes would",
      why: "The scan of plain objects is the oracle; cases nobody thought of are met here.",
      async run(bench) {
        const pick = seeded(seed * 7919);
        const { oracle, highest } = await populate(bench, pick, 40);
        await bench.read(async (snapshot) => {
          for (let i = 0; i < 150; i++) await askRandomly(asKernelAsks(snapshot, bench.storage.supports, oracle), oracle, pick, highest);
        });
        assert.deepEqual((await bench.storage.verify()).faults, []);
      },
    }),
  ),
  {
    id: "random.deferred",
    level: "MUST",
    title: "returns what a scan would while indexes are deferred, and after they are built",
    why: "A load builds indexes at its end. Its own look-ups, and what others read meanwhile, must not miss a node.",
    async run(bench) {
      const pick = seeded(4_099);
      const { oracle, highest } = await populate(bench, pick, 60, { deferIndexes: true });
      const ask = async () => {
        await bench.read(async (snapshot) => {
          for (let i = 0; i < 60; i++) await askRandomly(asKernelAsks(snapshot, bench.storage.supports, oracle), oracle, pick, highest);
        });
        assert.deepEqual((await bench.storage.verify()).faults, []);
      };
      await ask();
      await bench.deploy(library);
      await ask();
      assert.deepEqual(await bench.storage.compare(library), { obstacles: [], work: [] });
    },
  },
  {
    id: "random.large",
    level: "MUST",
    title: "answers as a scan would on thousands of nodes, also after many removals",
    why: "A scan over plain objects is the oracle; cases nobody thought of are met here.",
    async run(bench) {
      const pick = seeded(4242);
      const { oracle, highest } = await populate(bench, pick, 3_000);
      await bench.read(async (snapshot) => {
        for (let i = 0; i < 12; i++) await askRandomly(asKernelAsks(snapshot, bench.storage.supports, oracle), oracle, pick, highest);
      });
      const changes: Change[] = [...oracle.nodes].filter(() => pick(10) < 9).map(([uid, { type }]) => ({ kind: "remove", uid, type }));
      await bench.write((transaction) => transaction.write(changes));
      oracle.apply(changes);
      await bench.read(async (snapshot) => {
        for (let i = 0; i < 20; i++) await askRandomly(asKernelAsks(snapshot, bench.storage.supports, oracle), oracle, pick, highest);
      });
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "random.transaction",
    level: "MUST",
    title: "a transaction's own reads see its own writes",
    why: "Nested inserts and upserts decide by what they have just written.",
    async run(bench) {
      const pick = seeded(99);
      const { oracle, highest } = await populate(bench, pick, 60);
      await bench.write(async (transaction) => {
        const uids = await transaction.uids(60);
        const changes = randomChanges(pick, uids);
        await transaction.write(changes);
        oracle.apply(changes);
        for (let i = 0; i < 60; i++) await askRandomly(asKernelAsks(transaction, bench.storage.supports, oracle), oracle, pick, highest);
        const [extra = 0] = await transaction.uids(1);
        const late = [createOf(extra, "Post", randomFields(pick, "Post"))];
        await transaction.write(late);
        oracle.apply(late);
        for (let i = 0; i < 30; i++) await askRandomly(asKernelAsks(transaction, bench.storage.supports, oracle), oracle, pick, extra);
      });
      await bench.read(async (snapshot) => {
        for (let i = 0; i < 40; i++) await askRandomly(asKernelAsks(snapshot, bench.storage.supports, oracle), oracle, pick, highest);
        const both = and({ kind: "type", types: ["Post"] }, { kind: "all" });
        assert.deepEqual((await snapshot.find({ types: ["Post", "Author"], where: both, fields: [] })).uids, oracle.find({ types: ["Post"] }));
      });
    },
  },
];
