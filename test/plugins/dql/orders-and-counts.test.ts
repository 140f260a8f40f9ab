// What compares, sorts and counts, and what a value without an order gives.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(`type Town {
    name: String! @id
    open: Boolean
    spot: Point
    roads: [Town]
    streets: [String]
  }`);
  const input = [
    { name: "a", open: true, spot: { longitude: 1, latitude: 2 }, streets: ["x", "y"] },
    { name: "b", open: false, streets: ["x"], roads: [{ name: "a" }] },
    { name: "c", roads: [{ name: "a" }, { name: "b" }] },
  ];
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input });
});
afterAll(() => dql?.stack.remove());

describe("a variable whose values have no order", () => {
  const openings = "var(func: type(Town)) { o as Town.open }";

  it.each(["lt", "le", "ge", "gt"])("is found by no %s, as the predicate itself", async (name) => {
    const filter = `@filter(${name}(val(o), true)) { Town.name }`;
    expect(await dql.ask(`{ ${openings} q(func: ${name}(val(o), true)) { Town.name } r(func: type(Town)) ${filter} }`)).toEqual({ q: [], r: [] });
    expect(await dql.ask(`{ q(func: type(Town)) @filter(${name}(Town.open, true)) { Town.name } }`)).toEqual({ q: [] });
  });

  it("is found by eq", async () => {
    expect(await dql.ask(`{ ${openings} q(func: eq(val(o), true)) { Town.name } }`)).toEqual({ q: [{ "Town.name": "a" }] });
  });

  it("does not sort nodes, at the root and at an edge", async () => {
    expect(await dql.refusal(`{ ${openings} q(func: type(Town), orderasc: val(o)) { Town.name } }`)).toBe("Value of type: bool isn't sortable");
    const edge = "q(func: type(Town)) { Town.roads (orderdesc: val(o)) { Town.name } }";
    expect(await dql.refusal(`{ ${openings} ${edge} }`)).toBe("Value of type: bool isn't sortable");
    const spots = "var(func: type(Town)) { s as Town.spot } q(func: type(Town), orderasc: val(s)) { Town.name }";
    expect(await dql.refusal(`{ ${spots} }`)).toBe("Value of type: geo isn't sortable");
  });
});

describe("a count at the root", () => {
  it.each([
    ["lt(count(Town.roads), 2)", ["b"]],
    ["le(count(Town.roads), 2)", ["b", "c"]],
    ["le(count(Town.roads), 1)", ["b"]],
    ["gt(count(Town.roads), 0)", ["b", "c"]],
    ["between(count(Town.roads), 1, 1)", ["b"]],
    ["lt(count(Town.streets), 2)", ["b"]],
  ])("of %s leaves out the nodes without any", async (call, names) => {
    expect(await dql.ask(`{ q(func: ${call}) { Town.name } }`)).toEqual({ q: names.map((name) => ({ "Town.name": name })) });
  });

  it.each(["eq(count(Town.roads), 0)", "le(count(Town.roads), 0)", "lt(count(Town.roads), 1)", "ge(count(Town.roads), 0)"])(
    "is refused when %s asks for the nodes without any",
    async (call) => {
      expect(await dql.refusal(`{ q(func: ${call}) { Town.name } }`)).toContain("zero counts (not tracked)");
    },
  );

  it("counts them as a filter", async () => {
    const answer = await dql.ask("{ q(func: type(Town)) @filter(lt(count(Town.roads), 2)) { Town.name } }");
    expect(answer).toEqual({ q: [{ "Town.name": "a" }, { "Town.name": "b" }] });
  });
});

describe("expand(_all_)", () => {
  it("is refused beside one of its predicates, also under an alias", async () => {
    const message = "Repeated subgraph: [Town.name] while using expand()";
    expect(await dql.refusal('{ q(func: eq(Town.name, "a")) { Town.name expand(_all_) } }')).toBe(message);
    expect(await dql.refusal('{ q(func: eq(Town.name, "a")) { n: Town.name expand(_all_) } }')).toBe(message);
  });

  it("stands beside a count of one of its predicates", async () => {
    const answer = await dql.ask('{ q(func: eq(Town.name, "c")) { count(Town.roads) expand(_all_) { Town.name } } }');
    expect(answer).toEqual({ q: [{ "count(Town.roads)": 2, "Town.name": "c", "Town.roads": [{ "Town.name": "a" }, { "Town.name": "b" }] }] });
  });
});
