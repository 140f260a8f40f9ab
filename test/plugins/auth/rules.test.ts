import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { allOfVerdicts, anyOfVerdicts, oppositeVerdict, type Verdict } from "../../../plugins/auth/verdict.ts";
import { deploy } from "./harness.ts";
import { line, token } from "./token.ts";

/** A type whose `query` rule is `rule`, with three objects. */
async function crates(rule: string) {
  const api = await deploy(`
    type Crate @auth(query: ${rule}) {
      id: ID!  tag: String! @id  weight: Int @search  port: String @search(by: [exact])  sealed: Boolean @search  since: DateTime @search  depot: Depot
    }
    type Depot @auth(query: { rule: "{$ROLE: {eq: \\"NOBODY\\"}}" }) { code: String! @id  town: Town }
    type Town { name: String! @id  mayor: Person }
    type Person { name: String! @id }
    ${line}
  `);
  const answer = await api.ask(`mutation { addCrate(input: [
    {tag: "a", weight: 1, port: "Kiel", sealed: true, since: "2020-01-01", depot: {code: "D1", town: {name: "T1", mayor: {name: "Ann"}}}}
    {tag: "b", weight: 2000, port: "Riga", sealed: false, since: "2021-01-01", depot: {code: "D2", town: {name: "T2", mayor: {name: "Bob"}}}}
    {tag: "c", depot: {code: "D3"}}
  ]) { numUids } }`);
  expect(answer).toEqual({ data: { addCrate: { numUids: 10 } } });
  return async (claims: unknown): Promise<unknown> => {
    const { data, errors } = await api.ask("{ queryCrate(order: {asc: tag}) { tag } }", token(claims));
    expect(errors).toBeUndefined();
    return (data as { queryCrate: { tag: string }[] }).queryCrate.map(({ tag }) => tag).join("");
  };
}

const graph = (variables: string, filter: string, selection = "tag") =>
  `{ rule: ${JSON.stringify(`query${variables} { queryCrate(filter: ${filter}) { ${selection} } }`)} }`;

