// Every method in every state.

import assert from "node:assert/strict";
import type { Check } from "./kit.ts";
import { library } from "./layouts.ts";

const closed = { code: "STORE_CLOSED" };

export const lifecycleChecks: readonly Check[] = [
  {
    id: "life.nothing-deployed",
    level: "MUST",
    title: "a new storage has nothing deployed and no names",
    async run({ storage }) {
      assert.equal(await storage.deployed(), undefined);
      const snapshot = storage.snapshot({ version: 0 });
      assert.equal(await snapshot.meta("anything"), undefined);
      snapshot.close();
    },
  },
  {
    id: "life.closed",
    level: "MUST",
    title: "after close every call fails with STORE_CLOSED, and closing again does nothing",
    async run({ storage }) {
      await storage.close();
      await storage.close();
      assert.throws(() => storage.snapshot({ version: 0 }), closed);
      await assert.rejects(
        storage.transact(() => undefined, { version: 0 }),
        closed,
      );
      await assert.rejects(storage.migrate(library, ""), closed);
      await assert.rejects(storage.verify(), closed);
    },
  },
  {
    id: "life.reopen",
    level: "MUST",
    title: "data, names, document and version are there after closing and opening again",
    async run(bench) {
      await bench.deploy(library, "type Post { ... } \u{1f600}");
      const [uid = 0] = await bench.create("Post", [{ "Post.code": "one", "Post.rank": 1 }]);
      await bench.write((transaction) => transaction.setMeta("counter", { of: [1, "two", null] }));
      const before = { deployed: await bench.storage.deployed(), latest: bench.storage.latest() };
      await bench.storage.close();
      await bench.storage.open();
      assert.deepEqual({ deployed: await bench.storage.deployed(), latest: bench.storage.latest() }, before);
      await bench.deploy(library, "type Post { ... } \u{1f600}");
      assert.equal(bench.version, before.deployed?.version, "the same layout is no new version");
      await bench.read(async (snapshot) => {
        assert.deepEqual(await snapshot.meta("counter"), { of: [1, "two", null] });
        const found = await snapshot.find({
          types: ["Post"],
          where: { kind: "compare", field: "Post.code", op: "eq", operands: ["one"] },
          fields: ["Post.rank"],
        });
        assert.deepEqual([found.uids, found.columns], [[uid], [[1]]]);
      });
      const [next = 0] = await bench.create("Post", [{}]);
      assert.ok(next > uid, "a uid is never given twice");
    },
  },
  {
    id: "life.uids",
    level: "MUST",
    title: "uids ascend, and those of removed nodes and of failed transactions are not given again",
    async run(bench) {
      await bench.deploy(library);
      const [first = 0, second = 0] = await bench.create("Post", [{}, {}]);
      assert.ok(first >= 1 && second > first);
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: second, type: "Post" }]));
      let lost = 0;
      await assert.rejects(
        bench.write(async (transaction) => {
          [lost = 0] = await transaction.uids(1);
          throw new Error("no");
        }),
        /no/,
      );
      const [third = 0] = await bench.create("Post", [{}]);
      assert.ok(third > second && third > lost);
    },
  },
  {
    id: "life.own-uids",
    level: "MUST",
    title: "an import brings its own uids, up to 2^53 - 2, and later ones are above",
    async run(bench) {
      await bench.deploy(library);
      const uids = [255, 256, 257, 65_535, 65_536, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 5_000];
      await bench.write((transaction) =>
        transaction.write(uids.map((uid) => ({ kind: "create", uid, type: "Post", fields: { "Post.rank": uid % 7, "Post.title": "t" } }))),
      );
      await bench.read(async (snapshot) => {
        assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, uids);
        assert.deepEqual(
          (await snapshot.find({ types: ["Post"], where: { kind: "compare", field: "Post.title", op: "eq", operands: ["t"] }, fields: [] })).uids,
          uids,
        );
        const ranked = await snapshot.find({ types: ["Post"], order: [{ field: "Post.rank", direction: "asc" }], fields: ["Post.rank"] });
        assert.deepEqual(ranked.columns[0], uids.map((uid) => uid % 7).sort());
        assert.deepEqual((await snapshot.load({ uids: [256, 258, 255, 256], types: ["Post"], fields: [] })).uids, [256, 255, 256]);
      });
      const [next = 0] = await bench.create("Post", [{}]);
      assert.ok(next > 2 ** 53 - 5_000);
    },
  },
  {
    id: "life.meta",
    level: "MUST",
    title: "names hold any JSON, null forgets one, a neighbour of the same beginning stays",
    async run(bench) {
      await bench.deploy(library);
      await bench.write(async (transaction) => {
        await transaction.setMeta("a", 1);
        await transaction.setMeta("ab", [true]);
        await transaction.setMeta("", "empty");
        assert.equal(await transaction.meta("a"), 1);
      });
      await bench.write((transaction) => transaction.setMeta("a", null));
      await bench.read(async (snapshot) => {
        assert.deepEqual([await snapshot.meta("a"), await snapshot.meta("ab"), await snapshot.meta("")], [undefined, [true], "empty"]);
      });
    },
  },
];
