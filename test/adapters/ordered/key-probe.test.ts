// A key of several fields and links finds its node without a look at what else its parts have.

import { expect, it, onTestFinished } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { and, type Layout, or, type Predicate, type Uid } from "../../../core/storage.ts";
import { Bench, linkOf } from "../../conformance/storage/kit.ts";
import { MemoryStore } from "./memory-store.ts";

const layout: Layout = {
  types: [
    { name: "Doc", fields: ["Doc.slug", "Doc.tenant"] },
    { name: "Space", fields: ["Space.name"] },
  ],
  fields: [
    { name: "Doc.slug", kind: "string", list: false },
    { name: "Doc.tenant", kind: "int", list: false },
    { name: "Space.name", kind: "string", list: false },
  ],
  edges: [
    {
      name: "Doc.space|Space.docs",
      sides: [
        { ends: [{ name: "Doc.space", types: ["Doc"], partners: ["Space"], many: false }] },
        { ends: [{ name: "Space.docs", types: ["Space"], partners: ["Doc"], many: true }] },
      ],
    },
  ],
  indexes: [{ name: "Doc.slug/hash", field: "Doc.slug", by: "value", ordered: false }],
  keys: [
    { name: "by tenant", fields: ["Doc.slug", "Doc.tenant"], types: ["Doc"] },
    { name: "by space", fields: ["Doc.slug"], ends: ["Doc.space"], types: ["Doc"] },
    { name: "Space", fields: ["Space.name"], types: ["Space"] },
  ],
};

const count = 400;
const equal = (field: string, ...operands: readonly (string | number)[]): Predicate => ({
  kind: "compare",
  field,
  op: operands.length === 1 ? "eq" : "in",
  operands,
});
const within = (where: Predicate): Predicate => ({ kind: "linked", end: "Doc.space", where, atLeast: 1 });

/** Docs of one slug: each in a tenant of its own, and all but those of the other slug in spaces of their own. */
async function opened() {
  const storage = orderedStorage(new MemoryStore());
  await storage.open();
  onTestFinished(() => storage.close());
  const bench = new Bench(storage);
  await bench.deploy(layout);
  const spaces = await bench.create(
    "Space",
    Array.from({ length: count }, (_, i) => ({ "Space.name": `space ${i}` })),
  );
  const docs = await bench.create(
    "Doc",
    Array.from({ length: count }, (_, i) => ({ "Doc.slug": "readme", "Doc.tenant": i })),
  );
  await bench.write((transaction) => transaction.write(docs.map((doc, i) => linkOf("link", "Doc.space", ["Doc", doc], ["Space", spaces[i] ?? 0]))));
  return { bench, spaces, docs };
}

it("answers as the parts do, also several at once, and of other nodes nothing", async () => {
  const { bench, spaces, docs } = await opened();
  const at = (i: number): Uid => docs[i] ?? 0;
  const find = async (where: Predicate) => bench.find("Doc", where);
  expect(await find(and(equal("Doc.slug", "readme"), equal("Doc.tenant", 7)))).toEqual([at(7)]);
  expect(await find(and(equal("Doc.tenant", 9, 7, count), equal("Doc.slug", "x", "readme")))).toEqual([at(7), at(9)]);
  expect(await find(and(equal("Doc.slug", "readme"), equal("Doc.tenant", 7), within(equal("Space.name", "space 8"))))).toEqual([]);
  expect(await find(and(equal("Doc.slug", "readme"), within({ kind: "uids", uids: [spaces[3] ?? 0, spaces[5] ?? 0] })))).toEqual([at(3), at(5)]);
  expect(await find(and(equal("Doc.slug", "readme"), within(and(equal("Space.name", "space 4"), { kind: "has", field: "Space.name" }))))).toEqual([
    at(4),
  ]);
  expect(await find(and(equal("Doc.slug", "no"), within(equal("Space.name", "space 4"))))).toEqual([]);
  const each = (i: number) => and(equal("Doc.slug", "readme"), equal("Doc.tenant", i));
  expect(await find(or(each(1), each(3), each(count)))).toEqual([at(1), at(3)]);
});

it("touches the node alone, where each of its parts has many", async () => {
  const { bench } = await opened();
  const touched = async (where: Predicate): Promise<number> => {
    let sum = 0;
    const spend = (rows: number): void => {
      sum += rows;
    };
    const budget = { touched: 0, deadline: Number.POSITIVE_INFINITY, spend };
    await bench.read(async (snapshot) => snapshot.find({ types: ["Doc"], where, fields: ["Doc.slug"] }), { budget });
    return sum;
  };
  expect(await touched(and(equal("Doc.slug", "readme"), equal("Doc.tenant", 7)))).toBeLessThan(10);
});