describe("a claim as the value of a variable", () => {
  it.each([
    ["Int!", "{weight: {ge: $X}}", "2000", "b"],
    ["Int!", "{weight: {ge: $X}}", 2000, "b"],
    ["Int!", "{weight: {ge: $X}}", 1.5, ""],
    ["Int!", "{weight: {ge: $X}}", 2_147_483_648, ""],
    ["Int!", "{weight: {ge: $X}}", "two", ""],
    ["Int!", "{weight: {eq: $X}}", [1, 2000], "ab"],
    ["Int!", "{not: {weight: {eq: $X}}}", [1, 2000], "c"],
    ["Int!", "{weight: {ge: $X}}", [1, 2000], ""],
    ["String", "{port: {eq: $X}}", "Kiel", "a"],
    ["String", "{port: {eq: $X}}", "kiel", ""],
    ["String", "{port: {eq: $X}}", ["Riga", "Oslo"], "b"],
    ["String", "{port: {eq: $X}}", [], ""],
    ["String", "{port: {eq: $X}}", { name: "Kiel" }, ""],
    ["String", "{port: {eq: $X}}", null, ""],
    ["String", '{port: {in: [$X, "Riga"]}}', 2 ** 53 - 1, "b"],
    ["String", '{port: {in: [$X, "Riga"]}}', 2 ** 53, ""],
    ["[String!]", "{port: {in: $X}}", ["Kiel", "Riga"], "ab"],
    ["[String!]", "{port: {in: $X}}", "Riga", "b"],
    ["[String!]", "{port: {in: $X}}", [], ""],
    ["[String!]", "{port: {in: $X}}", ["Kiel", null], ""],
    ["Boolean", "{sealed: $X}", true, "a"],
    ["Boolean", "{sealed: $X}", "true", "a"],
    ["Boolean", "{sealed: $X}", 1, ""],
    ["DateTime", "{since: {ge: $X}}", "2021", "b"],
    ["DateTime", "{since: {ge: $X}}", "soon", ""],
    ["CrateFilter", "$X", { port: { eq: "Riga" } }, "b"],
    ["CrateFilter", "$X", { port: { is: "Riga" } }, ""],
    ["[CrateHasFilter]", "{has: $X}", ["weight"], "ab"],
    ["[CrateHasFilter]", "{has: $X}", [], ""],
    ["[CrateHasFilter]", "{has: $X}", [null], ""],
    ["[CrateHasFilter]", "{has: $X}", ["weight", null], "ab"],
    ["CrateFilter", "$X", { has: [null] }, ""],
    ["[CrateFilter]", "{and: $X}", [null, null], ""],
    ["[CrateFilter]", "{or: $X}", [], ""],
    ["[CrateFilter]", "{or: $X}", [{}], ""],
    ["[String!]", "{not: {port: {in: $X}}}", [], "abc"],
    ["IntFilter", "{weight: $X}", { eq: 1 }, "a"],
    ["IntFilter", "{weight: $X}", {}, ""],
    ["CrateFilter", "{and: [$X]}", {}, ""],
    ["IntRange!", "{not: {weight: {between: $X}}}", { min: 2, max: 3000 }, "ac"],
    ["IntRange!", "{not: {weight: {between: $X}}}", { min: 2 }, ""],
    ["CrateFilter", "$X", {}, "abc"],
    ["CrateFilter", "$X", { port: null }, ""],
    ["CrateFilter", "$X", { port: {} }, ""],
    ["CrateFilter", "$X", { port: { gt: null } }, ""],
    ["CrateFilter", "$X", { port: { eq: null } }, "c"],
    ["CrateFilter", "$X", { and: [] }, ""],
    ["CrateFilter", "$X", { or: [null] }, ""],
    ["CrateFilter", "$X", "Riga", ""],
  ])("%s in %s from %j shows %j", async (type, filter, claim, tags) => {
    expect(await (await crates(graph(`($X: ${type})`, filter)))({ X: claim })).toBe(tags);
  });

  it("denies when it is missing, also with a declared default and inside any combination", async () => {
    const missing = graph('($X: String = "Kiel")', "{port: {eq: $X}}");
    for (const rule of [
      missing,
      `{ not: ${missing} }`,
      `{ not: { not: ${missing} } }`,
      `{ not: { and: [${missing}, ${graph("", "{weight: {ge: 1}}")}] } }`,
    ])
      expect(await (await crates(rule))({}), rule).toBe("");
    expect(await (await crates(`{ or: [${missing}, ${graph("", "{weight: {ge: 1000}}")}] }`))({})).toBe("b");
    expect(await (await crates(`{ not: { or: [${missing}, ${graph("", "{weight: {ge: 1000}}")}] } }`))({})).toBe("ac");
  });
});

