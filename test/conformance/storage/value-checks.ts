// What is stored comes back.

import assert from "node:assert/strict";
import type { Stored } from "../../../core/storage.ts";
import type { Check } from "./kit.ts";
import { boats, byValue, field, library } from "./layouts.ts";

const full: Record<string, Stored> = {
  "Post.title": "a\u0000b \u{1f600} \uffee",
  "Post.rank": -2_147_483_648,
  "Post.big": 9_007_199_254_740_993n,
  "Post.score": 0.1 + 0.2,
  "Post.at": "2031-04-09T06:00:00.000000001+02:00",
  "Post.open": false,
  "Post.place": {
    type: "MultiPolygon",
    coordinates: [
      [
        [
          [0, 0],
          [1.5, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    ],
  },
  "Post.secret": "$2b$10$hash",
  "Post.tags": ["b", "a", ""],
  "Post.nums": [3, -1],
  "Named.label": "",
};

export const valueChecks: readonly Check[] = [
  {
    id: "value.exact",
    level: "MUST",
    title: "every kind of value is returned exactly, before and after reopening",
    why: "Clients get back what they gave, to the last digit.",
    async run(bench) {
      await bench.deploy(library);
      const [uid = 0] = await bench.create("Post", [full, {}]);
      const names = Object.keys(full);
      const expected = names.map((name) => [full[name]]);
      await bench.read(async (snapshot) =>
        assert.deepEqual((await snapshot.load({ uids: [uid], types: ["Post"], fields: names })).columns, expected),
      );
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(library);
      await bench.read(async (snapshot) =>
        assert.deepEqual((await snapshot.load({ uids: [uid], types: ["Post"], fields: names })).columns, expected),
      );
    },
  },
  {
    id: "value.absent",
    level: "MUST",
    title: "absent is undefined: never set, cleared by null, an empty list, a field of another type",
    why: "null, the empty text and the empty list are three different answers.",
    async run(bench) {
      await bench.deploy(library);
      const [uid = 0] = await bench.create("Post", [{ "Post.title": "", "Post.rank": 0, "Post.tags": ["x"] }]);
      await bench.create("PostTag", [{ "PostTag.title": "t" }]);
      await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.rank": null, "Post.tags": [] } }]));
      await bench.read(async (snapshot) => {
        const found = await snapshot.find({ types: ["Post", "PostTag"], fields: ["Post.title", "Post.rank", "Post.tags", "PostTag.title"] });
        assert.deepEqual(found.columns, [
          ["", undefined],
          [undefined, undefined],
          [undefined, undefined],
          [undefined, "t"],
        ]);
        assert.deepEqual(found.types, ["Post", "PostTag"]);
        assert.deepEqual((await snapshot.find({ types: ["Post"], where: { kind: "has", field: "Post.tags" }, fields: [] })).uids, []);
        assert.deepEqual((await snapshot.find({ types: ["Post"], where: { kind: "has", field: "Post.title" }, fields: [] })).uids, [uid]);
      });
    },
  },
  {
    id: "value.sets",
    level: "MUST",
    title: "a list is a set that keeps the order in which its values came",
    why: "Lists in answers keep their order, and an index must follow each element.",
    async run(bench) {
      await bench.deploy(library);
      const [uid = 0] = await bench.create("Post", [{ "Post.tags": ["b", "a", "b"], "Post.nums": [2, 1, 2] }]);
      await bench.read(async (snapshot) =>
        assert.deepEqual((await snapshot.load({ uids: [uid], types: ["Post"], fields: ["Post.tags", "Post.nums"] })).columns, [
          [["b", "a"]],
          [[2, 1]],
        ]),
      );
      await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.tags": ["a"] } }]));
      await bench.read(async (snapshot) => {
        assert.deepEqual(
          (await snapshot.find({ types: ["Post"], where: { kind: "compare", field: "Post.tags", op: "eq", operands: ["b"] }, fields: [] })).uids,
          [],
        );
        assert.deepEqual(
          (await snapshot.find({ types: ["Post"], where: { kind: "compare", field: "Post.tags", op: "eq", operands: ["a"] }, fields: [] })).uids,
          [uid],
        );
      });
    },
  },
  {
    id: "value.many-shapes",
    level: "MUST",
    title: "records of very many shapes are returned after reopening",
    why: "Stores that share record shapes run out of names for them, often only after a restart.",
    async run(bench) {
      await bench.deploy(library);
      const names = ["Post.title", "Post.name", "Post.plain", "Post.text", "Post.code", "Post.right", "Named.label"];
      const shapes = Array.from({ length: 128 }, (_, shape) =>
        Object.fromEntries(names.filter((_, i) => (shape >> i) & 1).map((name) => [name, `${name} ${shape}`])),
      );
      for (let i = 0; i < shapes.length; i += 16) await bench.create("Post", shapes.slice(i, i + 16));
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(library);
      await bench.read(async (snapshot) => {
        const found = await snapshot.find({ types: ["Post"], fields: names });
        const rows = found.uids.map((_, row) =>
          Object.fromEntries(names.flatMap((name, c) => (found.columns[c]?.[row] === undefined ? [] : [[name, found.columns[c]?.[row]]]))),
        );
        assert.deepEqual(rows, shapes);
      });
    },
  },
  {
    id: "value.long-text",
    level: "MUST",
    title: "texts of any length are found and distinguished",
    why: "Keys of many databases are bounded; a cut key makes two texts one.",
    async run(bench) {
      await bench.deploy(library);
      const long = "x".repeat(100_000);
      const [a = 0, b = 0] = await bench.create("Post", [
        { "Post.title": `${long}a`, "Post.name": `${long}a`, "Post.code": `${long}a` },
        { "Post.title": `${long}b`, "Post.name": `${long}b`, "Post.code": `${long}b` },
      ]);
      await bench.read(async (snapshot) => {
        for (const field of ["Post.title", "Post.name", "Post.code"]) {
          for (const [uid, end] of [
            [a, "a"],
            [b, "b"],
          ] as const) {
            assert.deepEqual(
              (await snapshot.find({ types: ["Post"], where: { kind: "compare", field, op: "eq", operands: [long + end] }, fields: [] })).uids,
              [uid],
            );
          }
        }
      });
    },
  },
  {
    id: "value.spellings",
    level: "MUST",
    title: "two spellings of one instant are two values of a list, and each is found by the instant",
    why: "Clients get back what they wrote; a list that drops one spelling has lost a value.",
    async run(bench) {
      await bench.deploy(boats({ fields: [field("Boat.at", "dateTime", { list: true })], indexes: [byValue("Boat.at", { ordered: true })] }));
      const [utc, here] = ["2020-01-01T00:00:00Z", "2020-01-01T02:00:00+02:00"] as const;
      const [uid = 0] = await bench.create("Boat", [{ "Boat.at": [here, utc, here] }]);
      const at = async () => (await bench.read((snapshot) => snapshot.load({ uids: [uid], types: ["Boat"], fields: ["Boat.at"] }))).columns[0];
      const found = () => bench.find("Boat", { kind: "compare", field: "Boat.at", op: "eq", operands: ["2019-12-31T23:00:00-01:00"] });
      assert.deepEqual([await at(), await found()], [[[here, utc]], [uid]]);
      await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Boat", fields: { "Boat.at": [here] } }]));
      assert.deepEqual([await at(), await found()], [[[here]], [uid]], "the instant is still there, spelt otherwise");
      await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Boat", fields: { "Boat.at": null } }]));
      assert.deepEqual([await at(), await found()], [[undefined], []]);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
];
