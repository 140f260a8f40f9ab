// A fragment that is spread in many places leads to the same fields in all of them: they are planned once. What is answered does not depend on it.

import { describe, expect, it } from "vitest";
import type { Level } from "../../core/query/level/level.ts";
import { bindLevel } from "../../core/query/read/bind.ts";
import { LinkStep } from "../../core/query/steps/link.ts";
import fc from "../support/properties.ts";
import { EagerBudget } from "./eager-budget.ts";
import { deploy, type TestApi } from "./harness.ts";

const schema = `
  interface Place { code: String! @id  paths: [Path] }
  type Mill implements Place { stones: Int @search  next: Mill  others: [Mill] }
  type Barn implements Place { sacks: Int }
  type Path { name: String! @id  to: Mill  place: Place }
`;

async function village(): Promise<TestApi> {
  const api = await deploy(schema);
  await api.seed({
    a: ["Mill", { code: "a", stones: 1, next: "b", others: ["a", "b", "c"], paths: ["p", "q"] }],
    b: ["Mill", { code: "b", stones: 2, next: "c", others: ["c"], paths: ["q"] }],
    c: ["Mill", { code: "c", others: [], paths: [] }],
    d: ["Barn", { code: "d", sacks: 4, paths: ["p"] }],
    p: ["Path", { name: "p", to: "c", place: "d" }],
    q: ["Path", { name: "q", place: "a" }],
  });
  return api;
}

function levelOf(api: TestApi, text: string, variables: Readonly<Record<string, unknown>> = {}): Level {
  const shape = api.plan(text).roots[0]?.selection.select(variables);
  if (shape?.kind !== "nodes") throw new TypeError("no nodes");
  return shape.level;
}

function linksOf({ steps }: Level): readonly LinkStep[] {
  return steps.flatMap(({ step }) => (step instanceof LinkStep ? [step] : []));
}

/** The level of the link `next` below the n-th link of the root field. */
const nextBelow = (level: Level, n: number) => {
  const below = linksOf(level)[n]?.level;
  return below && linksOf(below).find(({ field }) => field.name === "next")?.level;
};