describe("a graph rule", () => {
  it.each([
    ["{weight: {ge: 0}}", "tag", "ab"],
    ["{}", "weight", "ab"],
    ["{}", "__typename id", "abc"],
    ["{}", "depot { code }", "abc"],
    ["{}", "depot { town { name } }", "ab"],
    ["{}", 'depot { town { mayor(filter: {name: {eq: \\"Bob\\"}}) { name } } }', "b"],
    ["{}", "depot { town { mayor { name } } } weight @skip(if: true)", "ab"],
  ])("with filter %s and selection %s shows %s, through objects that nobody may see", async (filter, selection, tags) => {
    expect(await (await crates(graph("", filter, selection.replaceAll('\\"', '"'))))({})).toBe(tags);
  });

  it("matches nothing when its root field is skipped", async () => {
    const rule = (directive: string) => `{ rule: ${JSON.stringify(`query($X: Boolean!) { queryCrate ${directive} { tag } }`)} }`;
    const [include, skip] = [await crates(rule("@include(if: $X)")), await crates(rule("@skip(if: $X)"))];
    expect([await include({ X: true }), await include({ X: false }), await include({})]).toEqual(["abc", "", ""]);
    expect([await skip({ X: true }), await skip({ X: "false" })]).toEqual(["", "abc"]);
    expect(await (await crates(`{ rule: "query { queryCrate @include(if: false) { tag } }" }`))({})).toBe("");
    expect(await (await crates(`{ not: { rule: "query { queryCrate @include(if: false) { tag } }" } }`))({})).toBe("abc");
  });

  it("asks for no field that does not exist", async () => {
    const rule = (fields: string, head = "query") =>
      `{ rule: ${JSON.stringify(`${head} { queryCrate @cascade(fields: ${fields}) { tag weight } }`)} }`;
    await expect(crates(rule('["wieght"]'))).rejects.toThrow(
      "Type Crate: @auth: failed to validate GraphQL rule [reason : Field `wieght` is not present in type `Crate`. You can only use fields in cascade which are in type `Crate`]",
    );
    const asked = await crates(rule("$F", "query($F: [String])"));
    expect([await asked({ F: ["weight"] }), await asked({ F: "weight" }), await asked({ F: ["wieght"] })]).toEqual(["ab", "ab", ""]);
  });

  it("is unaffected by pages, orders, fragments and aliases", async () => {
    const rule =
      "query { queryCrate(first: 1, offset: 2, order: {desc: tag}) { ...F } } fragment F on Crate { d: depot { town { m: mayor { name } } } }";
    expect(await (await crates(`{ rule: ${JSON.stringify(rule)} }`))({})).toBe("ab");
  });

  it("may use @cascade to select the required fields", async () => {
    const rule = 'query { queryCrate @cascade(fields: ["depot"]) { weight depot { town { name } } } }';
    expect(await (await crates(`{ rule: ${JSON.stringify(rule)} }`))({})).toBe("abc");
  });
});

describe("verdicts", () => {
  const some: Verdict = { kind: "has", field: "x" };
  const other: Verdict = { kind: "has", field: "y" };
  it.each<[readonly Verdict[], Verdict, Verdict]>([
    [["allow", "allow"], "allow", "allow"],
    [["allow", "deny"], "deny", "allow"],
    [["deny", "deny"], "deny", "deny"],
    [["allow", "absent"], "absent", "allow"],
    [["deny", "absent"], "absent", "absent"],
    [["absent", "absent"], "absent", "absent"],
    [["allow", some], some, "allow"],
    [["deny", some], "deny", some],
    [["absent", some], "absent", some],
    [[some, other], { kind: "and", of: [some, other] }, { kind: "or", of: [some, other] }],
  ])("of the parts %j give %j for all of them and %j for any of them", (verdicts, all, any) => {
    expect([allOfVerdicts(verdicts), anyOfVerdicts(verdicts)]).toEqual([all, any]);
    const reversed = [...verdicts].reverse();
    expect([typeof allOfVerdicts(reversed), typeof anyOfVerdicts(reversed)]).toEqual([typeof all, typeof any]);
  });

  it.each<[Verdict, Verdict]>([
    ["allow", "deny"],
    ["deny", "allow"],
    ["absent", "absent"],
    [some, { kind: "not", of: some }],
  ])("not %j is %j", (verdict, opposite) => expect(oppositeVerdict(verdict)).toEqual(opposite));
});

