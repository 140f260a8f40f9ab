// Values, keys, names and uids that begin alike, sort side by side, or lie at the edge of a number.

import assert from "node:assert/strict";
import { type Check, createOf } from "./kit.ts";
import { library } from "./layouts.ts";

const bmpLast = "\uffee";
const astral = "\u{1f600}";
/** In the order of their UTF-8 bytes. */
const texts = ["", "\u0000", "\u0000\u0000", " ", "A", "a", "a\u0000b", "ab", "e\u0301", "\u00e9", bmpLast, astral, `${astral}${astral}`];
const floats = [-Number.MAX_VALUE, -1.5, -5e-324, 0, 5e-324, 255, 256, 2 ** 53 - 1, 2 ** 53, Number.MAX_VALUE];
const int64s = [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 255n, 256n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const ints = [-(2 ** 31), -257, -256, -1, 0, 255, 256, 65_535, 65_536, 2 ** 31 - 1];

export const neighbourChecks: readonly Check[] = [
  {
    id: "neighbour.values",
    level: "MUST",
    title: "neighbouring values are returned exactly, found alone, and sorted correctly: empty and astral texts, 255 and 256, 2^53 - 1 and 2^53",
    why: "Encodings of keys go wrong at these edges, and then one value's nodes are another's.",
    async run(bench) {
      await bench.deploy(library);
      for (const [field, values] of Object.entries({ "Post.name": texts, "Post.score": floats, "Post.big": int64s, "Post.rank": ints })) {
        // Backwards, so that uid order is not the answer.
        const uids = (
          await bench.create(
            "Post",
            values.toReversed().map((value) => ({ [field]: value })),
          )
        ).toReversed();
        await bench.read(async (snapshot) => {
          const where = { kind: "has", field } as const;
          const sorted = await snapshot.find({ types: ["Post"], where, order: [{ field, direction: "asc" }], fields: [field] });
          assert.deepEqual([sorted.uids, sorted.columns], [uids, [values]], `${field} in order`);
          for (const [i, operand] of values.entries()) {
            const find = async (op: "eq" | "ge") =>
              (await snapshot.find({ types: ["Post"], where: { kind: "compare", field, op, operands: [operand] }, fields: [] })).uids;
            assert.deepEqual(await find("eq"), [uids[i]], `${field} eq ${JSON.stringify(String(operand))} finds itself alone`);
            assert.deepEqual(
              await find("ge"),
              uids.slice(i).toReversed(),
              `${field} ge ${JSON.stringify(String(operand))} finds it and what is above`,
            );
          }
        });
      }
    },
  },
  {
    id: "neighbour.keys",
    level: "MUST",
    title: "keys with a common prefix, keys that differ by one byte, and keys that join to the same text are different keys",
    why: "A key that is made by joining parts refuses what is free, or lets in what is taken.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create(
        "Post",
        texts.map((text) => ({ "Post.code": text })),
      );
      for (const text of texts)
        await assert.rejects(bench.create("Post", [{ "Post.code": text }]), { code: "KEY_TAKEN" }, `${JSON.stringify(text)} is taken`);
      const pairs = [
        [1, "1a"],
        [11, "a"],
        [1, ""],
        [11, ""],
        [1, "|a"],
        [-1, "a"],
      ] as const;
      await bench.create(
        "Post",
        pairs.map(([left, right]) => ({ "Post.left": left, "Post.right": right })),
      );
      for (const [left, right] of pairs)
        await assert.rejects(bench.create("Post", [{ "Post.left": left, "Post.right": right }]), { code: "KEY_TAKEN" }, `${left}, ${right} is taken`);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "neighbour.links",
    level: "MUST",
    title: "links of uid 255, 256, 257 and 2^53 - 2 belong to each node alone, and so do ends whose names have a common prefix",
    why: "Lists are kept under the uid's bytes; a node that takes its neighbour's list along loses data.",
    async run(bench) {
      await bench.deploy(library);
      const authors = [1, 255, 256, 257, 65_535, 65_536, 2 ** 53 - 2];
      const posts = authors.slice(0, -1).map((uid) => uid + 100_000);
      await bench.write(async (transaction) => {
        await transaction.write([...authors.map((uid) => createOf(uid, "Author", {})), ...posts.map((uid) => createOf(uid, "Post", {}))]);
        await transaction.write(
          posts.map((to, i) => ({ kind: "link", end: "Author.posts", from: authors[i] ?? 0, fromType: "Author", to, toType: "Post" })),
        );
        await transaction.write([
          { kind: "link", end: "Author.friends", from: 256, fromType: "Author", to: 2 ** 53 - 2, toType: "Author" },
          { kind: "remove", uid: 255, type: "Author" },
        ]);
      });
      await bench.read(async (snapshot) => {
        const left = authors.filter((uid) => uid !== 255);
        const links = await snapshot.follow({ from: left, end: "Author.posts", fields: [] });
        assert.deepEqual(
          left.map((_, i) => links.rows.slice(links.starts[i], links.starts[i + 1]).map((row) => links.nodes.uids[row])),
          [...posts.filter((_, i) => i !== 1).map((uid) => [uid]), []],
        );
        const friends = await snapshot.follow({ from: [256, 2 ** 53 - 2], end: "Author.friends", fields: [] });
        assert.deepEqual(
          friends.rows.map((row) => friends.nodes.uids[row]),
          [2 ** 53 - 2, 256],
        );
      });
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
