// What a change record contains.

import assert from "node:assert/strict";
import type { Change, ChangeRecord, Gap, Uid } from "../../../core/storage.ts";
import { type Bench, type Check, createOf, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";

type Patch = Extract<Change, { readonly kind: "set" }>["fields"];

/** A value of each kind that a field may have. */
const everyKind = {
  "Post.title": "t",
  "Post.text": "some words",
  "Post.rank": 7,
  "Post.score": 1.5,
  "Post.at": "2024-05-01T10:00:00+02:00",
  "Post.open": true,
  "Post.place": { type: "Point", coordinates: [9.5, 54] },
  "Post.tags": ["b", "a"],
  "Post.code": "c",
  "Post.left": 1,
  "Post.right": "r",
} as const;

/** Equal, and another object throughout, as one that came with another request. */
function copyOf<T extends object | string | number | boolean>(value: T): T {
  return structuredClone(value);
}

function setTitle(uid: Uid): Change {
  return { kind: "set", uid, type: "Post", fields: { "Post.title": "nobody" } };
}

/** A post with values of every kind, its author, and the author's friend and spouse. */
async function linkedPost(bench: Bench): Promise<{ readonly post: Uid; readonly author: Uid; readonly friend: Uid }> {
  const [post = 0] = await bench.create("Post", [everyKind]);
  const [author = 0, friend = 0] = await bench.create("Author", [{ "Author.age": 4 }, {}]);
  await bench.write((transaction) =>
    transaction.write([
      linkOf("link", "Post.author", ["Post", post], ["Author", author]),
      linkOf("link", "Author.spouse", ["Author", author], ["Author", friend]),
      linkOf("link", "Author.friends", ["Author", author], ["Author", friend]),
    ]),
  );
  return { post, author, friend };
}

export const changeChecks: readonly Check[] = [
  {
    id: "change.detailed",
    level: "MUST",
    title:
      "a record contains the changed nodes with their fields, links from the first side, and the index entries that were added and removed in total",
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
    id: "change.unchanged",
    level: "MUST",
    title: "a write that changes nothing has no record: equal values, null for an absent value, an existing link, removing a missing link",
    why: "Live queries would run again without a new result for their clients.",
    async run(bench) {
      if (!bench.storage.supports.detailedChanges) return;
      await bench.deploy(library);
      const { post, author, friend } = await linkedPost(bench);
      const events: (ChangeRecord | Gap)[] = [];
      const stop = bench.storage.changes((event) => events.push(event));
      const set = (fields: Patch): Change => ({ kind: "set", uid: post, type: "Post", fields });
      const writes: readonly (readonly [what: string, changes: readonly Change[]])[] = [
        ...Object.entries(everyKind).map(([name, value]) => [`${name} set again`, [set({ [name]: copyOf(value) })]] as const),
        ["all values set again", [set(copyOf(everyKind))]],
        ["a list with one value twice, which is kept once", [set({ "Post.tags": ["b", "a", "b"] })]],
        ["null and an empty list over nothing", [set({ "Post.name": null, "Post.big": null }), set({ "Post.nums": [] })]],
        ["a set of no field", [set({})]],
        ["a link that is there", [linkOf("link", "Author.posts", ["Author", author], ["Post", post])]],
        ["a link that is there, from its other side", [linkOf("link", "Post.author", ["Post", post], ["Author", author])]],
        ["a link of one end both ways that is there, from its other node", [linkOf("link", "Author.spouse", ["Author", friend], ["Author", author])]],
        ["a link of many to many that is there", [linkOf("link", "Author.friends", ["Author", friend], ["Author", author])]],
        ["an unlink of what is not linked", [linkOf("unlink", "Author.posts", ["Author", friend], ["Post", post])]],
        ["a set and a removal of nodes that are not there", [setTitle(post + 1_000_000), { kind: "remove", uid: post + 1_000_000, type: "Post" }]],
      ];
      for (const [what, changes] of writes) {
        const { record } = await bench.storage.transact((transaction) => transaction.write(changes), { version: bench.version });
        assert.equal(record, undefined, what);
      }
      const last = await bench.create("PostTag", [{}]);
      stop();
      assert.deepEqual(
        events.map((event) => event.kind === "detailed" && event.nodes.map(({ uid }) => uid)),
        [last],
      );
    },
  },
  {
    id: "change.exact",
    level: "MUST",
    title: "the record of a set names the fields whose value changed, the index entries that were added and removed, and the links that changed",
    why: "Live queries that show another field, or look elsewhere in the index, would run in vain.",
    async run(bench) {
      if (!bench.storage.supports.detailedChanges) return;
      await bench.deploy(library);
      const { post, author, friend } = await linkedPost(bench);
      const { record } = await bench.storage.transact(
        (transaction) =>
          transaction.write([
            {
              kind: "set",
              uid: post,
              type: "Post",
              fields: { ...copyOf(everyKind), "Post.rank": 8, "Post.tags": ["b", "c"], "Post.open": null, "Post.name": null },
            },
            { kind: "set", uid: author, type: "Author", fields: { "Author.age": 4 } },
            linkOf("link", "Author.posts", ["Author", author], ["Post", post]),
            linkOf("unlink", "Author.friends", ["Author", friend], ["Author", author]),
            linkOf("unlink", "Author.posts", ["Author", friend], ["Post", post]),
          ]),
        { version: bench.version },
      );
      assert.ok(record?.kind === "detailed", "the record is detailed");
      assert.deepEqual(
        record.nodes.map(({ uid, what, fields }) => [uid, what, [...fields].sort()]),
        [[post, "changed", ["Post.open", "Post.rank", "Post.tags"]]],
      );
      assert.deepEqual(
        record.edges.map(({ edge, on }) => [edge, on]),
        [["Author.friends", false]],
      );
      const entries = record.entries.map(({ index, key, uid, on }) => `${uid === post} ${index} ${key} ${on}`);
      assert.deepEqual(entries.toSorted(), [
        "true Post.open/value true false",
        "true Post.rank/value 7 false",
        "true Post.rank/value 8 true",
        "true Post.tags/value a false",
        "true Post.tags/value c true",
      ]);
    },
  },
  {
    id: "change.after",
    level: "MUST",
    title: "a listener that names a commit gets those after it, in order, each once; tokens sort as text",
    why: "A subscriber that reconnects must miss nothing, or learn that it has.",
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
    title: "a record of more than 10,000 nodes names only types, fields and ends",
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
    title: "a storage without `detailedChanges` reports types, fields and ends of each commit",
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
    title: "the record of a removed node names each removed link, from either side, and each removed index entry",
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
