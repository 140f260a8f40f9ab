// Documents that are wrong, huge or made to hurt: a clear error, in time, and nothing leaked.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc, { examples } from "../../support/properties.ts";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack("type Town { name: String! @id  size: Int @search  roads: [Town] }", { maxEdges: 50_000 });
  const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input: names.map((name, size) => ({ name, size })) });
  await dql.run("mutation ($roads: [TownRef]) { updateTown(input: { filter: {}, set: { roads: $roads } }) { numUids } }", {
    roads: names.map((name) => ({ name })),
  });
});
afterAll(() => dql?.stack.remove());

/** The longest time in which no timer ran while `work` went on. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work();
  clearInterval(timer);
  return Math.max(longest, performance.now() - last);
}

const documents = [
  '{ q(func: eq(Town.name, ["t1", "t2"]), orderdesc: Town.size, first: 2) @filter(has(Town.size) and not uid(0x1)) @cascade { n as Town.size count(Town.roads) Town.roads (first: 2) @filter(gt(Town.size, 1)) { uid } x: math(n * 2 + 1) } r(func: uid(n)) { val(n) } }',
  "{ var(func: type(Town)) @groupby(Town.size) { count(uid) } p as shortest(from: 0x1, to: 0x2, numpaths: 2) { Town.roads } q(func: uid(p)) @recurse(depth: 2) { Town.name Town.roads } }",
  "query q($a: int = 3, $b: string) { q(func: ge(Town.size, $a)) { ...f } } fragment f { Town.name expand(_all_) { uid } }",
];

describe("a document with mistakes", () => {
  it("is answered or refused in one sentence, never with an internal error", { timeout: 240_000 }, async () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "(",
      ")",
      "@",
      ":",
      ",",
      '"',
      "\\",
      "$",
      "<",
      ">",
      "-",
      "...",
      "0x",
      "99999999999999999999",
      "é",
      "\u0000",
      "as",
      "uid",
      "math",
      "val",
    );
    const mutation = fc.record({
      document: fc.constantFrom(...documents),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(12),
      piece: fc.option(pieces, { nil: "" }),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ document, at, cut, piece }) => {
        const place = Math.floor(at * document.length);
        const text = document.slice(0, place) + piece + document.slice(place + cut);
        try {
          await dql.ask(text);
        } catch (thrown) {
          expect(String(thrown), text).not.toMatch(/internal|TypeError|RangeError|undefined|\.ts:/i);
        }
      }),
      { numRuns: examples(2_000) },
    );
  });
});

describe("a document made to hurt", () => {
  const deep = (depth: number) => `{ q(func: type(Town)) ${"{ Town.roads ".repeat(depth)}{ uid }${" }".repeat(depth)} }`;
  const doubling = (depth: number) =>
    `{ q(func: type(Town)) { ...f0 } } ${Array.from({ length: depth }, (_, i) => `fragment f${i} { a${i}: Town.roads { ...f${i + 1} } b${i}: Town.roads { ...f${i + 1} } }`).join(" ")} fragment f${depth} { uid }`;

  it.each([
    ["levels without end", deep(5_000), /nested too deeply/],
    [
      "brackets without end",
      `{ q(func: type(Town)) @filter(${"(".repeat(10_000)}has(Town.size)${")".repeat(10_000)}) { uid } }`,
      /nested too deeply/,
    ],
    ["math without end", `{ q(func: type(Town)) { n as Town.size x: math(${"(".repeat(5_000)}n${")".repeat(5_000)}) } }`, /nested too deeply/],
    ["fragments that double", doubling(40), /too large|nested too deeply/],
    ["an answer that grows with every level", deep(9), /edge limit/],
    ["a recursion over all paths", "{ q(func: type(Town)) @recurse(depth: 40, loop: true) { Town.name Town.roads } }", /edge limit/],
    ["all paths between two towns", "{ p as shortest(from: 0x1, to: 0x2, numpaths: 1000000) { Town.roads } q(func: uid(p)) { uid } }", /edge limit/],
    [
      "a product of lists",
      "{ q(func: type(Town)) @normalize { a: Town.name Town.roads { b: Town.name } c: Town.roads { d: Town.name } e: Town.roads { f: Town.name } g: Town.roads { h: Town.name } } }",
      /too many results|edge limit/,
    ],
  ])("is refused: %s", async (_what, text, message) => {
    const turn = await longestTurn(async () => expect(await dql.refusal(text)).toMatch(message));
    expect(turn).toBeLessThan(1_000);
  });

  it("takes a list of many uids", async () => {
    const uids = Array.from({ length: 20_000 }, (_, i) => `0x${(i + 1).toString(16)}`).join(", ");
    expect(await dql.ask(`{ q(func: uid(${uids})) @filter(has(Town.size)) { count(uid) } }`)).toEqual({ q: [{ count: 12 }] });
  });
});
