// What functions do with `val(v)`, with `uid` as a predicate, and with values of the wrong kind.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(`type Town {
    name: String! @id
    motto: String @search(by: [trigram])
    size: Int
    open: Boolean
    roads: [Town]
    place: [Float!] @embedding @search(by: ["hnsw(metric: euclidean)"])
  }`);
  const input = [
    { name: "a", motto: "ab", size: 3, open: true, place: [1, 0] },
    { name: "b", motto: "abcd", size: 4, open: false, place: [0, 1], roads: [{ name: "a" }] },
    { name: "c", motto: "", size: 5, place: [1, 0] },
  ];
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input });
});
afterAll(() => dql?.stack.remove());

const names = (...all: string[]) => all.map((name) => ({ "Town.name": name }));

describe("uid(val(v))", () => {
  const sizes = "var(func: type(Town)) { s as Town.size }";

  it("is no node, at the root and in filters: values are no nodes", async () => {
    expect(await dql.ask(`{ ${sizes} q(func: uid(val(s))) { Town.name } }`)).toEqual({ q: [] });
    expect(await dql.ask(`{ ${sizes} q(func: type(Town)) @filter(uid(val(s))) { Town.name } }`)).toEqual({ q: [] });
    expect(await dql.ask(`{ ${sizes} q(func: type(Town)) @filter(not uid(val(s))) { Town.name } }`)).toEqual({ q: names("a", "b", "c") });
  });

  it("leaves the other nodes of the same uid(...)", async () => {
    const text = `{ ${sizes} b as var(func: eq(Town.name, "b")) q(func: uid(b, val(s))) { Town.name } }`;
    expect(await dql.ask(text)).toEqual({ q: names("b") });
  });

  it("is another thing than uid(v), the nodes that have a value", async () => {
    expect(await dql.ask(`{ ${sizes} q(func: uid(s)) { Town.name } }`)).toEqual({ q: names("a", "b", "c") });
  });

  it("uses its variable, which must be defined", async () => {
    expect(await dql.refusal("{ q(func: uid(val(nobody))) { Town.name } }")).toContain("Some variables are used but not defined");
  });
});

describe("uid as the predicate of a function", () => {
  it.each(["has(uid)", "eq(uid, 0x1)", "ge(count(uid), 1)", "eq(count(uid), 0)", "uid_in(uid, 0x1)"])("is refused: %s", async (call) => {
    expect(await dql.refusal(`{ q(func: ${call}) { Town.name } }`)).toMatch(/^line 1 column \d+: Argument cannot be "uid"$/);
    expect(await dql.refusal(`{ q(func: type(Town)) @filter(${call}) { Town.name } }`)).toMatch(/Argument cannot be "uid"$/);
    expect(await dql.refusal(`{ q(func: type(Town)) { Town.roads @filter(${call}) { Town.name } } }`)).toMatch(/Argument cannot be "uid"$/);
  });

  it("is counted as a field, and UID is the name of another predicate", async () => {
    expect(await dql.ask("{ q(func: type(Town)) { count(uid) } }")).toEqual({ q: [{ count: 3 }] });
    expect(await dql.ask("{ q(func: type(Town)) @filter(has(UID)) { Town.name } }")).toEqual({ q: [] });
  });
});

describe("cond", () => {
  it("has no value at nodes whose test is no boolean", async () => {
    const text = "{ q(func: type(Town)) { Town.name s as Town.size x: math(cond(s, 1, 0)) } }";
    expect(await dql.ask(text)).toEqual({ q: ["a", "b", "c"].map((name, i) => ({ "Town.name": name, "Town.size": 3 + i })) });
  });

  it("has one where the test is a boolean", async () => {
    const text = "{ q(func: type(Town)) { Town.name o as Town.open x: math(cond(o, 1, 0)) } }";
    const [a, b, c] = names("a", "b", "c");
    expect(await dql.ask(text)).toEqual({ q: [{ ...a, "Town.open": true, x: 1 }, { ...b, "Town.open": false, x: 0 }, c] });
  });

  it("is refused with a constant that is no boolean", async () => {
    const message = "First variable of conditional function not a bool value";
    expect(await dql.refusal("{ q(func: type(Town)) { x: math(cond(1, 2, 3)) } }")).toBe(message);
    const sum = "var(func: type(Town)) { s as Town.size } var() { m as sum(val(s)) }";
    expect(await dql.refusal(`{ ${sum} q(func: type(Town)) { x: math(cond(m, 2, 3)) } }`)).toBe(message);
  });
});

describe("match of an empty text", () => {
  it("finds nothing at the root, where texts are found by their letters", async () => {
    expect(await dql.ask('{ q(func: match(Town.motto, "", 4)) { Town.name } }')).toEqual({ q: [] });
  });

  it("passes texts within the distance as a filter, and never an empty one", async () => {
    expect(await dql.ask('{ q(func: type(Town)) @filter(match(Town.motto, "", 2)) { Town.name } }')).toEqual({ q: names("a") });
    expect(await dql.ask('{ q(func: type(Town)) @filter(match(Town.motto, "", 4)) { Town.name } }')).toEqual({ q: names("a", "b") });
  });

  it("is a matter of the empty text alone: a short one finds what is near", async () => {
    expect(await dql.ask('{ q(func: match(Town.motto, "a", 1)) { Town.name } }')).toEqual({ q: names("a") });
  });

  it("still needs a whole distance", async () => {
    expect(await dql.refusal('{ q(func: match(Town.motto, "", far)) { Town.name } }')).toBe("Levenshtein distance value must be an int, got far");
  });
});

describe("similar_to with a variable", () => {
  const near = "q(func: similar_to(Town.place, 1, val(v))) { Town.name }";

  it("is refused when the nodes have several vectors, because one would be chosen by chance", async () => {
    const text = `{ var(func: type(Town)) { v as Town.place } ${near} }`;
    expect(await dql.refusal(text)).toBe("Function 'similar_to' requires 2 arguments, but val(v) holds several vectors");
  });

  it("takes the vector that all nodes share, and finds nothing without one", async () => {
    const shared = `{ var(func: eq(Town.name, ["a", "c"])) { v as Town.place } r(func: similar_to(Town.place, 2, val(v))) { Town.name } }`;
    expect(await dql.ask(shared)).toEqual({ r: names("a", "c") });
    expect(await dql.ask(`{ var(func: eq(Town.name, "nobody")) { v as Town.place } ${near} }`)).toEqual({ q: [] });
  });
});
