// What lies beneath a storage: scans longer than a page, many cold reads at once, commits that let others run.

import assert from "node:assert/strict";
import type { Uid } from "../../../core/storage.ts";
import { type Bench, type Check, createOf } from "./kit.ts";
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