describe("an object that the caller may not see", () => {
  const schema = `
    type Safe @auth(query: { rule: "query($USER: String!) { querySafe(filter: {owner: {eq: $USER}}) { no } }" } update: { rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }) {
      id: ID!  no: Int! @id  owner: String @search(by: [hash])  room: Room @hasInverse(field: safes)
    }
    type Room @auth(update: { rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }) { name: String! @id  safes: [Safe] }
    ${line}
  `;
  const ann = token({ USER: "ann" });

  async function bank() {
    const api = await deploy(schema);
    await api.ask(
      'mutation { addRoom(input: [{name: "vault", safes: [{no: 1, owner: "ann"}, {no: 2, owner: "bob"}]}, {name: "hall"}]) { numUids } }',
    );
    return api;
  }

  it("gives the same answers as a missing object", async () => {
    const { ask } = await bank();
    const hidden = await ask(
      '{ s: getSafe(no: 2) { no } getRoom(name: "vault") { safes { no } safesAggregate { count } } aggregateSafe { count } }',
      ann,
    );
    expect(hidden).toEqual({ data: { s: null, getRoom: { safes: [{ no: 1 }], safesAggregate: { count: 1 } }, aggregateSafe: { count: 1 } } });
    expect((await ask("{ s: getSafe(no: 3) { no } }", ann)).data).toEqual({ s: null });
  });

  it("is not revealed by a taken key", async () => {
    const { ask, stack } = await bank();
    expect(await ask("mutation { addSafe(input: [{no: 2}]) { numUids } }", ann)).toEqual({ data: { addSafe: null } });
    expect(stack.kernel.deployment).toBeDefined();
    const open = await deploy(schema, {}, { debug: true });
    await open.ask("mutation { addSafe(input: [{no: 2}]) { numUids } }");
    expect((await open.ask("mutation { addSafe(input: [{no: 2}]) { numUids } }", ann)).errors?.[0]?.message).toBe(
      "couldn't rewrite mutation addSafe because failed to rewrite mutation payload because GraphQL debug: id 2 already exists for field no inside type Safe",
    );
  });

  it("is not revealed by a key of another type of its interface", async () => {
    const api = await deploy(`
      interface Item { code: String! @id(interface: true)  size: Int }
      type Pen implements Item { ink: String }
      type Coin implements Item @auth(query: { rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }) { metal: String }
      ${line}
    `);
    await api.ask('mutation { addCoin(input: [{code: "c"}]) { numUids } addPen(input: [{code: "p"}, {code: "q"}]) { numUids } }');
    const taken = (operation: string) => ({ data: { [`${operation}Pen`]: null } });
    expect(await api.ask('mutation { addPen(input: [{code: "c"}]) { numUids } }', ann)).toEqual(taken("add"));
    expect(await api.ask('mutation { updatePen(input: {filter: {code: {eq: "p"}}, set: {code: "c"}}) { numUids } }', ann)).toEqual(taken("update"));
    // What everybody may see is reported as before.
    const { errors } = await api.ask('mutation { addPen(input: [{code: "p"}]) { numUids } }', ann);
    expect(errors?.[0]?.message).toContain("id p already exists for field code inside type Pen");
  });

  it("is not revealed by a taken key that only the store detects", async () => {
    const chooses: DirectivePlugin = {
      name: "chooses",
      definitions: "",
      model: () => ({
        values: ({ type, values }) => (type.name === "Safe" && values.get("no") === 4 ? { values: new Map([["no", 2]]) } : undefined),
      }),
    };
    const api = await deploy(schema, {}, { plugins: [...standardPlugins(), chooses] });
    await api.ask('mutation { addSafe(input: [{no: 2, owner: "bob"}]) { numUids } }');
    expect(await api.ask("mutation { addSafe(input: [{no: 4}]) { numUids } }", ann)).toEqual({ data: { addSafe: null } });
  });

  it("cannot be changed: update finds nothing, and an object that loses a link must pass its update rule", async () => {
    const { ask } = await bank();
    expect(await ask('mutation { updateSafe(input: {filter: {}, set: {owner: "ann"}}) { numUids } }', ann)).toEqual({
      data: { updateSafe: { numUids: 0 } },
    });
    expect(await ask('mutation { addRoom(input: [{name: "cellar", safes: [{no: 1}]}]) { numUids } }', ann)).toEqual({ data: { addRoom: null } });
    const chief = token({ USER: "ann", ROLE: "CHIEF" });
    expect(await ask('mutation { addRoom(input: [{name: "cellar", safes: [{no: 1}]}]) { room { safes { no } } } }', chief)).toEqual({
      data: { addRoom: { room: [{ safes: [{ no: 1 }] }] } },
    });
  });
});
