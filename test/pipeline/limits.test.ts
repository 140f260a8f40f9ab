// Bounds on requests: each is met by a request that just fits and one that does not.

import { describe, expect, it, vi } from "vitest";
import { type Limits, parseJson } from "../../core/index.ts";
import { temporaryKernel } from "../support/kernel.ts";

interface Answer {
  readonly errors?: readonly { readonly message: string }[];
  readonly data?: unknown;
}

async function withLimits(
  limits: Partial<Limits>,
  use: (ask: (query: string, variables?: Record<string, unknown>) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const { kernel, remove } = await temporaryKernel({ limits });
  try {
    await kernel.deploy("type Mill { name: String! @id  constructor: String  stones: [Stone] }  type Stone { id: ID!  mass: Int  mill: Mill }");
    await use(async (query, variables = {}) => parseJson((await kernel.execute({ query, variables })).body) as Answer);
  } finally {
    await remove();
  }
}

const refusal = (setting: string) => ({ errors: [{ message: expect.stringContaining(`limits.${setting}`) }] });

it("bounds root fields", () =>
  withLimits({ maxRootFields: 2 }, async (ask) => {
    expect(await ask("{ a: queryMill { name } b: queryMill { name } }")).toEqual({ data: { a: [], b: [] } });
    expect(await ask("{ a: queryMill { name } b: queryMill { name } c: __typename }")).toEqual(refusal("maxRootFields"));
  }));

it("counts many root fields before it looks at them", () =>
  withLimits({ maxTimeMs: 5_000 }, async (ask) => {
    const fields = Array.from({ length: 30_000 }, (_, i) => `a${i}: queryMill { nothing }`).join(" ");
    const message = "The operation has 30000 root fields; at most 1000 are allowed (limits.maxRootFields).";
    expect(await ask(`{ ${fields} }`)).toEqual({ errors: [{ message }] });
  }));

it("ends a request that spends its time on a long document", () =>
  withLimits({ maxTimeMs: 1 }, async (ask) => {
    const fields = Array.from({ length: 900 }, (_, i) => `a${i}: queryMill { name stones { mass } }`).join(" ");
    expect(await ask(`{ ${fields} }`)).toEqual(refusal("maxTimeMs"));
  }));

it("bounds depth, through fragments too", () =>
  withLimits({ maxDepth: 3 }, async (ask) => {
    expect(await ask("{ queryMill { stones { mass } } }")).toEqual({ data: { queryMill: [] } });
    expect(await ask("{ queryMill { ...s } } fragment s on Mill { stones { mill { name } } }")).toEqual(refusal("maxDepth"));
  }));

it("bounds lists of the input, in literals and variables, at every depth", () =>
  withLimits({ maxInputList: 2 }, async (ask) => {
    const add = "mutation ($in: [AddMillInput!]!) { addMill(input: $in) { numUids } }";
    expect((await ask(add, { in: [{ name: "a" }, { name: "b" }] })).data).toEqual({ addMill: { numUids: 2 } });
    expect(await ask(add, { in: [{ name: "c" }, { name: "d" }, { name: "e" }] })).toEqual(refusal("maxInputList"));
    expect(await ask(add, { in: { name: "c", stones: [{}, {}, {}] } })).toEqual(refusal("maxInputList"));
    expect(await ask('mutation { addMill(input: [{ name: "c", stones: [{}, {}, {}] }]) { numUids } }')).toEqual(refusal("maxInputList"));
    expect((await ask("{ aggregateMill { count } }")).data).toEqual({ aggregateMill: { count: 2 } });
  }));

it("bounds tokens of a document", () =>
  withLimits({ maxDocumentTokens: 9 }, async (ask) => {
    expect(await ask("{ a: queryMill { name } }")).toEqual({ data: { a: [] } });
    expect(await ask("{ a: queryMill { name name } }")).toEqual({ data: { a: [] } });
    expect(await ask("{ a: queryMill { name name name } }")).toEqual({
      errors: [{ message: "The document has more than 9 tokens (limits.maxDocumentTokens). Send it in parts, or its values as variables." }],
    });
  }));

it("bounds nodes that one mutation changes, which then changes none", () =>
  withLimits({ maxChanges: 2 }, async (ask) => {
    expect((await ask('mutation { addMill(input: [{ name: "a" }, { name: "b" }]) { numUids } }')).data).toEqual({ addMill: { numUids: 2 } });
    expect((await ask('mutation { addMill(input: [{ name: "c" }]) { numUids } }')).data).toEqual({ addMill: { numUids: 1 } });
    const refused = { data: expect.anything(), errors: [{ message: expect.stringContaining("limits.maxChanges"), path: [expect.any(String)] }] };
    expect(await ask('mutation { addMill(input: [{ name: "d" }, { name: "e", stones: [{}] }]) { numUids } }')).toMatchObject(refused);
    expect(await ask('mutation { updateMill(input: { filter: {}, set: { constructor: "x" } }) { numUids } }')).toMatchObject(refused);
    expect(await ask("mutation { deleteMill(filter: {}) { numUids } }")).toMatchObject(refused);
    expect((await ask("{ queryMill { name constructor } aggregateStone { count } }")).data).toEqual({
      queryMill: ["a", "b", "c"].map((name) => ({ name, constructor: null })),
      aggregateStone: { count: 0 },
    });
  }));

it("bounds nodes touched, and says so at the root field alone", () =>
  withLimits({ maxTouchedNodes: 3 }, async (ask) => {
    await ask('mutation { addMill(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    await ask('mutation { addMill(input: [{ name: "c" }, { name: "d" }]) { numUids } }');
    const answer = await ask("{ queryMill { name stones { mass } } }");
    expect(answer).toMatchObject({
      data: { queryMill: null },
      errors: [{ message: expect.stringContaining("limits.maxTouchedNodes"), path: ["queryMill"] }],
    });
  }));

it("takes a field called like something that every object inherits", () =>
  withLimits({}, async (ask) => {
    const add = "mutation ($in: [AddMillInput!]!) { addMill(input: $in) { mill { name constructor } } }";
    const answer = await ask(add, { in: [{ name: "a" }, { name: "b", constructor: "Kent" }] });
    expect(answer.data).toEqual({
      addMill: {
        mill: [
          { name: "a", constructor: null },
          { name: "b", constructor: "Kent" },
        ],
      },
    });
  }));

describe("nesting without a limit", () => {
  const selections = (levels: number) => `{ queryMill ${"{ stones { mill ".repeat(levels)}{ name }${" } }".repeat(levels)} }`;
  const filters = (levels: number) => `{ queryMill(filter: ${"{ not: ".repeat(levels)}{ has: name }${" }".repeat(levels)}) { name } }`;
  const tooDeep = { errors: [{ message: "The request is nested more deeply than this server can follow. Ask for fewer levels at once." }] };

  it("is answered as deep as the stack goes, and refused beyond, as no fault of the server", () =>
    withLimits({}, async (ask) => {
      const logged = vi.spyOn(console, "error");
      expect(await ask(selections(100))).toEqual({ data: { queryMill: [] } });
      expect(await ask(filters(200))).toEqual({ data: { queryMill: [] } });
      for (const levels of [20_000, 60_000]) {
        expect(await ask(selections(levels))).toEqual(tooDeep);
        expect(await ask(filters(levels))).toEqual(tooDeep);
      }
      const not = (levels: number): object => JSON.parse(`${'{"not":'.repeat(levels)}{"has":"name"}${"}".repeat(levels)}`);
      const byVariable = "query ($f: MillFilter) { queryMill(filter: $f) { name } }";
      expect(await ask(byVariable, { f: not(100) })).toEqual({ data: { queryMill: [] } });
      expect(await ask(byVariable, { f: not(20_000) })).toEqual(tooDeep);
      expect(logged).not.toHaveBeenCalled();
      logged.mockRestore();
    }));
});
