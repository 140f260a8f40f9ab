// What a commit tells.

import assert from "node:assert/strict";
import type { ChangeRecord, Gap } from "../../../core/index.ts";
import { type Check, createOf } from "./kit.ts";
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
];
