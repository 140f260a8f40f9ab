// `expand`: beside other fields, below another `expand`, of a variable, and in `@recurse`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(`
    type Town { name: String! @id  size: Int  wish: String  roads: [Town]  mayor: Person }
    type Person { nick: String! @id  age: Int  born: Town }
  `);
  const input = [
    { name: "a", size: 3, wish: "Town.size" },
    { name: "b", wish: "Town.roads", roads: [{ name: "a" }] },
    { name: "c", size: 5, wish: "no such thing", roads: [{ name: "b" }], mayor: { nick: "ann", age: 40, born: { name: "a" } } },
  ];
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input });
});
afterAll(() => dql?.stack.remove());

const a = { "Town.name": "a", "Town.size": 3, "Town.wish": "Town.size" };
const b = { "Town.name": "b", "Town.wish": "Town.roads" };
const c = { "Town.name": "c", "Town.size": 5, "Town.wish": "no such thing" };
const ann = { "Person.nick": "ann", "Person.age": 40 };

describe("beside a predicate that it shows too", () => {
  const message = "Repeated subgraph: [Town.name] while using expand()";

  it("an expand inside another one is answered when that has an alias, at any depth", async () => {
    const text = '{ q(func: eq(Town.name, "b")) { expand(_all_) { expand(_all_) title: Town.name } } }';
    expect(await dql.ask(text)).toEqual({ q: [{ ...b, "Town.roads": [{ ...a, title: "a" }] }] });
    const deeper = '{ q(func: eq(Town.name, "c")) { expand(_all_) { Town.roads { title: Town.name expand(_all_) } } } }';
    expect(await dql.ask(deeper)).toEqual({ q: [{ ...c, "Town.roads": [{ "Town.roads": [{ title: "a", ...a }] }] }] });
  });

  it("an expand inside another one is refused when that has no alias, or the name of another predicate as alias", async () => {
    expect(await dql.refusal('{ q(func: eq(Town.name, "b")) { expand(_all_) { expand(_all_) Town.name } } }')).toBe(message);
    const named = '{ q(func: eq(Town.name, "b")) { expand(_all_) { expand(_all_) Town.wish: Town.name } } }';
    expect(await dql.refusal(named)).toBe("Town.wish not allowed multiple times in same sub-query.");
  });

  it("an expand that is in no other one is refused with and without an alias", async () => {
    expect(await dql.refusal('{ q(func: eq(Town.name, "b")) { Town.roads { expand(_all_) title: Town.name } } }')).toBe(message);
    expect(await dql.refusal('{ q(func: eq(Town.name, "b")) { Town.roads { expand(Town) Town.name } } }')).toBe(message);
  });

  it("an expand is answered where there are no nodes", async () => {
    expect(await dql.ask('{ q(func: eq(Town.name, "nobody")) { title: Town.name expand(Town) } }')).toEqual({ q: [] });
    const below = '{ q(func: eq(Town.name, "a")) { Town.wish Town.roads { Town.name expand(Town) } } }';
    expect(await dql.ask(below)).toEqual({ q: [{ "Town.wish": "Town.size" }] });
  });
});

describe("expand(val(v))", () => {
  it("shows the predicates whose names are values of the variable", async () => {
    const text = '{ var(func: type(Town)) { v as Town.wish } q(func: eq(Town.name, "c")) { uid: Town.name expand(val(v)) { Town.name } } }';
    expect(await dql.ask(text)).toEqual({ q: [{ uid: "c", "Town.size": 5, "Town.roads": [{ "Town.name": "b" }] }] });
  });

  it("shows nothing for values that name no predicate, for numbers, and for a variable without values", async () => {
    const shown = 'q(func: eq(Town.name, "a")) { Town.name expand(val(v)) }';
    for (const source of ['eq(Town.name, "c")) { v as Town.wish', "type(Town)) { v as Town.size", 'eq(Town.name, "nobody")) { v as Town.wish'])
      expect(await dql.ask(`{ var(func: ${source} } ${shown} }`)).toEqual({ q: [{ "Town.name": "a" }] });
  });

  it("is refused with a variable of nodes, with a second name beside it, and without a definition", async () => {
    const nodes = "{ v as var(func: type(Town)) q(func: uid(v)) { expand(val(v)) } }";
    expect(await dql.refusal(nodes)).toBe("Wrong variable type encountered for var(v): expand needs texts.");
    const two = "{ var(func: type(Town)) { v as Town.wish } q(func: uid(v)) { expand(val(v), Town) } }";
    expect(await dql.refusal(two)).toMatch(/Only one variable allowed inside expand\(\)$/);
    expect(await dql.refusal("{ q(func: type(Town)) { expand(val(v)) } }")).toContain("Some variables are used but not defined");
  });
});

describe("expand in @recurse", () => {
  it("shows at each level the predicates of the nodes' own types, and follows their links", async () => {
    const text = '{ q(func: eq(Town.name, "c")) @recurse(depth: 3) { expand(_all_) } }';
    const roads = [{ ...b, "Town.roads": [a] }];
    expect(await dql.ask(text)).toEqual({ q: [{ ...c, "Town.roads": roads, "Town.mayor": { ...ann, "Person.born": a } }] });
  });

  it("ends at the depth", async () => {
    expect(await dql.ask('{ q(func: eq(Town.name, "c")) @recurse(depth: 1) { expand(_all_) } }')).toEqual({ q: [c] });
    expect(await dql.ask('{ q(func: eq(Town.name, "c")) @recurse(depth: 2) { expand(_all_) } }')).toEqual({
      q: [{ ...c, "Town.roads": [b], "Town.mayor": ann }],
    });
  });

  it("follows only links to nodes of a type when it has a filter", async () => {
    const text = '{ q(func: eq(Town.name, "c")) @recurse(depth: 3) { Town.name expand(_all_) @filter(type(Town)) } }';
    expect(await dql.ask(text)).toEqual({ q: [{ "Town.name": "c", "Town.roads": [{ "Town.name": "b", "Town.roads": [{ "Town.name": "a" }] }] }] });
  });

  it("follows each link once, as with named predicates", async () => {
    await dql.run('mutation { updateTown(input: {filter: {name: {eq: "a"}}, set: {roads: [{name: "c"}]}}) { numUids } }');
    const named = "Town.name Town.size Town.wish Town.roads";
    const recursed = (fields: string) => dql.ask(`{ q(func: eq(Town.name, "a")) @recurse { ${fields} } }`);
    expect(await recursed("expand(_all_) @filter(type(Town)) Town.name Town.size Town.wish")).toEqual(await recursed(named));
    await dql.run('mutation { updateTown(input: {filter: {name: {eq: "a"}}, remove: {roads: [{name: "c"}]}}) { numUids } }');
  });

  it("is refused with braces: all predicates are in one level", async () => {
    const text = '{ q(func: eq(Town.name, "c")) @recurse(depth: 2) { expand(_all_) { Town.name } } }';
    expect(await dql.refusal(text)).toBe("recurse queries require that all predicates are specified in one level");
  });
});
