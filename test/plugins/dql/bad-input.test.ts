// Documents that are huge or made to hurt: a clear error, and work in short steps.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kernelAccess } from "../../../core/plugin.ts";
import { parseDocument } from "../../../plugins/dql/language/parse-document.ts";
import { runText } from "../../../plugins/dql/request/run-text.ts";
import { DocumentBudget } from "../../../plugins/dql/state/document-budget.ts";
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

/** The data of a text, and how often its run asked whether its turn was over. */
async function looksAtClock(text: string): Promise<number> {
  const access = kernelAccess(dql.stack.kernel, "dql");
  const schema = access.served;
  if (!schema) throw new Error("no schema");
  let looks = 0;
  const clock = {
    get isOver() {
      looks++;
      return false;
    },
    restart: () => undefined,
  };
  const snapshot = access.snapshot();
  try {
    await runText(text, {}, { schema, snapshot, work: new DocumentBudget({ maxEdges: 1_000_000 }, { clock }) });
  } finally {
    snapshot.close();
  }
  return looks;
}

/** How many steps it takes to parse a text. */
function stepsOf(text: string): number {
  let steps = 0;
  for (const _ of parseDocument(text)) steps++;
  return steps;
}

describe("a document made to hurt", () => {
  const deep = (depth: number) => `{ q(func: type(Town)) ${"{ Town.roads ".repeat(depth)}{ uid }${" }".repeat(depth)} }`;
  const doubling = (depth: number) =>
    `{ q(func: type(Town)) { ...f0 } } ${Array.from({ length: depth }, (_, i) => `fragment f${i} { a${i}: Town.roads { ...f${i + 1} } b${i}: Town.roads { ...f${i + 1} } }`).join(" ")} fragment f${depth} { uid }`;

  const many = (count: number, each: (i: number) => string) => Array.from({ length: count }, (_, i) => each(i)).join(" ");

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
    [
      "operators without end",
      `{ q(func: type(Town)) { n as Town.size x: math(${many(24_000, (i) => (i === 0 ? "n" : "+ n"))}) } }`,
      /too many operators: 1000/,
    ],
    ["order keys without end", `{ q(func: type(Town)) { Town.roads (${many(50_500, (i) => `orderasc: a${i},`)} first: 1) { uid } } }`, /too large/],
    ["query variables without end", `query q(${many(60_000, (i) => `$v${i}: int,`)} $w: int) { q(func: type(Town)) { uid } }`, /too large/],
    ["names of a cascade without end", `{ q(func: type(Town)) @cascade(${many(60_000, (i) => `a${i},`)} b) { uid } }`, /too large/],
    [
      "an answer of more values than it may hold",
      `{ q(func: type(Town)) { ${many(45_000, (i) => `a${i}: Town.name`)} } }`,
      /more than 500000 values/,
    ],
    [
      "groups of all combinations of neighbours",
      "{ q(func: type(Town)) @groupby(a: Town.roads, b: Town.roads, c: Town.roads, d: Town.roads, e: Town.roads, f: Town.roads) { count(uid) } }",
      /more than 500000 values/,
    ],
  ])("is refused: %s", async (_what, text, message) => {
    expect(await dql.refusal(text)).toMatch(message);
  });

  const largest: readonly (readonly [what: string, tokens: number, text: string])[] = [
    ["fields", 49_000, `{ q(func: type(Town)) { ${many(49_000, (i) => `a${i}`)} } }`],
    ["blocks", 49_000, `{ ${many(4_900, (i) => `q${i}(func: uid(0x${i + 1})) { uid }`)} }`],
    ["variables", 48_000, `{ ${many(2_400, (i) => `v${i} as var(func: uid(0x1)) q${i}(func: uid(v${i})) { uid }`)} }`],
    ["conditions", 34_000, `{ q(func: type(Town)) @filter(${many(4_900, (i) => `${i === 0 ? "" : "OR "}eq(Town.size, ${i})`)}) { uid } }`],
    ["uids", 98_000, `{ q(func: uid(${many(49_000, (i) => `0x${(i + 1).toString(16)},`)} 0x1)) { uid } }`],
    ["values", 98_000, `{ q(func: eq(Town.size, [${many(48_000, (i) => `${i},`)} 1])) { uid } }`],
    ["maths", 40_000, `{ q(func: type(Town)) { s as Town.size ${many(5_000, (i) => `x${i}: math(s + ${i})`)} } }`],
  ];

  it.each([...largest, ["parts of fragments", 4_000, doubling(10)] as const])(
    "is parsed step by step although it has as many %s as it may",
    (_what, tokens, text) => {
      expect(stepsOf(text)).toBeGreaterThanOrEqual(Math.floor(tokens / 512));
    },
  );

  it.each(largest)("runs with a look at the clock for every few of its %s", async (_what, tokens, text) => {
    expect(await looksAtClock(text)).toBeGreaterThanOrEqual(Math.floor(tokens / 512));
  });

  it("is ordered by its variables however its blocks stand", async () => {
    const last = 2_000;
    const text = `{ ${many(last, (i) => `var(func: uid(v${i + 1})) { v${i} as uid }`)} var(func: eq(Town.name, "t3")) { v${last} as uid } q(func: uid(v0)) { Town.name } }`;
    expect(await dql.ask(text)).toEqual({ q: [{ "Town.name": "t3" }] });
  });

  it("is refused when it has more than 5000 functions: one function may have a list of values", async () => {
    const sizes = Array.from({ length: 5_000 }, (_, i) => i);
    expect(await dql.refusal(`{ q(func: type(Town)) @filter(${sizes.map((size) => `eq(Town.size, ${size})`).join(" OR ")}) { uid } }`)).toMatch(
      "The document has too many functions: 5000 are allowed. Give one function a list of values.",
    );
    expect(await dql.ask(`{ q(func: type(Town)) @filter(eq(Town.size, [${sizes.join(", ")}])) { count(uid) } }`)).toEqual({ q: [{ count: 12 }] });
  });

  it("is refused when it is longer than a million characters: long values are query variables", async () => {
    const long = "x".repeat(1_000_000);
    expect(await dql.refusal(`{ q(func: eq(Town.name, "${long}")) { uid } }`)).toBe(
      "The document is too long: 1000000 characters are allowed. Pass long values as query variables.",
    );
    expect(await dql.ask("query q($name: string) { q(func: eq(Town.name, $name)) { uid } }", { $name: long })).toEqual({ q: [] });
  });

  it("takes a list of many uids", async () => {
    const uids = Array.from({ length: 20_000 }, (_, i) => `0x${(i + 1).toString(16)}`).join(", ");
    expect(await dql.ask(`{ q(func: uid(${uids})) @filter(has(Town.size)) { count(uid) } }`)).toEqual({ q: [{ count: 12 }] });
  });
});
