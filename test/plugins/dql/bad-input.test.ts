// Documents that are huge or made to hurt: a clear error, in time.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

/** The most milliseconds of processor time that passed between two timers while `work` went on. Other programs of the machine do not count. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return longest;
}

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

  const many = (count: number, each: (i: number) => string) => Array.from({ length: count }, (_, i) => each(i)).join(" ");
  it.each([
    ["fields", `{ q(func: type(Town)) { ${many(49_000, (i) => `a${i}`)} } }`],
    ["blocks", `{ ${many(4_900, (i) => `q${i}(func: uid(0x${i + 1})) { uid }`)} }`],
    ["variables", `{ ${many(2_400, (i) => `v${i} as var(func: uid(0x1)) q${i}(func: uid(v${i})) { uid }`)} }`],
    ["conditions", `{ q(func: type(Town)) @filter(${many(4_900, (i) => `${i === 0 ? "" : "OR "}eq(Town.size, ${i})`)}) { uid } }`],
    ["fragments", doubling(12)],
    ["lines", `${many(300_000, () => "#\n")} { q(func: type(Town)) { uid } }`],
  ])("holds nobody up although it has as many %s as it may", async (_what, text) => {
    // It takes half of that where nothing else runs.
    expect(await longestTurn(() => dql.ask(text).catch(() => undefined))).toBeLessThan(500);
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
