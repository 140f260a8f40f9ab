// What lies beneath a storage: scans longer than a page, many cold reads at once, commits that let others run.

import assert from "node:assert/strict";
import type { Budget, Change, Predicate, Uid } from "../../../core/storage.ts";
import { type Bench, type Check, createOf, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";

/** More than the toolkit scans or reads at once, and no multiple of it. */
const many = 1_234;

/** Posts whose rank and title say which they are, of which nothing is in memory any more. */
async function coldPosts(bench: Bench): Promise<readonly Uid[]> {
  await bench.deploy({ ...library, indexes: [] });
  const uids = await bench.create(
    "Post",
    Array.from({ length: many }, (_, i) => ({ "Post.rank": i, "Post.title": `title ${i}`, "Post.code": `code ${i}` })),
  );
  await bench.storage.close();
  await bench.storage.open();
  await bench.deploy({ ...library, indexes: [] });
  return uids;
}

/** More than databases admit readers at a time, by default. */
const views = 600;

class Enough extends Error {}

/** A scan that its budget ends in the middle. */
async function brokenOff(bench: Bench): Promise<void> {
  const budget: Budget = {
    touched: 0,
    deadline: Number.POSITIVE_INFINITY,
    spend: () => {
      throw new Enough();
    },
  };
  const where: Predicate = { kind: "not", of: { kind: "has", field: "Post.plain" } };
  await assert.rejects(
    async () => await bench.read(async (snapshot) => await snapshot.find({ types: ["Post"], where, fields: [] }), { budget }),
    Enough,
  );
}

interface Everything {
  readonly posts: readonly Uid[];
  readonly tags: readonly Uid[];
  readonly authors: readonly Uid[];
  /** Of each kind these alone stay. */
  readonly kept: number;
}

const count = 60;
const names = Array.from({ length: count }, (_, i) => `removed/${i}`);

/** Nodes with a value in each index and key of their own, links of each kind, and names: each removal has entries that no other one touches. */
async function everything(bench: Bench): Promise<Everything> {
  await bench.deploy(library);
  const rows = Array.from({ length: count }, (_, i) => ({
    "Post.title": `title ${i}`,
    "Post.text": `word${i} common`,
    "Post.rank": i,
    "Post.plain": `plain ${i}`,
    "Post.tags": [`tag ${i}`, "common"],
    "Post.code": `code ${i}`,
    "Post.left": i,
    "Post.right": "r",
  }));
  const [posts, tags, authors] = [
    await bench.create("Post", rows),
    await bench.create(
      "PostTag",
      rows.map((_, i) => ({ "PostTag.title": `t${i}` })),
    ),
    await bench.create(
      "Author",
      rows.map((_, i) => ({ "Author.age": i })),
    ),
  ];
  await bench.write(async (transaction) => {
    await transaction.write(
      posts.flatMap((uid, i) => [
        linkOf("link", "Post.author", ["Post", uid], ["Author", authors[i] ?? 0]),
        linkOf("link", "Post.tagged", ["Post", uid], ["PostTag", tags[i] ?? 0]),
        linkOf("link", "Author.friends", ["Author", authors[i] ?? 0], ["Author", authors[(i + 1) % count] ?? 0]),
      ]),
    );
    for (const name of names) await transaction.setMeta(name, { name });
  });
  return { posts, tags, authors, kept: 3 };
}

/** In one transaction: nodes, values of nodes that stay, links between nodes that stay, names. */
function removeMost(bench: Bench, { posts, tags, authors, kept }: Everything): Promise<void> {
  return bench.write(async (transaction) => {
    await transaction.write([
      ...posts.slice(kept).map((uid): Change => ({ kind: "remove", uid, type: "Post" })),
      ...authors.slice(kept).map((uid): Change => ({ kind: "remove", uid, type: "Author" })),
      ...posts.slice(0, kept).flatMap((uid, i): Change[] => [
        {
          kind: "set",
          uid,
          type: "Post",
          fields: { "Post.title": null, "Post.text": null, "Post.tags": [], "Post.code": null, "Post.plain": null },
        },
        linkOf("unlink", "Post.author", ["Post", uid], ["Author", authors[i] ?? 0]),
        linkOf("unlink", "Post.tagged", ["Post", uid], ["PostTag", tags[i] ?? 0]),
      ]),
    ]);
    for (const name of names) await transaction.setMeta(name, null);
  });
}

async function expectLittle(bench: Bench, { posts, tags, authors, kept }: Everything): Promise<void> {
  await bench.read(async (snapshot) => {
    const fields = ["Post.title", "Post.tags", "Post.rank", "Post.author"];
    const nothing = posts.slice(0, kept).map(() => undefined);
    const left = { uids: posts.slice(0, kept), types: nothing.map(() => "Post"), columns: [nothing, nothing, nothing.map((_, i) => i), nothing] };
    assert.deepEqual(await snapshot.find({ types: ["Post"], fields }), left, "the nodes that stay, without what was removed of them");
    assert.deepEqual(await snapshot.load({ uids: posts, types: ["Post"], fields }), left, "no removed node has its values");
    assert.deepEqual((await snapshot.load({ uids: authors, types: ["Author"], fields: [] })).uids, authors.slice(0, kept));
    for (const [end, from] of [
      ["~Post.tagged", tags],
      ["Author.posts", authors.slice(0, kept)],
    ] as const)
      assert.deepEqual((await snapshot.follow({ from, end, fields: [] })).rows, [], `${end} leads nowhere`);
    for (let i = 0; i < count; i++) {
      const wheres: readonly Predicate[] = [
        { kind: "compare", field: "Post.title", op: "eq", operands: [`title ${i}`] },
        { kind: "compare", field: "Post.tags", op: "eq", operands: [`tag ${i}`] },
        { kind: "lookup", index: "Post.text/words", match: "any", tokens: [`word${i}`] },
      ];
      for (const where of wheres) assert.deepEqual((await snapshot.find({ types: ["Post"], where, fields: [] })).uids, [], JSON.stringify(where));
    }
    for (const name of names) assert.equal(await snapshot.meta(name), undefined);
  });
  assert.deepEqual(await bench.storage.metaNames({ prefix: "removed/", first: count }), []);
  await bench.create(
    "Post",
    posts.map((_, i) => ({ "Post.code": `code ${i}`, ...(i >= kept && { "Post.left": i, "Post.right": "r" }) })),
  );
}

export const storeChecks: readonly Check[] = [
  {
    id: "store.cold-reads",
    level: "MUST",
    title: "many nodes that are read at once after reopening the store have their own values, in the requested order",
    why: "A store that answers many reads in another order than asked gives one person's data as another's.",
    async run(bench) {
      const uids = await coldPosts(bench);
      const scattered = Array.from({ length: many }, (_, i) => (i * 577) % many);
      const asked = scattered.map((i) => uids[i] ?? 0);
      const batch = await bench.read((snapshot) => snapshot.load({ uids: asked, types: ["Post"], fields: ["Post.rank", "Post.title"] }));
      assert.deepEqual(batch.uids, asked, "the nodes asked for, in the order asked");
      assert.deepEqual(batch.columns[0], scattered, "each node with its own rank");
      assert.deepEqual(
        batch.columns[1],
        scattered.map((i) => `title ${i}`),
        "each node with its own title",
      );
    },
  },
  {
    id: "store.pages",
    level: "MUST",
    title: "building an index over existing nodes, and verifying the store, miss no node, however many pages they fill",
    why: "A node that a build has missed is found by no filter, and nothing says so.",
    async run(bench) {
      const uids = await coldPosts(bench);
      await bench.deploy(library, "with indexes");
      const found = await bench.find("Post", { kind: "compare", field: "Post.rank", op: "ge", operands: [0] });
      assert.deepEqual(found, uids, "the new index finds each node");
      const report = await bench.storage.verify();
      assert.deepEqual([report.nodes, report.faults], [many, []], "the check of the store counts each node, and finds no fault");
      const names = Array.from({ length: many }, (_, i) => `page/${String(i).padStart(5, "0")}`);
      await bench.write(async (transaction) => {
        for (const name of names) await transaction.setMeta(name, 1);
      });
      assert.deepEqual(await bench.storage.metaNames({ prefix: "page/", first: 2 * many }), names, "metaNames lists each name");
    },
  },
  {
    id: "store.removals",
    level: "MUST",
    title: "what one transaction removes among much else is gone after reopening the store: nodes, values, links, keys, names",
    why: "A removal that is lost in a long batch shows only when the caches are empty: deleted data come back.",
    async run(bench) {
      const all = await everything(bench);
      await removeMost(bench, all);
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(library);
      assert.deepEqual((await bench.storage.verify()).faults, []);
      await expectLittle(bench, all);
    },
  },
  {
    id: "store.views",
    level: "MUST",
    title: `${views} views between writes, with reads that end early and reads that a budget ends, use up nothing: later reads and writes succeed`,
    why: "Databases admit some hundred readers or cursors at a time; one that each request leaves open stops the server after an hour.",
    async run(bench) {
      const uids = await coldPosts(bench);
      await bench.write((transaction) => transaction.setMeta("view/a", 1));
      await bench.write((transaction) => transaction.setMeta("view/b", 1));
      for (let i = 0; i < views; i++) {
        if (i % 3 === 0) await bench.create("Author", [{ "Author.age": i }]);
        if (i % 8 === 1) await brokenOff(bench);
        const first = await bench.read((snapshot) => snapshot.find({ types: ["Post"], page: { first: 1 }, fields: [] }));
        assert.deepEqual(first.uids, uids.slice(0, 1));
        assert.deepEqual(await bench.storage.metaNames({ prefix: "view/", first: 1 }), ["view/a"]);
      }
      assert.equal((await bench.create("Author", [{}])).length, 1);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "store.turns",
    level: "MUST",
    title: "a transaction resolves in a later turn of the event loop, so that timers and sockets run between consecutive writers",
    why: "One client that writes without a pause would stop the server for all others.",
    async run(bench) {
      await bench.deploy(library);
      let turns = 0;
      let counting = true;
      const count = () => {
        turns++;
        if (counting) setImmediate(count);
      };
      setImmediate(count);
      for (let i = 0; i < inARow; i++) {
        await bench.write(async (transaction) => {
          const [uid = 0] = await transaction.uids(1);
          await transaction.write([createOf(uid, "Author", { "Author.age": i })]);
        });
      }
      counting = false;
      assert.ok(turns >= inARow / 4, `${inARow} transactions one after the other left ${turns} turns to others; expected about one for each`);
    },
  },
];

const inARow = 40;
