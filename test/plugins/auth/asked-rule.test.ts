// What a rule said to one caller is kept for the next who has the same claims, and for nobody else.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { AskedRule } from "../../../plugins/auth/asked-rule.ts";
import { compileClaimRule } from "../../../plugins/auth/claim-rule.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { type Api, deploy } from "./harness.ts";
import { line, token } from "./token.ts";

const crates = `type Crate @auth(query: RULE) { tag: String! @id  weight: Int @search  port: String @search(by: [exact]) }\n${line}`;

async function harbour(rule: string): Promise<Api> {
  const api = await deploy(crates.replace("RULE", rule));
  await api.ask(`mutation { addCrate(input: [
    {tag: "a", weight: 1, port: "1"}  {tag: "b", weight: 2, port: "Riga"}  {tag: "c", port: "null"}  {tag: "d", weight: 1, port: "Riga"}
  ]) { numUids } }`);
  return api;
}

/** @param claims an object, or JSON as it stands in the token */
async function shown(api: Api, claims: unknown): Promise<string> {
  const { data, errors } = await api.ask("{ queryCrate(order: {asc: tag}) { tag } }", claims === undefined ? {} : token(claims));
  expect(errors).toBeUndefined();
  return (data as { queryCrate: { tag: string }[] }).queryCrate.map(({ tag }) => tag).join("");
}

const graph = (variables: string, filter: string) => `{ rule: ${JSON.stringify(`query${variables} { queryCrate(filter: ${filter}) { tag } }`)} }`;
const claim = (name: string, test: string) => `{ rule: ${JSON.stringify(`{$${name}: ${test}}`)} }`;

type Caller = readonly [claims: unknown, tags: string];

/** Everybody asks in turn, then all once more in reverse: the caller before must not show. */
async function expectEach(rule: string, callers: readonly Caller[]): Promise<void> {
  const api = await harbour(rule);
  for (const [claims, tags] of [...callers, ...callers.toReversed(), ...callers]) expect(await shown(api, claims), JSON.stringify(claims)).toBe(tags);
}

describe("a cached answer of a rule", () => {
  it("is not used for a claim of another type", async () => {
    await expectEach(claim("X", "{eq: 1}"), [
      [{ X: 1 }, "abcd"],
      [{ X: "1" }, ""],
      [{ X: [1] }, "abcd"],
      [{ X: ["1"] }, ""],
      [{ X: [[1]] }, ""],
      [{ X: true }, ""],
      [{ X: null }, ""],
      [{}, ""],
      [undefined, ""],
      ['{"X": 1e400}', ""],
    ]);
  });

  it("is not used for null, an absent claim, or a string that looks like one", async () => {
    await expectEach(`{ not: ${claim("X", '{in: ["null", "undefined", "0", "Infinity", ""]}')} }`, [
      [{ X: null }, "abcd"],
      [{ X: "null" }, ""],
      [{ X: "undefined" }, ""],
      [{}, "abcd"],
      [{ X: 0 }, "abcd"],
      [{ X: "0" }, ""],
      ['{"X": 1e400}', "abcd"],
      [{ X: "Infinity" }, ""],
      [{ X: "" }, ""],
      [{ X: [] }, "abcd"],
      [{ X: {} }, "abcd"],
      [undefined, "abcd"],
    ]);
  });

  it("is not used for another list, or for the same values in other claims", async () => {
    await expectEach(`{ and: [${graph("($PORT: String!)", "{port: {eq: $PORT}}")}, ${graph("($W: [Int])", "{weight: {in: $W}}")}] }`, [
      [{ PORT: "Riga", W: [1, 2] }, "bd"],
      [{ PORT: "Riga", W: [1] }, "d"],
      [{ PORT: "Riga", W: [2] }, "b"],
      [{ PORT: "Riga", W: 2 }, "b"],
      [{ PORT: ["Riga", "1"], W: [1] }, "ad"],
      [{ PORT: "1", W: ["1", "2"] }, "a"],
      [{ PORT: "1,Riga", W: [1, 2] }, ""],
      [{ W: [1, 2] }, ""],
      [{ PORT: null, W: [1, 2] }, ""],
      [{ PORT: "Riga" }, ""],
      [{ W: "Riga", PORT: [1, 2] }, ""],
    ]);
  });

  it("is used for a caller that differs only in other claims", async () => {
    await expectEach(graph("($PORT: String!)", "{port: {eq: $PORT}}"), [
      [{ PORT: "Riga", NAME: "Ann" }, "bd"],
      [{ NAME: "Bob", PORT: "Riga" }, "bd"],
      [{ NAME: "Riga", PORT: "1" }, "a"],
    ]);
  });

  it("is replaced after a deploy with another rule and after a change of the data", async () => {
    const api = await harbour(graph("($PORT: String!)", "{port: {eq: $PORT}}"));
    expect(await shown(api, { PORT: "Riga" })).toBe("bd");
    await api.ask('mutation { addCrate(input: [{tag: "e", port: "Riga"}]) { numUids } }');
    expect(await shown(api, { PORT: "Riga" })).toBe("bde");
    await api.ask('mutation { updateCrate(input: {filter: {tag: {eq: "b"}}, set: {port: "Kiel"}}) { numUids } }', token({ PORT: "Riga" }));
    expect(await shown(api, { PORT: "Riga" })).toBe("de");
    expect(await shown(api, { PORT: "Kiel" })).toBe("b");
    await api.stack.kernel.deploy(crates.replace("RULE", graph("($PORT: String!)", "{not: {port: {eq: $PORT}}}")));
    expect(await shown(api, { PORT: "Riga" })).toBe("abc");
  });

  it("may be evicted: with more callers than the cache holds, each gets the right answer", () => {
    const test = compileClaimRule("{$X: {in: [1, 4999]}}", expect.unreachable);
    if (!test) throw new Error("the rule is valid");
    const rule = new AskedRule({ kind: "claim", test });
    const request = { headers: {}, facts: {}, id: "", now: "" };
    for (let round = 0; round < 2; round++) {
      for (let x = 0; x < 5_000; x++) expect(rule.answer({ X: x }, request), String(x)).toEqual(x === 1 || x === 4_999 ? { kind: "all" } : "deny");
    }
  });

  it("is not used when another plugin narrows what rules see by the request", async () => {
    const tidal: DirectivePlugin = {
      name: "tidal",
      definitions: "",
      model: () => ({
        headers: ["x-tide"],
        narrows: ["rule"],
        narrow: (_type, _purpose, { headers }) => (headers["x-tide"] === "low" ? { kind: "none" } : undefined),
      }),
    };
    const plugins = [...standardPlugins().filter((plugin) => plugin.name !== "auth"), authPlugin(), tidal];
    const api = await deploy(crates.replace("RULE", graph("", "{weight: {ge: 1}}")), {}, { plugins });
    await api.ask('mutation { addCrate(input: [{tag: "a", weight: 1}, {tag: "b"}]) { numUids } }');
    const at = async (tide: string) => (await api.ask("{ queryCrate { tag } }", { "x-tide": tide })).data;
    expect(await at("high")).toEqual({ queryCrate: [{ tag: "a" }] });
    expect(await at("low")).toEqual({ queryCrate: [] });
    expect(await at("high")).toEqual({ queryCrate: [{ tag: "a" }] });
  });
});
