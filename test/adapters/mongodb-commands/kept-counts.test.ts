// Counts in memory and the records of commits that keep them right.

import { expect, it } from "vitest";
import { KeptCounts } from "../../../adapters/mongodb/database/kept-counts.ts";
import { entriesName, linksName, nodesName } from "../../../adapters/mongodb/read/known-counts.ts";
import type { DetailedRecord } from "../../../core/storage.ts";

const cats = nodesName("Cat");
const edge = "Person.cats|Cat.owner";

function record(token: string, { nodes = [], edges = [], entries = [] }: Partial<DetailedRecord>): DetailedRecord {
  return { kind: "detailed", token, nodes, edges, entries };
}

const born = (token: string, uid = 9) => record(token, { nodes: [{ uid, type: "Cat", what: "created", fields: [] }] });
const gone = (token: string) => record(token, { nodes: [{ uid: 1, type: "Cat", what: "removed", fields: ["Cat.name"] }] });

it("a count follows the nodes that commits create and remove, and no others", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 500]]), "10", []);
  for (const each of [born("11"), gone("12"), born("13"), born("14")]) counts.take(each);
  counts.take(
    record("15", {
      nodes: [
        { uid: 2, type: "Dog", what: "created", fields: [] },
        { uid: 9, type: "Cat", what: "changed", fields: ["Cat.name"] },
      ],
    }),
  );
  expect(counts.at(cats, "15", "15")).toBe(502);
});

it("a count of links follows those of its node on its side of the edge, and no others", () => {
  const counts = new KeptCounts();
  const [ofPerson, ofCat] = [linksName(edge, 0, 7), linksName(edge, 1, 7)];
  counts.keep(new Map([ofPerson, ofCat].map((name) => [name, 500])), "10", []);
  counts.take(
    record("11", {
      edges: [
        { edge, from: 7, to: 3, on: true },
        { edge, from: 7, to: 4, on: true },
        { edge, from: 8, to: 7, on: false },
        { edge: "Person.dogs|Dog.owner", from: 7, to: 7, on: true },
      ],
    }),
  );
  expect([counts.at(ofPerson, "11", "11"), counts.at(ofCat, "11", "11")]).toEqual([502, 499]);
});

it("a count of a value follows its entries in the index, and tells a text from a truth", () => {
  const counts = new KeptCounts();
  const [text, truth] = [entriesName("Cat.wild/value", "true"), entriesName("Cat.wild/value", true)];
  counts.keep(new Map([text, truth].map((name) => [name, 500])), "10", []);
  counts.take(
    record("11", {
      entries: [
        { index: "Cat.wild/value", key: true, uid: 1, on: false },
        { index: "Cat.tame/value", key: true, uid: 1, on: true },
      ],
    }),
  );
  expect([counts.at(text, "11", "11"), counts.at(truth, "11", "11")]).toEqual([500, 499]);
});

it("an earlier view gets the count of its time", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 500]]), "10", []);
  for (const each of [born("11"), born("12")]) counts.take(each);
  expect(["10", "11", "12"].map((token) => counts.at(cats, token, "12"))).toEqual([500, 501, 502]);
  expect(counts.at(cats, "09", "12"), "before it was counted").toBeUndefined();
});

it("a count is unknown at a time of which commits may be missing, and known at its own", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 500]]), "10", []);
  expect([counts.at(cats, "10", "05"), counts.at(cats, "11", "05")]).toEqual([500, undefined]);
  counts.take(born("11"));
  expect(counts.at(cats, "11", "11")).toBe(501);
});

it("a commit that was counted is not added, whenever it is delivered", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 500]]), "12", [born("11"), born("12"), born("13")]);
  counts.take(born("12"));
  counts.take(born("14"));
  expect(counts.at(cats, "14", "14")).toBe(502);
});

it("an older count does not replace a newer one", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 500]]), "12", []);
  counts.keep(new Map([[cats, 400]]), "11", []);
  expect([counts.at(cats, "12", "12"), counts.at(cats, "11", "12")]).toEqual([500, undefined]);
});

it("thousands of commits are folded, and the count stays right for new views", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 0]]), "00010", []);
  const token = (i: number) => String(i + 11).padStart(5, "0");
  for (let i = 0; i < 5_000; i++) counts.take(born(token(i)));
  expect(counts.at(cats, token(4_999), token(4_999))).toBe(5_000);
  expect(counts.at(cats, token(4_990), token(4_999))).toBe(4_991);
  expect(counts.at(cats, token(100), token(4_999))).toBeUndefined();
});

it("a record without nodes ends all counts, and none from before it is kept later", () => {
  const counts = new KeptCounts();
  counts.keep(new Map([[cats, 500]]), "10", []);
  counts.take({ kind: "coarse", token: "12", types: ["Dog"], fields: [], ends: [] });
  expect(counts.has(cats)).toBe(false);
  counts.keep(new Map([[cats, 500]]), "11", []);
  expect(counts.has(cats)).toBe(false);
  counts.keep(new Map([[cats, 500]]), "12", []);
  expect(counts.at(cats, "12", "12")).toBe(500);
  counts.keep(new Map([["another", 500]]), "12", [{ kind: "coarse", token: "13", types: [], fields: [], ends: [] }]);
  expect(counts.has("another")).toBe(false);
});

it("a count is made again after a minute", () => {
  let now = 0;
  const counts = new KeptCounts(() => now);
  counts.keep(new Map([[cats, 500]]), "10", []);
  now = 59_999;
  expect(counts.has(cats)).toBe(true);
  now = 60_000;
  expect([counts.has(cats), counts.at(cats, "10", "10")]).toEqual([false, undefined]);
});

it("the ten thousand counts that were asked for last are kept", () => {
  const counts = new KeptCounts();
  const names = Array.from({ length: 10_000 }, (_, i) => linksName(edge, 0, i));
  counts.keep(new Map(names.map((name) => [name, 1])), "10", []);
  expect(counts.at(linksName(edge, 0, 0), "10", "10")).toBe(1);
  counts.keep(new Map([[cats, 500]]), "10", []);
  expect([linksName(edge, 0, 0), linksName(edge, 0, 1), linksName(edge, 0, 2), cats].map((name) => counts.has(name))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