describe("what two spreads of a fragment select", () => {
  it("is one part of the plan, however deep", async () => {
    const api = await village();
    const links = (fragment: string) => Array.from({ length: 9 }, (_, i) => `l${i}: next { ...${fragment} }`).join(" ");
    const fragments = Array.from({ length: 4 }, (_, i) => `fragment F${i} on Mill { ${i === 3 ? "code stones" : links(`F${i + 1}`)} }`).join(" ");
    const levels = new Set<Level>();
    const visit = (level: Level): void => {
      if (levels.has(level)) return;
      levels.add(level);
      for (const each of linksOf(level)) visit(each.level);
    };
    visit(levelOf(api, `{ queryMill { ${links("F0")} } } ${fragments}`));
    expect(levels.size).toBe(1 + 4 * 9);
  });

  it("is shared by root fields too", async () => {
    const api = await village();
    const { roots } = api.plan("{ a: queryMill { ...F } b: queryMill(first: 1) { ...F } } fragment F on Mill { next { code } }");
    const [a, b] = roots.map(({ selection }) => selection.select({}));
    expect(a?.kind === "nodes" && linksOf(a.level)[0]?.level).toBe(b?.kind === "nodes" && linksOf(b.level)[0]?.level);
  });

  it.each([
    ["under another cascade", "{ queryMill { x: others @cascade { ...F } y: others { ...F } } } fragment F on Mill { next { code stones } }"],
    [
      "under a cascade of other fields",
      '{ queryMill { x: others @cascade(fields: ["next"]) { ...F } y: others @cascade(fields: ["code"]) { ...F } } } fragment F on Mill { next { code stones } }',
    ],
    [
      "next to a field of the same key",
      "{ queryMill { x: others { ...F } y: others { ...F next { stones } } } } fragment F on Mill { next { code } }",
    ],
    ["with other arguments", "{ queryMill { x: others { next(filter: {stones: {eq: 2}}) { code } } y: others { next { code } } } }"],
  ])("is not shared %s", async (_, text) => {
    const api = await village();
    const level = levelOf(api, text);
    expect(nextBelow(level, 0)).toBeDefined();
    expect(nextBelow(level, 0)).not.toBe(nextBelow(level, 1));
  });

  it("is planned for each set of the variables that decide it", async () => {
    const api = await village();
    const text =
      'query ($more: Boolean!) { queryMill(filter: {code: {eq: "a"}}) { x: next { ...F } y: next { ...F } } } fragment F on Mill { next { code stones @include(if: $more) } }';
    const answer = (next: unknown) => ({ data: { queryMill: [{ x: { next }, y: { next } }] } });
    expect(await api.ask(text, { more: true })).toEqual(answer({ code: "c", stones: null }));
    expect(await api.ask(text, { more: false })).toEqual(answer({ code: "c" }));
  });

  it("is answered as if each fragment were written out", async () => {
    const api = await village();
    const leaf = fc.constantFrom("code", "stones", "__typename");
    const link = fc.constantFrom(
      "next",
      "x: next",
      "others",
      "two: others(first: 2)",
      "last: others(order: {desc: code})",
      "big: others(filter: {stones: {ge: 1}})",
    );
    const cascade = fc.constantFrom("", "", "", " @cascade", ' @cascade(fields: ["next"])');
    const body = (spreads: readonly string[]) =>
      fc
        .array(
          fc.oneof(
            leaf,
            fc.constantFrom("code", ...spreads.map((name) => `...${name}`)),
            fc
              .tuple(link, cascade, fc.constantFrom("code", ...spreads.map((name) => `...${name}`)))
              .map(([key, directive, inner]) => `${key}${directive} { ${inner} }`),
          ),
          { minLength: 1, maxLength: 5 },
        )
        .map((members) => members.join(" "));
    const documents = fc.record({ root: body(["A", "B", "C"]), A: body(["B", "C"]), B: body(["C"]), C: body([]) });
    await fc.assert(
      fc.asyncProperty(documents, async ({ root, A, B, C }) => {
        const written = (text: string): string =>
          text.replaceAll(/\.\.\.([ABC])/g, (_, name: "A" | "B" | "C") => `... on Mill { ${written({ A, B, C }[name])} }`);
        const texts = { A, B, C };
        const spreadIn = (text: string): readonly ("A" | "B" | "C")[] =>
          (["A", "B", "C"] as const).filter((name) => text.includes(`...${name}`)).flatMap((name) => [name, ...spreadIn(texts[name])]);
        const fragments = [...new Set(spreadIn(root))].map((name) => `fragment ${name} on Mill { ${texts[name]} }`);
        expect(await api.ask(`{ queryMill { ${root} } } ${fragments.join(" ")}`)).toEqual(await api.ask(`{ queryMill { ${written(root)} } }`));
      }),
      { numRuns: 150 },
    );
  });
});

describe("a wide plan", () => {
  const wide = (members: (n: number) => string) => `{ queryMill { ${Array.from({ length: 4_000 }, (_, i) => members(i)).join(" ")} } }`;

  it("is planned in steps", async () => {
    const api = await village();
    const [root] = api.plan(wide((i) => `m${i}: stones`)).roots;
    const steps = root?.selection.plan({});
    let count = 0;
    while (steps?.next().done === false) count++;
    expect(count).toBeGreaterThan(30);
    expect(root?.selection.plan({})).toBeUndefined();
  });

  it("counts once when many requests plan it at the same time", async () => {
    const api = await village();
    const [root] = api.plan(wide((i) => `m${i}: stones`)).roots;
    // 30 times 4,000 selections are more than a plan may have.
    const works = Array.from({ length: 30 }, () => root?.selection.plan({}));
    for (let left = works; left.length > 0; ) left = left.filter((steps) => steps?.next().done === false);
    expect(root?.selection.plan({})).toBeUndefined();
  });

  it("gets the values of a request in turns", async () => {
    const api = await village();
    const text = `query ($least: Int) ${wide((i) => `m${i}: others(filter: {stones: {ge: $least}}) { code }`)}`;
    const budget = new EagerBudget();
    const request = { id: "00000000-0000-4000-8000-000000000000", now: "2031-04-09T06:00:00Z", headers: {}, facts: {} };
    const bound = await bindLevel(levelOf(api, text), {
      context: { deployment: api.deployment, request, budget, variables: { least: 2 } },
      purpose: "query",
    });
    expect(bound.steps).toHaveLength(4_000);
    expect(budget.turns).toBeGreaterThan(100);
  });
});
