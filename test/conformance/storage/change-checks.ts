// What a commit tells.

import assert from "node:assert/strict";
import type { ChangeRecord, Gap } from "../../../core/index.ts";
import { type Check, createOf, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";

export const changeChecks: readonly Check[] = [
  {
    id: "change.detailed",
    level: "MUST",
    title: "a record tells nodes with fields, links from the first side, and index entries gained and lost, net",
    why: "Live queries decide by it whom to ask again.",
    async run(bench) {
      if (!bench.storage.supports.detailedChanges) return;
      await bench.deploy(library);
      const [a = 0] = await bench.create("Author", [{}]);
      const events: (ChangeRecord | Gap)[] = [];
      const stop = bench.storage.changes((event) => events.push(event));
      const first = await bench.storage.transact(
        async (transaction) => {
          const [uid = 0] = await transaction.uids(1);
          await transaction.write([
            createOf(uid, "Post", { "Post.title": "old", "Post.plain": "p" }),
            { kind: "set", uid, type: "Post", fields: { "Post.title": "t" } },
            { kind: "link", end: "Author.posts", from: a, fromType: "Author", to: uid, toType: "Post" },
          ]);
          return uid;
        },
        { version: bench.version },
      );
      assert.deepEqual(first.record, {
        kind: "detailed",
        token: first.token,
        nodes: [{ uid: first.result, type: "Post", what: "created", fields: ["Post.title", "Post.plain"] }],
        edges: [{ edge: "Author.posts|Post.author", from: first.result, to: a, on: true }],
        entries: [{ index: "Post.title/value", key: "t", uid: first.result, on: true }],
      });
      const second = await bench.storage.transact((transaction) => transaction.write([{ kind: "remove", uid: first.result, type: "Post" }]), {
        version: bench.version,
      });
      assert.deepEqual(second.record?.kind === "detailed" && [second.record.nodes[0]?.what, second.record.edges, second.record.entries], [
        "removed",
        [{ edge: "Author.posts|Post.author", from: first.result, to: a, on: false }],
        [{ index: "Post.title/value", key: "t", uid: first.result, on: false }],
      ]);
      assert.deepEqual(events, [first.record, second.record]);
      stop();
      await bench.create("Author", [{}]);
      assert.equal(events.length, 2);
    },
  },
  {
    id: "change.after",
    level: "MUST",
    title: "a listener that names a commit gets those after it, in order, each once; tokens sort as text",
    why: "A subscriber that comes back must miss nothing, or be told that it did.",
    async run(bench) {
      await bench.deploy(library);
      const start = bench.storage.latest();
      for (let i = 0; i < 12; i++) await bench.create("Author", [{ "Author.age": i }]);
      const tokens: string[] = [];
      const stop = bench.storage.changes((event) => tokens.push(event.token), start);
      await Promise.all(Array.from({ length: 5 }, () => bench.create("Author", [{}])));
      stop();
      assert.equal(tokens.length, 17);
      assert.deepEqual([...tokens].sort(), tokens);
      assert.equal(tokens.at(-1), bench.storage.latest());
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(library);
      const events: (ChangeRecord | Gap)[] = [];
      bench.storage.changes((event) => events.push(event), start)();
      assert.ok(events.length === 17 || events[0]?.kind === "gap", "kept, or said to be lost");
    },
  },
  {
    id: "change.coarse",
    level: "MUST",
    title: "above 10,000 nodes only types, fields and ends are told",
    why: "A record of a bulk load must not fill the memory of every listener.",
    async run(bench) {
      await bench.deploy(library);
      const { record } = await bench.storage.transact(
        async (transaction) => {
          const uids = await transaction.uids(10_001);
          await transaction.write(uids.map((uid) => createOf(uid, "Author", { "Author.age": 1 })));
        },
        { version: bench.version },
      );
      assert.deepEqual(record?.kind === "coarse" && [record.types, record.fields], [["Author"], ["Author.age"]]);
    },
  },
  {
    id: "change.coarse-only",
    level: "MUST",
    title: "a storage without `detailedChanges` tells of each commit its types, fields and ends",
    why: "Live queries ask again whom a commit may concern; what it does not name is not asked again.",
    async run(bench) {
      if (bench.storage.supports.detailedChanges) return;
      await bench.deploy(library);
      const [post = 0] = await bench.create("Post", [{}]);
      const [author = 0] = await bench.create("Author", [{}]);
      const { record } = await bench.storage.transact(
        (transaction) =>
          transaction.write([
            { kind: "set", uid: post, type: "Post", fields: { "Post.title": "t" } },
            linkOf("link", "Author.posts", ["Author", author], ["Post", post]),
          ]),
        { version: bench.version },
      );
      assert.ok(record?.kind === "coarse", "without the power a record is coarse");
      assert.ok(record.types.includes("Post") && record.fields.includes("Post.title"), JSON.stringify(record));
      for (const end of ["Post.author", "Author.posts"]) assert.ok(record.ends.includes(end), `${end} shows the new link`);
    },
  },
  {
    id: "change.removed-links",
    level: "MUST",
    title: "a removed node's record names each link that went with it, from whichever side, and each index entry",
    why: "The list of an author must lose a post that was deleted, though nobody wrote to the author.",
    async run(bench) {
      if (!bench.storage.supports.detailedChanges) return;
      await bench.deploy(library);
      const [a = 0] = await bench.create("Author", [{ "Author.age": 4 }]);
      const [p = 0, q = 0] = await bench.create("Post", [{}, {}]);
      await bench.write((transaction) => transaction.write([p, q].map((uid) => linkOf("link", "Author.posts", ["Author", a], ["Post", uid]))));
      const { record } = await bench.storage.transact((transaction) => transaction.write([{ kind: "remove", uid: a, type: "Author" }]), {
        version: bench.version,
      });
      assert.ok(record?.kind === "detailed");
      const edge = "Author.posts|Post.author";
      assert.deepEqual(
        [...record.edges].sort((x, y) => x.from - y.from),
        [
          { edge, from: p, to: a, on: false },
          { edge, from: q, to: a, on: false },
        ],
      );
      assert.deepEqual(record.entries, [{ index: "Author.age/value", key: 4, uid: a, on: false }]);
    },
  },
];
