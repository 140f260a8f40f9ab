// Links: both sides, single ends, ends that share a side, symmetric edges, removal.

import assert from "node:assert/strict";
import type { Change, EndName, TypeName, Uid } from "../../../core/storage.ts";
import { type Check, linkOf } from "./kit.ts";
import { harbour, library } from "./layouts.ts";

export const linkChecks: readonly Check[] = [
  {
    id: "link.both-sides",
    level: "MUST",
    title: "a link is visible from both sides whichever side wrote it, is stored once however often it is written, and is removed with either node",
    why: "Both fields show one relation; sides that disagree are corrupt data.",
    async run(bench) {
      await bench.deploy(library);
      const [p = 0, q = 0] = await bench.create("Post", [{}, {}]);
      const [a = 0] = await bench.create("Author", [{}]);
      const written = linkOf("link", "Post.author", ["Post", p], ["Author", a]);
      await bench.write((transaction) => transaction.write([written, written, linkOf("link", "Author.posts", ["Author", a], ["Post", q])]));
      assert.deepEqual(await bench.partners("Author.posts", a), [p, q]);
      const single = await bench.read((snapshot) => snapshot.load({ uids: [q, p], types: ["Post"], fields: ["Post.author"] }));
      assert.deepEqual(single.columns, [[a, a]]);
      await bench.write((transaction) =>
        transaction.write([
          linkOf("unlink", "Author.posts", ["Author", a], ["Post", p]),
          linkOf("unlink", "Author.posts", ["Author", a], ["Post", p]),
        ]),
      );
      assert.deepEqual(await bench.partners("Post.author", p), []);
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: a, type: "Author" }]));
      assert.deepEqual(await bench.partners("Post.author", q), []);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "link.single",
    level: "MUST",
    title: "a full single end refuses another partner with END_TAKEN and its holder, from either side, also one-one",
    why: "The kernel learns from the error whom to unlink first.",
    async run(bench) {
      await bench.deploy(library);
      const [p = 0, q = 0, r = 0] = await bench.create("Post", [{}, {}, {}]);
      const [a = 0, b = 0] = await bench.create("Author", [{}, {}]);
      const link = (...changes: Change[]) => bench.write((transaction) => transaction.write(changes));
      await link(linkOf("link", "Post.author", ["Post", p], ["Author", a]), linkOf("link", "Post.next", ["Post", p], ["Post", q]));
      const taken = (holder: Uid) => (error: unknown) =>
        error instanceof Error &&
        "code" in error &&
        error.code === "END_TAKEN" &&
        "details" in error &&
        Object.values(error.details as object).includes(holder);
      await assert.rejects(link(linkOf("link", "Author.posts", ["Author", b], ["Post", p])), taken(a));
      await assert.rejects(link(linkOf("link", "Post.author", ["Post", p], ["Author", b])), taken(a));
      await assert.rejects(link(linkOf("link", "Post.next", ["Post", r], ["Post", q])), taken(p));
      await assert.rejects(link(linkOf("link", "Post.previous", ["Post", r], ["Post", p])), taken(q));
      await link(linkOf("unlink", "Post.author", ["Post", p], ["Author", a]), linkOf("link", "Author.posts", ["Author", b], ["Post", p]));
      assert.deepEqual(await bench.partners("Post.author", p), [b]);
      assert.deepEqual(await bench.partners("Author.posts", a), []);
    },
  },
  {
    id: "link.symmetric",
    level: "MUST",
    title: "an edge that is its own inverse reads the same from both nodes, also from a node to itself",
    why: "One side serves both nodes, and is easily written twice or removed half.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0, b = 0, c = 0] = await bench.create("Author", [{}, {}, {}]);
      const friend = (kind: "link" | "unlink", x: Uid, y: Uid) => linkOf(kind, "Author.friends", ["Author", x], ["Author", y]);
      await bench.write((transaction) => transaction.write([friend("link", a, b), friend("link", c, a), friend("link", a, a)]));
      assert.deepEqual(await bench.partners("Author.friends", a), [a, b, c]);
      assert.deepEqual(await bench.partners("Author.friends", b), [a]);
      await bench.write((transaction) => transaction.write([friend("unlink", b, a), friend("unlink", a, a)]));
      assert.deepEqual(await bench.partners("Author.friends", a), [c]);
      const spouse = (x: Uid, y: Uid) =>
        bench.write((transaction) => transaction.write([linkOf("link", "Author.spouse", ["Author", x], ["Author", y])]));
      await spouse(a, b);
      await assert.rejects(spouse(c, b), { code: "END_TAKEN" });
      await assert.rejects(spouse(b, c), { code: "END_TAKEN" });
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: a, type: "Author" }]));
      await spouse(c, b);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "link.shared-side",
    level: "MUST",
    title: "two ends of one side show their own partners; each has its own one or many",
    why: "Two fields may show parts of one relation; each must see its own types alone.",
    async run(bench) {
      await bench.deploy(harbour);
      const [owner = 0] = await bench.create("Owner", [{}]);
      const [k = 0, l = 0] = await bench.create("Ketch", [{ "Vessel.name": "k" }, { "Vessel.name": "l" }]);
      const [y = 0, z = 0] = await bench.create("Yawl", [{ "Vessel.name": "y" }, {}]);
      const link = (end: EndName, type: TypeName, vessel: Uid) =>
        bench.write((transaction) => transaction.write([linkOf("link", end, ["Owner", owner], [type, vessel])]));
      await link("Owner.ketches", "Ketch", k);
      await link("Owner.ketches", "Ketch", l);
      await link("Owner.yawl", "Yawl", y);
      await assert.rejects(link("Owner.yawl", "Yawl", z), { code: "END_TAKEN" });
      assert.deepEqual(await bench.partners("Owner.ketches", owner), [k, l]);
      assert.deepEqual(await bench.partners("Owner.yawl", owner), [y]);
      assert.deepEqual(await bench.partners("Vessel.owner", l), [owner]);
      await bench.read(async (snapshot) => {
        const where = { kind: "linked", end: "Owner.ketches", where: { kind: "all" }, atLeast: 3 } as const;
        if (bench.storage.supports.linked)
          assert.deepEqual((await snapshot.find({ types: ["Owner"], where, fields: ["Owner.yawl"] })).uids, [], "the yawl is no ketch");
        assert.deepEqual((await snapshot.load({ uids: [owner], types: ["Owner"], fields: ["Owner.yawl"] })).columns, [[y]]);
      });
    },
  },
  {
    id: "link.pages",
    level: "MUST",
    title: "order and page apply for each source; repeated sources; nodes once; lists beyond 512",
    why: "Nested lists are paged for every parent by itself, also beyond one block of links.",
    async run(bench) {
      await bench.deploy(library);
      const posts = await bench.create(
        "Post",
        Array.from({ length: 1_100 }, (_, i) => ({ "Post.rank": i % 7 })),
      );
      const [a = 0, b = 0, c = 0] = await bench.create("Author", [{}, {}, {}]);
      await bench.write((transaction) =>
        transaction.write(posts.map((uid, i) => linkOf("link", "Post.author", ["Post", uid], ["Author", i === 5 ? b : a]))),
      );
      const mine = posts.filter((_, i) => i !== 5);
      await bench.read(async (snapshot) => {
        const links = await snapshot.follow({ from: [a, b, c, a], end: "Author.posts", page: { first: 2, offset: 600 }, fields: [] });
        assert.deepEqual(links.starts, [0, 2, 2, 2, 4]);
        assert.deepEqual(links.nodes.uids, mine.slice(600, 602));
        const top = await snapshot.follow({
          from: [a],
          end: "Author.posts",
          order: [{ field: "Post.rank", direction: "desc" }],
          page: { first: 3 },
          fields: ["Post.rank"],
        });
        assert.deepEqual(top.nodes.uids, [posts[6], posts[13], posts[20]]);
        const last = await snapshot.follow({ from: [a], end: "Author.posts", page: { last: 2 }, fields: [] });
        assert.deepEqual(last.nodes.uids, posts.slice(-2));
        const rows = await snapshot.aggregate({
          over: { from: [a, c], end: "Author.posts" },
          measures: [{ kind: "count" }, { kind: "max", field: "Post.rank" }],
        });
        assert.deepEqual(rows, [
          [1_099, 6],
          [0, undefined],
        ]);
      });
      await bench.write((transaction) => transaction.write([{ kind: "remove", uid: a, type: "Author" }]));
      assert.deepEqual(await bench.partners("Post.author", posts[900] ?? 0), []);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
