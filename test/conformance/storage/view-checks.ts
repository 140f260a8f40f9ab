// What a view promises whatever is asked of it: calls that overlap, lists asked for twice, types that are narrowed, others that run meanwhile.

import assert from "node:assert/strict";
import { lasting, type Predicate, type Snapshot } from "../../../core/storage.ts";
import { moor } from "./hidden-link-checks.ts";
import { type Check, linkOf } from "./kit.ts";
import { library, shared } from "./layouts.ts";

/** Others take a turn whenever they can. @param work gets how many they have had */
async function whileOthersRun(work: (turn: () => number) => PromiseLike<unknown>): Promise<void> {
  let turns = 0;
  let running = true;
  const tick = () => {
    if (!running) return;
    turns++;
    setImmediate(tick);
  };
  setImmediate(tick);
  await work(() => turns);
  running = false;
}

function spend(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
}

export const viewChecks: readonly Check[] = [
  {
    id: "view.overlap",
    level: "MUST",
    title: "concurrent calls on one view, also beside writes, return what single calls return",
    why: "A request asks for its parts side by side; an answer that is mixed with another's is nobody's.",
    async run(bench) {
      await bench.deploy(library);
      const [author = 0] = await bench.create("Author", [{ "Author.age": 7 }]);
      const posts = await bench.create(
        "Post",
        Array.from({ length: 300 }, (_, i) => ({ "Post.rank": i, "Post.title": i % 2 === 0 ? "even" : "odd" })),
      );
      await bench.write((transaction) => transaction.write(posts.map((uid) => linkOf("link", "Post.author", ["Post", uid], ["Author", author]))));
      const where: Predicate = { kind: "compare", field: "Post.title", op: "eq", operands: ["odd"] };
      await bench.read(async (snapshot) => {
        const questions = [
          () => snapshot.find({ types: ["Post"], where, fields: ["Post.rank"] }),
          () => snapshot.find({ types: ["Post"], order: [{ field: "Post.rank", direction: "desc" }], page: { first: 5 }, fields: [] }),
          () => snapshot.follow({ from: [author], end: "Author.posts", where, page: { first: 3, offset: 100 }, fields: ["Post.title"] }),
          () => snapshot.load({ uids: posts.slice(250), types: ["Post"], fields: ["Post.rank", "Post.author"] }),
          () => snapshot.aggregate({ over: { types: ["Post"], where }, measures: [{ kind: "count" }, { kind: "sum", field: "Post.rank" }] }),
          () => snapshot.meta("nothing"),
        ];
        const alone: unknown[] = [];
        for (const ask of questions) alone.push(await ask());
        const writing = bench.create(
          "Post",
          Array.from({ length: 100 }, () => ({ "Post.title": "odd" })),
        );
        const together = await Promise.all([...questions, ...questions].map((ask) => ask()));
        await writing;
        assert.deepEqual(together, [...alone, ...alone]);
      });
    },
  },
  {
    id: "view.load",
    level: "MUST",
    title: "load returns nodes in the requested order, each as often as requested, without unknown nodes and nodes of other types",
    why: "A client that asks for authors by id must not see a password reset that has this uid.",
    async run(bench) {
      await bench.deploy(library);
      const [p = 0, q = 0] = await bench.create("Post", [{ "Post.title": "p" }, { "Post.title": "q" }]);
      const [a = 0] = await bench.create("Author", [{ "Author.age": 7 }]);
      await bench.read(async (snapshot) => {
        const uids = [q, a, p, q, a + 1_000, q];
        assert.deepEqual(await snapshot.load({ uids, types: ["Post"], fields: ["Post.title"] }), {
          uids: [q, p, q, q],
          types: ["Post", "Post", "Post", "Post"],
          columns: [["q", "p", "q", "q"]],
        });
        assert.deepEqual(await snapshot.load({ uids, types: ["PostTag", "Author"], fields: ["Author.age", "Post.title"] }), {
          uids: [a],
          types: ["Author"],
          columns: [[7], [undefined]],
        });
        assert.deepEqual((await snapshot.load({ uids, types: [], fields: [] })).uids, []);
      });
    },
  },
  {
    id: "view.types",
    level: "MUST",
    title: "a follow with fewer types sees fewer nodes, in lists, pages and measures",
    why: "A fragment on one type of an interface, and a rule on another, ask this way; a page must be cut from what is seen.",
    async run(bench) {
      await bench.deploy(shared(["Ketch", "Yawl"]));
      const { o, k, y } = await moor(bench);
      const [second = 0] = await bench.create("Yawl", [{}]);
      await bench.write((transaction) => transaction.write([linkOf("link", "Owner.yawls", ["Owner", o], ["Yawl", second])]));
      await bench.read(async (snapshot) => {
        const follow = async (types: readonly string[], page?: { readonly first: number }) =>
          (await snapshot.follow({ from: [o], end: "Owner.yawls", types, fields: [], ...(page && { page }) })).nodes.uids;
        assert.deepEqual(
          [await follow(["Yawl"]), await follow(["Ketch"]), await follow([])],
          [[y, second], [], []],
          "an end never shows other types",
        );
        assert.deepEqual(await follow(["Ketch", "Yawl"], { first: 1 }), [y]);
        const owners = await snapshot.follow({ from: [k, y], end: "Vessel.owner", types: ["Yawl"], fields: [] });
        assert.deepEqual([owners.starts, owners.rows, owners.nodes.uids], [[0, 0, 0], [], []]);
        const [row] = await snapshot.aggregate({ over: { from: [o], end: "Owner.yawls", types: ["Ketch"] }, measures: [{ kind: "count" }] });
        assert.deepEqual(row, [0]);
      });
    },
  },
  {
    id: "view.lasting",
    level: "MUST",
    title:
      "a condition said to be lasting holds for what it holds for without that word: after writes, in transactions, on older views, for other types",
    why: "Rules of @auth are lasting: an answer kept from before a write shows what is forbidden now.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0, b = 0] = await bench.create("Author", [{ "Author.age": 1 }, { "Author.age": 9 }]);
      const posts = await bench.create(
        "Post",
        Array.from({ length: 40 }, (_, i) => ({ "Post.rank": i % 4, "Named.label": i % 2 === 0 ? "in" : "out" })),
      );
      await bench.create("PostTag", [{ "Named.label": "in" }]);
      await bench.write((transaction) =>
        transaction.write(posts.map((uid, i) => linkOf("link", "Post.author", ["Post", uid], ["Author", i % 3 === 0 ? a : b]))),
      );
      const label: Predicate = { kind: "compare", field: "Named.label", op: "eq", operands: ["in"] };
      const grown: Predicate = { kind: "compare", field: "Author.age", op: "ge", operands: [5] };
      const makers: readonly (() => Predicate)[] = [
        () => ({ ...label }),
        () => ({ kind: "not", of: { ...label } }),
        () => ({ kind: "and", of: [{ ...label }, { kind: "compare", field: "Post.rank", op: "lt", operands: [3] }] }),
        ...(bench.storage.supports.linked ? [(): Predicate => ({ kind: "linked", end: "Post.author", where: { ...grown }, atLeast: 1 })] : []),
      ];
      const pairs = makers.map((make) => ({ kept: lasting(make()), make }));
      const agree = async (view: Pick<Snapshot, "find">, when: string) => {
        for (const { kept, make } of pairs)
          for (const types of [["Post"], ["Post", "PostTag"]])
            assert.deepEqual(
              (await view.find({ types, where: kept, fields: [] })).uids,
              (await view.find({ types, where: make(), fields: [] })).uids,
              `${when}: ${JSON.stringify(make())} on ${types}`,
            );
      };
      const old = bench.storage.snapshot({ version: bench.version });
      const seen = (await old.find({ types: ["Post"], where: { ...label }, fields: [] })).uids;
      const changes = [
        posts.slice(0, 9).map((uid) => ({ kind: "set" as const, uid, type: "Post", fields: { "Named.label": "out", "Post.rank": null } })),
        [{ kind: "set" as const, uid: b, type: "Author", fields: { "Author.age": 2 } }],
        [linkOf("unlink", "Post.author", ["Post", posts[0] ?? 0], ["Author", a]), { kind: "remove" as const, uid: posts[20] ?? 0, type: "Post" }],
        [{ kind: "remove" as const, uid: a, type: "Author" }],
      ];
      for (const [round, change] of changes.entries()) {
        // Asked often enough to be worth keeping.
        for (let i = 0; i < 3; i++) await bench.read((snapshot) => agree(snapshot, `before write ${round}`));
        await bench.write(async (transaction) => {
          await agree(transaction, `in transaction ${round}, before its write`);
          await transaction.write(change);
          await agree(transaction, `in transaction ${round}, after its write`);
        });
        await bench.read((snapshot) => agree(snapshot, `after write ${round}`));
        await agree(old, `on the view from before write ${round}`);
        assert.deepEqual((await old.find({ types: ["Post"], where: pairs[0]?.kept ?? label, fields: [] })).uids, seen);
      }
      old.close();
    },
  },
  {
    id: "view.lets-others-run",
    level: "MUST",
    title: "a read of many nodes lets other work run in between",
    why: "One long scan must not hold up every other request of the server.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create(
        "Post",
        Array.from({ length: 3_000 }, (_, i) => ({ "Post.plain": `p${i}` })),
      );
      const tested = new Set<number>();
      await whileOthersRun((turn) => {
        const holds = () => {
          spend(0.1);
          tested.add(turn());
          return false;
        };
        const slow: Predicate = { kind: "check", field: "Post.plain", test: { id: "slow", holds } };
        return bench.read((snapshot) => snapshot.find({ types: ["Post"], where: slow, fields: [] }));
      });
      assert.ok(tested.size >= 3, `others had ${tested.size - 1} turns between the tests of 3,000 rows, which take 300 ms`);
    },
  },
  {
    id: "view.sent",
    level: "SHOULD",
    title: "a request that asks for the sent queries gets their texts, and the same results",
    why: "People read them to see why a request is slow; an answer that changes when one looks is of no use.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", [{ "Post.title": "t", "Post.rank": 1 }, {}]);
      const request = { types: ["Post"], where: { kind: "has", field: "Post.title" }, fields: ["Post.rank"] } as const;
      const sent: unknown[] = [];
      const heard = await bench.read((snapshot) => snapshot.find(request), { sent: (query) => sent.push(query) });
      assert.deepEqual(heard, await bench.read((snapshot) => snapshot.find(request)));
      assert.ok(
        sent.every((query) => typeof query === "string" && query !== ""),
        String(sent),
      );
    },
  },
];
