// Documents with mistakes: each is answered, or refused in one sentence. Nothing of the inside leaks.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc, { examples } from "../../support/properties.ts";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack("type Town { name: String! @id  size: Int @search  roads: [Town] }", { maxEdges: 5_000 });
  const names = Array.from({ length: 4 }, (_, i) => `t${i}`);
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input: names.map((name, size) => ({ name, size })) });
  await dql.run("mutation ($roads: [TownRef]) { updateTown(input: { filter: {}, set: { roads: $roads } }) { numUids } }", {
    roads: names.map((name) => ({ name })),
  });
});
afterAll(() => dql?.stack.remove());

const documents = [
  '{ q(func: eq(Town.name, ["t1", "t2"]), orderdesc: Town.size, first: 2) @filter(has(Town.size) and not uid(0x1)) @cascade { n as Town.size count(Town.roads) Town.roads (first: 2) @filter(gt(Town.size, 1)) { uid } x: math(n * 2 + 1) } r(func: uid(n)) { val(n) } }',
  "{ var(func: type(Town)) @groupby(Town.size) { count(uid) } p as shortest(from: 0x1, to: 0x2, numpaths: 2) { Town.roads } q(func: uid(p)) @recurse(depth: 2) { Town.name Town.roads } }",
  "query q($a: int = 3, $b: string) { q(func: ge(Town.size, $a)) { ...f } } fragment f { Town.name expand(_all_) { uid } }",
];

describe("a document with mistakes", () => {
  it("is answered or refused in one sentence, never with an internal error", { timeout: 600_000 }, async () => {
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
      { numRuns: examples(10_000) },
    );
  });
});
