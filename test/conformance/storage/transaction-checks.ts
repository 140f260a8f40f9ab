// Transactions: all or nothing, keys under races, views that stand still.

import assert from "node:assert/strict";
import { type Change, type MetaNamesRequest, type Predicate, QuernError, type Snapshot, type Uid } from "../../../core/storage.ts";
import { type Check, createOf, linkOf } from "./kit.ts";
import { harbour, library } from "./layouts.ts";

export const transactionChecks: readonly Check[] = [
  {
    id: "tx.atomic",
    level: "MUST",
    title: "an error that work throws reaches the caller, and nothing is stored",
    why: "A mutation that fails must leave no trace.",
    async run(bench) {
      await bench.deploy(library);
      const before = bench.storage.latest();
      await assert.rejects(
        bench.write(async (transaction) => {
          const [uid = 0] = await transaction.uids(1);
          await transaction.write([createOf(uid, "Post", { "Post.code": "x", "Post.title": "t" })]);
          await transaction.setMeta("half", true);
          throw new RangeError("changed my mind");
        }),
        RangeError,
      );
      assert.equal(bench.storage.latest(), before);
      await bench.read(async (snapshot) => {
        assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, []);
        assert.equal(await snapshot.meta("half"), undefined);
      });
      await bench.create("Post", [{ "Post.code": "x" }]);
    },
  },
  {
    id: "tx.meta-names",
    level: "MUST",
    title: "metaNames lists the names that start with a prefix, in order, cut, starting after a name; removed names are not listed",
    why: "What is kept under many names is bounded by counting the names.",
    async run(bench) {
      await bench.deploy(library);
      const names = ["a", "k/", "k/1", "k/10", "k/2", "k/é", "k/\uffee", "k/\u{1f600}", "k0", "l/1"];
      await bench.write(async (transaction) => {
        for (const name of [...names].reverse()) await transaction.setMeta(name, { value: "v".repeat(5_000) });
        await transaction.setMeta("k/gone", 1);
      });
      await bench.write((transaction) => transaction.setMeta("k/gone", null));
      const list = (request: Omit<MetaNamesRequest, "prefix">) => bench.storage.metaNames({ prefix: "k/", ...request });
      assert.deepEqual(await list({ first: 100 }), ["k/", "k/1", "k/10", "k/2", "k/é", "k/\uffee", "k/\u{1f600}"]);
      assert.deepEqual(await list({ first: 2 }), ["k/", "k/1"]);
      assert.deepEqual(await list({ first: 2, after: "k/1" }), ["k/10", "k/2"]);
      assert.deepEqual(await list({ first: 2, after: "a" }), ["k/", "k/1"]);
      assert.deepEqual(await list({ first: 2, after: "k/\u{1f600}" }), []);
      assert.deepEqual(await bench.storage.metaNames({ prefix: "none", first: 1 }), []);
    },
  },
  {
    id: "tx.committed-view",
    level: "MUST",
    title: "the view of a commit, where the storage has one, shows what the commit left and nothing later, as a snapshot after it does",
    why: "The payload of a mutation is what the mutation stored.",
    async run(bench) {
      await bench.deploy(library);
      const [ada = 0, bob = 0] = await bench.create("Author", [{ "Author.name": "Ada" }, { "Author.name": "Bob" }]);
      const committed = await bench.storage.transact(
        async (transaction) => {
          const [post = 0, gone = 0] = await transaction.uids(2);
          const fields = { "Post.title": "t", "Post.nums": [3, 1], "Post.big": 9007199254740993n, "Post.at": "2031-04-09T12:00:00+02:00" };
          await transaction.write([
            createOf(post, "Post", fields),
            createOf(gone, "Post", {}),
            linkOf("link", "Post.author", ["Post", post], ["Author", ada]),
          ]);
          await transaction.write([
            { kind: "set", uid: bob, type: "Author", fields: { "Author.age": 40 } },
            { kind: "remove", uid: gone, type: "Post" },
          ]);
          return { post, gone };
        },
        { version: bench.version },
      );
      const { post, gone } = committed.result;
      const views = [
        bench.storage.snapshot({ version: bench.version, after: committed.token }),
        ...(committed.snapshot ? [committed.snapshot({ version: bench.version })] : []),
      ];
      await bench.write((transaction) =>
        transaction.write([
          { kind: "set", uid: post, type: "Post", fields: { "Post.title": "later" } },
          { kind: "set", uid: ada, type: "Author", fields: { "Author.name": "later" } },
          { kind: "remove", uid: bob, type: "Author" },
        ]),
      );
      for (const view of views) {
        const fields = ["Post.title", "Post.nums", "Post.big", "Post.at", "Post.author"];
        const rows = { uids: [post], types: ["Post"], columns: [["t"], [[3, 1]], [9007199254740993n], ["2031-04-09T12:00:00+02:00"], [ada]] };
        assert.deepEqual(await view.find({ types: ["Post"], where: { kind: "uids", uids: [post, gone] }, fields }), rows);
        assert.deepEqual(await view.load({ uids: [gone, post], types: ["Post"], fields }), rows);
        const titled = (title: string): Predicate => ({ kind: "compare", field: "Post.title", op: "eq", operands: [title] });
        const among = (where: Predicate): Predicate => ({ kind: "and", of: [{ kind: "uids", uids: [post] }, where] });
        assert.deepEqual((await view.find({ types: ["Post"], where: among(titled("t")), fields: [] })).uids, [post]);
        assert.deepEqual((await view.find({ types: ["Post"], where: among(titled("later")), fields: [] })).uids, []);
        assert.deepEqual(
          (await view.find({ types: ["Author"], where: { kind: "uids", uids: [ada, bob] }, fields: ["Author.name", "Author.age"] })).columns,
          [
            ["Ada", "Bob"],
            [undefined, 40],
          ],
        );
        assert.deepEqual((await view.follow({ from: [ada], end: "Author.posts", fields: ["Post.title"] })).nodes.columns, [["t"]]);
        view.close();
      }
    },
  },
  {
    id: "tx.snapshot",
    level: "MUST",
    title: "a snapshot does not change: it shows no later commit, cached or not; a new snapshot shows them",
    why: "A request that reads twice must not see two states.",
    async run(bench) {
      await bench.deploy(library);
      const uids = await bench.create(
        "Post",
        Array.from({ length: 600 }, (_, i) => ({ "Post.title": "t", "Post.rank": i })),
      );
      const held = bench.storage.snapshot({ version: bench.version });
      const { at } = held;
      assert.equal(at, bench.storage.latest());
      const hot = await held.load({ uids: uids.slice(0, 5), types: ["Post"], fields: ["Post.rank"] });
      for (let round = 0; round < 3; round++) {
        await bench.write((transaction) =>
          transaction.write([
            ...uids
              .slice(0, 300)
              .map((uid) => ({ kind: "set" as const, uid, type: "Post", fields: { "Post.rank": -round - 1, "Post.title": `u${round}` } })),
          ]),
        );
        await bench.write((transaction) => transaction.write([{ kind: "remove", uid: uids[599 - round] ?? 0, type: "Post" }]));
        assert.deepEqual(await held.load({ uids: uids.slice(0, 5), types: ["Post"], fields: ["Post.rank"] }), hot);
        const found = await held.find({
          types: ["Post"],
          where: { kind: "compare", field: "Post.title", op: "eq", operands: ["t"] },
          order: [{ field: "Post.rank", direction: "desc" }],
          fields: ["Post.rank"],
        });
        assert.deepEqual(
          found.columns[0],
          uids.map((_, i) => 599 - i),
        );
        assert.equal(held.at, at, "a view names the commit that it shows");
      }
      held.close();
      await bench.read(async (snapshot) => {
        const found = await snapshot.find({
          types: ["Post"],
          where: { kind: "compare", field: "Post.title", op: "eq", operands: ["t"] },
          fields: [],
        });
        assert.equal(found.uids.length, 297);
        assert.equal(snapshot.at, bench.storage.latest());
      });
    },
  },
  {
    id: "tx.keys",
    level: "MUST",
    title: "a key is unique under races, within one transaction, and with several fields; nodes without one of its fields take no key",
    why: "Uniqueness that is checked outside the transaction is lost under load.",
    async run(bench) {
      await bench.deploy(library);
      const race = await Promise.allSettled(Array.from({ length: 20 }, () => bench.create("Post", [{ "Post.code": "one" }])));
      const lost = race.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      assert.equal(lost.length, 19);
      for (const error of lost) assert.equal(error.code, "KEY_TAKEN");
      const [holder = 0] = (await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: [] }))).uids;
      assert.ok(Object.values(lost[0].details).includes(holder), "the holder is named");
      await assert.rejects(bench.create("Post", [{ "Post.code": "two" }, { "Post.code": "two" }]), { code: "KEY_TAKEN" });
      await bench.create("Post", [
        { "Post.left": 1, "Post.right": "a" },
        { "Post.left": 1, "Post.right": "b" },
        { "Post.left": 1 },
        { "Post.left": 1 },
      ]);
      await assert.rejects(bench.create("Post", [{ "Post.left": 1, "Post.right": "b" }]), { code: "KEY_TAKEN" });
      await bench.write((transaction) =>
        transaction.write([
          { kind: "set", uid: holder, type: "Post", fields: { "Post.code": "three" } },
          { kind: "set", uid: holder, type: "Post", fields: { "Post.code": "three" } },
        ]),
      );
      await bench.create("Post", [{ "Post.code": "one" }]);
      await assert.rejects(bench.create("Post", [{ "Post.code": "three" }]), { code: "KEY_TAKEN" });
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: holder, type: "Post" }]));
      await bench.create("Post", [{ "Post.code": "three" }]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "tx.serial",
    level: "MUST",
    title: "counters that many transactions read, hold and write concurrently lose no update",
    why: "A held node is what counters and stock stand on; a lost update is silent.",
    async run(bench) {
      await bench.deploy(library);
      const [uid = 0] = await bench.create("Post", [{ "Post.rank": 0 }]);
      const increment = () =>
        bench.write(async (transaction) => {
          await transaction.hold([{ uid, type: "Post" }]);
          const { columns } = await transaction.load({ uids: [uid], types: ["Post"], fields: ["Post.rank"] });
          await transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.rank": Number(columns[0]?.[0]) + 1 } }]);
        });
      await Promise.all(Array.from({ length: 100 }, increment));
      await bench.read(async (snapshot) =>
        assert.deepEqual((await snapshot.load({ uids: [uid], types: ["Post"], fields: ["Post.rank"] })).columns, [[100]]),
      );
    },
  },
  {
    id: "tx.stale",
    level: "MUST",
    title: "a write planned for another layout fails with STALE_LAYOUT; a read continues",
    why: "A write that was planned for old indexes would leave the new ones wrong.",
    async run(bench) {
      await bench.deploy(library);
      const [uid] = await bench.create("Post", [{ "Post.rank": 1 }]);
      const old = bench.version;
      await bench.deploy({ ...library, indexes: [] });
      assert.ok(bench.version > old);
      await assert.rejects(
        bench.storage.transact((transaction) => transaction.setMeta("x", 1), { version: old }),
        { code: "STALE_LAYOUT" },
      );
      await bench.read(
        async (snapshot) => {
          const found = await snapshot.find({
            types: ["Post"],
            where: { kind: "compare", field: "Post.rank", op: "ge", operands: [1] },
            order: [{ field: "Post.rank", direction: "asc" }],
            fields: [],
          });
          assert.deepEqual(found.uids, [uid]);
        },
        { version: old },
      );
    },
  },
  {
    id: "tx.nothing-written",
    level: "MUST",
    title: "a transaction that writes nothing has a result, no record, and makes no commit",
    why: "Listeners and caches would wake for nothing.",
    async run(bench) {
      await bench.deploy(library);
      const before = bench.storage.latest();
      const { result, record, token } = await bench.storage.transact(() => 42, { version: bench.version });
      assert.deepEqual([result, record, token, bench.storage.latest()], [42, undefined, before, before]);
    },
  },
  {
    id: "tx.unseen",
    level: "MUST",
    title: "uncommitted writes are visible only to their transaction: a snapshot taken before the commit never shows them, not even afterwards",
    why: "Half a mutation, or one that fails in the end, must not reach an answer.",
    async run(bench) {
      await bench.deploy(library);
      const [old] = await bench.create("Post", [{ "Post.title": "old" }]);
      const meanwhile: Snapshot[] = [];
      const { result, token } = await bench.storage.transact(
        async (transaction) => {
          const [uid = 0] = await transaction.uids(1);
          await transaction.write([createOf(uid, "Post", { "Post.title": "new" })]);
          meanwhile.push(bench.storage.snapshot({ version: bench.version }));
          assert.deepEqual((await transaction.find({ types: ["Post"], fields: [] })).uids, [old, uid], "its own reads see its writes");
          return uid;
        },
        { version: bench.version },
      );
      for (const snapshot of meanwhile) {
        assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, [old]);
        snapshot.close();
      }
      await bench.read(async (snapshot) => assert.deepEqual((await snapshot.find({ types: ["Post"], fields: [] })).uids, [old, result]), {
        after: token,
      });
    },
  },
  {
    id: "tx.ends",
    level: "MUST",
    title: "of many transactions that set one single end concurrently, one succeeds and the others get END_TAKEN",
    why: "A single link with two partners is seen differently from either side.",
    async run(bench) {
      await bench.deploy(library);
      const [post = 0] = await bench.create("Post", [{}]);
      const authors = await bench.create("Author", [{}, {}, {}, {}, {}, {}, {}, {}]);
      const race = await Promise.allSettled(
        authors.map((from) =>
          bench.write((transaction) =>
            transaction.write([{ kind: "link", end: "Author.posts", from, fromType: "Author", to: post, toType: "Post" }]),
          ),
        ),
      );
      const lost = race.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
      assert.deepEqual(lost, Array(authors.length - 1).fill("END_TAKEN"));
      const winner = authors[race.findIndex(({ status }) => status === "fulfilled")];
      await bench.read(async (snapshot) =>
        assert.deepEqual((await snapshot.load({ uids: [post], types: ["Post"], fields: ["Post.author"] })).columns, [[winner]]),
      );
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "tx.held",
    level: "MUST",
    title: "a node that a transaction holds and links to cannot be removed concurrently: no link leads to a missing node",
    why: "A check outside the commit would link to a node that another request has just deleted.",
    async run(bench) {
      await bench.deploy(library);
      for (let round = 0; round < 12; round++) {
        const [author = 0] = await bench.create("Author", [{}]);
        const [post = 0] = await bench.create("Post", [{}]);
        const link = () =>
          bench.write(async (transaction) => {
            await transaction.hold([{ uid: author, type: "Author" }]);
            const { uids } = await transaction.load({ uids: [author], types: ["Author"], fields: [] });
            if (uids.length > 0)
              await transaction.write([{ kind: "link", end: "Post.author", from: post, fromType: "Post", to: author, toType: "Author" }]);
          });
        const remove = () => bench.write((transaction) => transaction.write([{ kind: "remove", uid: author, type: "Author" }]));
        await Promise.all(round % 2 === 0 ? [link(), remove()] : [remove(), link()]);
        await bench.read(async (snapshot) =>
          assert.deepEqual(
            (await snapshot.load({ uids: [post], types: ["Post"], fields: ["Post.author"] })).columns,
            [[undefined]],
            `round ${round}`,
          ),
        );
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "tx.linked",
    level: "MUST",
    title: "a node that a transaction links to without holding it cannot be removed concurrently, at either side of any kind of link",
    why: "Nothing is decided by the values of a node that is only linked to, so nobody holds it.",
    async run(bench) {
      await bench.deploy(library);
      const ends = [
        { end: "Post.author", fromType: "Post", toType: "Author" },
        { end: "Author.posts", fromType: "Author", toType: "Post" },
        { end: "Post.tagged", fromType: "Post", toType: "PostTag" },
        { end: "Post.next", fromType: "Post", toType: "Post" },
        { end: "Author.friends", fromType: "Author", toType: "Author" },
        { end: "Author.spouse", fromType: "Author", toType: "Author" },
      ] as const;
      for (let round = 0; round < 12; round++) {
        for (const { end, fromType, toType } of ends) {
          const [from = 0] = await bench.create(fromType, [{}]);
          const [to = 0] = await bench.create(toType, [{}]);
          const link = () =>
            bench.write(async (transaction) => {
              const { uids } = await transaction.load({ uids: [from, to], types: [fromType, toType], fields: [] });
              if (uids.length === 2) await transaction.write([{ kind: "link", end, from, fromType, to, toType }]);
            });
          const gone = round % 4 < 2 ? { uid: to, type: toType } : { uid: from, type: fromType };
          const remove = () => bench.write((transaction) => transaction.write([{ kind: "remove", ...gone }]));
          await Promise.all(round % 2 === 0 ? [link(), remove()] : [remove(), link()]);
        }
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "tx.in-order",
    level: "MUST",
    title: "changes of one write apply in order: a key or single end is free after the change that frees it, and not before",
    why: "Two objects swap a slug in one mutation; whether that goes must not depend on the storage.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0, b = 0, c = 0] = await bench.create("Post", [{ "Post.code": "x" }, {}, {}]);
      const code = (uid: Uid, value: string | null): Change => ({ kind: "set", uid, type: "Post", fields: { "Post.code": value } });
      const next = (kind: "link" | "unlink", from: Uid, to: Uid) => linkOf(kind, "Post.next", ["Post", from], ["Post", to]);
      const write = (...changes: Change[]) => bench.write((transaction) => transaction.write(changes));
      const codes = async () => (await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: ["Post.code"] }))).columns[0];
      await assert.rejects(write(code(b, "x"), code(a, "y")), { code: "KEY_TAKEN" });
      assert.deepEqual(await codes(), ["x", undefined, undefined]);
      await write(code(a, "y"), code(b, "x"));
      await write(code(a, null), code(b, "y"), code(a, "x"));
      assert.deepEqual(await codes(), ["x", "y", undefined], "swapped");
      await write(next("link", a, b));
      await assert.rejects(write(next("link", c, b), next("unlink", a, b)), { code: "END_TAKEN" });
      await write(next("unlink", a, b), next("link", c, b));
      assert.deepEqual([await bench.partners("Post.previous", b), await bench.partners("Post.next", a)], [[c], []]);
      await write({ kind: "remove", uid: a, type: "Post" }, code(c, "x"));
      assert.deepEqual(await codes(), ["y", "x"]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "tx.key-of-types",
    level: "MUST",
    title: "a key of several types is unique among them all, also under races, and names the holder",
    why: "An interface's key means one object; a key that is kept for each type lets in two.",
    async run(bench) {
      await bench.deploy(harbour);
      const [ketch = 0] = await bench.create("Ketch", [{ "Vessel.name": "n" }]);
      await assert.rejects(bench.create("Yawl", [{ "Vessel.name": "n" }]), (error: unknown) => {
        assert.ok(error instanceof QuernError && error.code === "KEY_TAKEN", String(error));
        assert.ok(Object.values(error.details ?? {}).includes(ketch), "the holder is named");
        return true;
      });
      const race = await Promise.allSettled(["Ketch", "Yawl", "Ketch", "Yawl"].map((type) => bench.create(type, [{ "Vessel.name": "race" }])));
      assert.equal(race.filter(({ status }) => status === "fulfilled").length, 1);
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: ketch, type: "Ketch" }]));
      await bench.create("Yawl", [{ "Vessel.name": "n" }]);
      await assert.rejects(bench.create("Ketch", [{ "Vessel.name": "n" }]), { code: "KEY_TAKEN" });
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
