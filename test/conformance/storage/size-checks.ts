// Big values and long lists.

import assert from "node:assert/strict";
import type { Check } from "./kit.ts";
import { library } from "./layouts.ts";

const bigChars = 4 << 20;
const elements = 5_000;
const partners = 2_400;

export const sizeChecks: readonly Check[] = [
  {
    id: "size.value",
    level: "MUST",
    title: "a text of 4 MiB is returned exactly, before and after reopening, and does not affect its neighbours",
    why: "Documents are stored too; a bound of pages or batches must never cut one.",
    async run(bench) {
      await bench.deploy(library);
      const big = "0123456789abcdef".repeat(bigChars / 16);
      const [, uid = 0] = await bench.create("Post", [
        { "Post.plain": "before" },
        { "Post.plain": big, "Post.name": "big" },
        { "Post.plain": "after" },
      ]);
      const check = () =>
        bench.read(async (snapshot) => {
          const [plain = []] = (await snapshot.find({ types: ["Post"], fields: ["Post.plain"] })).columns;
          assert.ok(plain[1] === big, `the text of ${big.length} characters came back as ${String(plain[1]).length}`);
          assert.deepEqual([plain[0], plain[2]], ["before", "after"]);
        });
      await check();
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(library);
      await check();
      await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.plain": "small" } }]));
      await bench.read(async (snapshot) => {
        assert.deepEqual((await snapshot.load({ uids: [uid], types: ["Post"], fields: ["Post.plain"] })).columns, [["small"]]);
      });
    },
  },
  {
    id: "size.list",
    level: "MUST",
    title: `a list of ${elements} values is returned whole and in order, and each value finds its node`,
    why: "Lists have no stated bound; one that is capped answers with less than was stored.",
    async run(bench) {
      await bench.deploy(library);
      const tags = Array.from({ length: elements }, (_, i) => `tag ${(i * 7) % elements}`);
      const [uid = 0] = await bench.create("Post", [{ "Post.tags": tags }, { "Post.tags": ["tag", "tag 1"] }]);
      const has = async (tag: string) => {
        const where = { kind: "compare", field: "Post.tags", op: "eq", operands: [tag] } as const;
        return (await bench.read((snapshot) => snapshot.find({ types: ["Post"], where, fields: [] }))).uids.includes(uid);
      };
      await bench.read(async (snapshot) =>
        assert.deepEqual((await snapshot.load({ uids: [uid], types: ["Post"], fields: ["Post.tags"] })).columns, [[tags]]),
      );
      assert.deepEqual(
        [await has("tag"), await has("tag 0"), await has(`tag ${elements - 1}`), await has(`tag ${elements}`)],
        [false, true, true, false],
      );
      await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.tags": tags.slice(1) } }]));
      assert.deepEqual([await has("tag 0"), await has("tag 7")], [false, true]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "size.links",
    level: "MUST",
    title: `a node keeps ${partners} links exactly while every other one is removed, and while new ones are inserted between`,
    why: "Long lists are kept in blocks, which split and join; a link on the seam is lost.",
    async run(bench) {
      await bench.deploy(library);
      const [author = 0] = await bench.create("Author", [{}]);
      const posts = await bench.create(
        "Post",
        Array.from({ length: partners }, () => ({})),
      );
      const change = (kind: "link" | "unlink", uids: readonly number[]) =>
        bench.write((transaction) =>
          transaction.write(uids.map((to) => ({ kind, end: "Author.posts", from: author, fromType: "Author", to, toType: "Post" }))),
        );
      const linked = async () => (await bench.read((snapshot) => snapshot.follow({ from: [author], end: "Author.posts", fields: [] }))).nodes.uids;
      const every = (step: number, from: number) => posts.filter((_, i) => i % step === from);
      await change("link", every(2, 0));
      await change("link", every(2, 1).toReversed());
      assert.deepEqual(await linked(), posts);
      await change("unlink", every(2, 0));
      assert.deepEqual(await linked(), every(2, 1));
      await change("link", every(4, 0));
      assert.deepEqual(
        await linked(),
        posts.filter((_, i) => i % 2 === 1 || i % 4 === 0),
      );
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
