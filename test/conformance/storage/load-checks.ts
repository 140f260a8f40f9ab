// Loads of links: the same links as transactions write, in one commit or not at all.

import assert from "node:assert/strict";
import type { Link, TypeName, Uid } from "../../../core/storage.ts";
import { type Bench, type Check, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";

const meta = { name: "load/done", value: { lines: 3 } };

function link(end: string, from: readonly [TypeName, Uid], to: readonly [TypeName, Uid]): Link {
  const change = linkOf("link", end, from, to);
  if (change.kind !== "link") throw new TypeError("no link");
  return change;
}

interface Loading {
  /** Runs when the links have been read. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** @returns undefined where the storage has no loads */
async function load({ storage, version }: Bench, batches: readonly (readonly Link[])[], { meanwhile }: Loading = {}): Promise<boolean | undefined> {
  async function* links(): AsyncGenerator<readonly Link[]> {
    yield* batches;
    await meanwhile?.();
  }
  return await storage.loadLinks?.({ version, links: links(), meta: () => meta });
}

function metaOf(bench: Bench): Promise<unknown> {
  return bench.read(async (snapshot) => await snapshot.meta(meta.name));
}

/** Posts and authors, and what is linked between them. */
async function nodes(bench: Bench): Promise<{ readonly posts: readonly Uid[]; readonly authors: readonly Uid[] }> {
  await bench.deploy(library);
  return { posts: await bench.create("Post", [{}, {}, {}]), authors: await bench.create("Author", [{}, {}]) };
}

export const loadChecks: readonly Check[] = [
  {
    id: "load.links",
    level: "MUST",
    title: "a load of links leaves what transactions leave, in any order, both sides and ends that share one included, and its metadata with them",
    why: "An import takes whichever way the storage has.",
    async run(bench) {
      const { posts, authors } = await nodes(bench);
      const [p = 0, q = 0, r = 0] = posts;
      const [a = 0, b = 0] = authors;
      const links = [
        link("Author.posts", ["Author", b], ["Post", r]),
        link("Post.author", ["Post", p], ["Author", a]),
        link("Post.author", ["Post", q], ["Author", a]),
        link("Post.author", ["Post", p], ["Author", a]),
        link("Author.friends", ["Author", b], ["Author", a]),
        link("Author.friends", ["Author", b], ["Author", b]),
        link("Post.next", ["Post", q], ["Post", p]),
      ];
      const before = bench.storage.snapshot({ version: bench.version });
      const isWritten = await load(bench, [links.slice(0, 3), [], links.slice(3)]);
      if (isWritten === undefined) {
        await bench.write((transaction) => transaction.write(links));
        await bench.write((transaction) => transaction.setMeta(meta.name, meta.value));
      } else assert.equal(isWritten, true);
      const old = await before.follow({ from: [a], end: "Author.posts", fields: [] });
      before.close();
      assert.deepEqual(old.rows, [], "a snapshot of before sees no link of the load");
      assert.deepEqual(await bench.partners("Author.posts", a), [p, q]);
      assert.deepEqual(await bench.partners("Author.posts", b), [r]);
      assert.deepEqual(await bench.partners("Post.author", r), [b]);
      assert.deepEqual(await bench.partners("Author.friends", a), [b]);
      assert.deepEqual(await bench.partners("Author.friends", b), [a, b]);
      assert.deepEqual(await bench.partners("Post.previous", p), [q]);
      assert.deepEqual(await metaOf(bench), meta.value);
      await bench.write((transaction) => transaction.write([linkOf("unlink", "Author.posts", ["Author", b], ["Post", r])]));
      assert.deepEqual(await bench.partners("Post.author", r), []);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "load.long-lists",
    level: "MUST",
    title: "a load writes lists of thousands of links whole",
    why: "Graphs have hubs.",
    async run(bench) {
      await bench.deploy(library);
      const [a = 0] = await bench.create("Author", [{}]);
      const posts = await bench.create(
        "Post",
        Array.from({ length: 3_000 }, () => ({})),
      );
      const links = posts.map((post) => link("Post.author", ["Post", post], ["Author", a]));
      if ((await load(bench, [links.toReversed()])) === undefined) await bench.write((transaction) => transaction.write(links));
      assert.deepEqual(await bench.partners("Author.posts", a), posts);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "load.refused",
    level: "MUST",
    title: "a load is refused, and leaves nothing, when its edge has links, gets some meanwhile, or a node is removed meanwhile",
    why: "A load that knows nothing of other links would lose them, or link a node that is gone.",
    async run(bench) {
      const { posts, authors } = await nodes(bench);
      const [p = 0, q = 0, r = 0] = posts;
      const [a = 0, b = 0] = authors;
      if (bench.storage.loadLinks === undefined) return;
      const other = link("Post.author", ["Post", r], ["Author", b]);
      const loaded = [[link("Post.author", ["Post", p], ["Author", a])]];
      const linking = () => bench.write((transaction) => transaction.write([other]));
      assert.equal(await load(bench, loaded, { meanwhile: linking }), false, "linked meanwhile");
      assert.equal(await load(bench, loaded), false, "linked before");
      assert.deepEqual(await bench.partners("Post.author", p), []);
      assert.deepEqual(await bench.partners("Author.posts", b), [r]);
      const removing = () => bench.write((transaction) => transaction.write([{ kind: "remove", uid: q, type: "Post" }]));
      assert.equal(await load(bench, [[link("Post.next", ["Post", p], ["Post", q])]], { meanwhile: removing }), false, "removed meanwhile");
      assert.deepEqual(await bench.partners("Post.next", p), []);
      assert.equal(await metaOf(bench), undefined);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "load.fails",
    level: "MUST",
    title: "a load that gives a single end two partners fails with END_TAKEN, one whose source throws fails with that, and both leave nothing",
    why: "The import says what is wrong, and can be run again.",
    async run(bench) {
      const { posts, authors } = await nodes(bench);
      const [p = 0, q = 0] = posts;
      const [a = 0, b = 0] = authors;
      if (bench.storage.loadLinks === undefined) return;
      const good = link("Post.author", ["Post", q], ["Author", a]);
      const two = [link("Post.author", ["Post", p], ["Author", a]), link("Author.posts", ["Author", b], ["Post", p])];
      await assert.rejects(load(bench, [[good], two]), { code: "END_TAKEN" });
      const broken = new Error("the file ends amid a line");
      const breaking = () => Promise.reject(broken);
      await assert.rejects(load(bench, [[good]], { meanwhile: breaking }), broken);
      assert.deepEqual(await bench.partners("Post.author", q), []);
      assert.equal(await metaOf(bench), undefined);
      assert.equal(await load(bench, [[good]]), true);
      assert.deepEqual(await bench.partners("Author.posts", a), [q]);
    },
  },
  {
    id: "load.writers",
    level: "MUST",
    title: "nodes, values and other links that are written during a load are there after it, and subscribers hear of a gap",
    why: "A store serves while it is loaded.",
    async run(bench) {
      const { posts, authors } = await nodes(bench);
      const [p = 0, q = 0] = posts;
      const [a = 0] = authors;
      if (bench.storage.loadLinks === undefined) return;
      const events: string[] = [];
      const stop = bench.storage.changes(({ kind }) => events.push(kind));
      const meanwhile = async () => {
        await bench.create("Post", [{ "Post.title": "new" }]);
        await bench.write((transaction) =>
          transaction.write([{ kind: "set", uid: p, type: "Post", fields: { "Post.title": "set" } }, link("Post.next", ["Post", p], ["Post", q])]),
        );
      };
      assert.equal(await load(bench, [[link("Post.author", ["Post", p], ["Author", a])]], { meanwhile }), true);
      stop();
      assert.equal(events.at(-1), "gap");
      const titles = await bench.read((snapshot) => snapshot.find({ types: ["Post"], fields: ["Post.title"] }));
      assert.deepEqual(titles.columns[0]?.filter((title) => title !== undefined).sort(), ["new", "set"]);
      assert.deepEqual(await bench.partners("Post.next", p), [q]);
      assert.deepEqual(await bench.partners("Post.author", p), [a]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
