// Bounds on requests: each is met by a request that just fits and one that does not.

import { describe, expect, it, vi } from "vitest";
import { type Limits, parseJson } from "../../core/index.ts";
import { compatibleKernel } from "../support/kernel.ts";

interface Answer {
  readonly errors?: readonly { readonly message: string }[];
  readonly data?: unknown;
}

async function withLimits(
  limits: Partial<Limits>,
  use: (ask: (query: string, variables?: Record<string, unknown>) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const { kernel, remove } = await compatibleKernel({ limits });
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

it("counts root fields before it validates them", () =>
  withLimits({ maxTimeMs: 5_000, maxDocumentTokens: 1_000_000 }, async (ask) => {
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

/** Each fragment but the last holds `within` with the name of the next, which is thus written out 2 to the power of `depth` times. */
function doubling(type: string, depth: number, within: (next: string) => string, last: string): string {
  const fragments = Array.from({ length: depth }, (_, i) => `fragment F${i} on ${type} { ${within(`...F${i + 1}`)} }`);
  return `${fragments.join(" ")} fragment F${depth} on ${type} { ${last} }`;
}

describe("fragments that double", () => {
  const twice = (next: string) => `${next} ${next}`;
  const nested = (next: string) => `x: stones { mill { ${next} } } y: stones { mill { ${next} } }`;

  it("are expanded once per level, whatever precedes them", () =>
    withLimits({ maxSelections: 200, maxTimeMs: 5_000 }, async (ask) => {
      const name = { data: { queryMill: [] } };
      expect(await ask(`{ ...F0 } ${doubling("Query", 40, twice, "queryMill { name }")}`)).toEqual(name);
      expect(await ask(`{ queryMill { ...F0 } } ${doubling("Mill", 40, twice, "name")}`)).toEqual(name);
      const byTurns = (next: string) => `${next} @include(if: $a) ${next} @skip(if: $a) ... { ${next} }`;
      for (const a of [true, false])
        expect(await ask(`query ($a: Boolean!) { ...F0 } ${doubling("Query", 40, byTurns, "queryMill { name }")}`, { a })).toEqual(name);
      const schema = { data: { __schema: { queryType: { name: "Query" } }, queryMill: [] } };
      expect(await ask(`{ ...F0 } ${doubling("Query", 40, twice, "__schema { queryType { name } } queryMill { name }")}`)).toEqual(schema);
    }));

  it("are counted on every level, over all root fields, and refused before anything runs", () =>
    withLimits({ maxSelections: 100 }, async (ask) => {
      const document = (depth: number) => doubling("Mill", depth, nested, "name");
      expect(await ask(`{ queryMill { ...F0 } } ${document(3)}`)).toEqual({ data: { queryMill: [] } });
      expect(await ask(`{ queryMill { ...F0 } } ${document(5)}`)).toEqual(refusal("maxSelections"));
      const roots = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: queryMill { ...F0 }`).join(" ");
      expect((await ask(`{ ${roots(2)} } ${document(2)}`)).data).toEqual({ a0: [], a1: [] });
      expect(await ask(`{ ${roots(8)} } ${document(2)}`)).toEqual(refusal("maxSelections"));
      expect(await ask(`mutation { addMill(input: [{ name: "a" }]) { mill { ...F0 } } } ${document(5)}`)).toEqual(refusal("maxSelections"));
      expect((await ask("{ aggregateMill { count } }")).data).toEqual({ aggregateMill: { count: 0 } });
    }));

  it("are refused by the default limits before they exhaust memory", () =>
    withLimits({ maxDepth: 100 }, async (ask) => {
      const document = doubling("Mill", 40, nested, "name");
      for (let round = 0; round < 3; round++) expect(await ask(`{ queryMill { ...F0 } } ${document} # ${round}`)).toEqual(refusal("maxSelections"));
    }));

  it("are counted separately for each set of conditions", () =>
    withLimits({ maxSelections: 30 }, async (ask) => {
      const query =
        "query ($a: Boolean!, $b: [String]) { queryMill @cascade(fields: $b) { name stones @include(if: $a) { mass id mill { name } } } }";
      for (let i = 0; i < 200; i++) expect(await ask(query, { a: i % 2 === 0, b: Array(i).fill("name") })).toEqual({ data: { queryMill: [] } });
    }));

  it("are counted once, even when requests alternate", () =>
    withLimits({ maxSelections: 30 }, async (ask) => {
      const query = "query ($a: Boolean!) { m: queryMill @include(if: $a) { name } s: queryStone { mass id mill { name @skip(if: $a) id: name } } }";
      for (let i = 0; i < 200; i++) expect(await ask(query, { a: i % 2 === 0 })).toEqual({ data: i % 2 === 0 ? { m: [], s: [] } : { s: [] } });
    }));
});

it("includes a root fragment when one of its spreads is included", () =>
  withLimits({}, async (ask) => {
    const mill = "fragment M on Query { m: queryMill { name } t: __typename s: __schema { queryType { name } } }";
    const all = { m: [], t: "Query", s: { queryType: { name: "Query" } } };
    const either = `query ($a: Boolean!, $b: Boolean!) { ...M @include(if: $a) ... @skip(if: $b) { ...M } z: queryStone { mass } } ${mill}`;
    for (const a of [true, false])
      for (const b of [true, false]) expect((await ask(either, { a, b })).data, `${a} ${b}`).toEqual({ ...(a || !b ? all : {}), z: [] });
    const always = `query ($a: Boolean!) { ...M @include(if: $a) ...M } ${mill}`;
    for (const a of [true, false]) expect((await ask(always, { a })).data).toEqual(all);
    const inside =
      "query ($a: Boolean!) { ...N } fragment N on Query { m: queryMill @include(if: $a) { name } ... on Query @skip(if: $a) { t: __typename } }";
    expect([(await ask(inside, { a: true })).data, (await ask(inside, { a: false })).data]).toEqual([{ m: [] }, { t: "Query" }]);
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

it("bounds what a query compares with, in one list and in all of them, in literals and variables", () =>
  withLimits({ maxInputList: 3 }, async (ask) => {
    const names = "query ($a: [String], $b: [String]) { queryMill(filter: { or: [{ name: { in: $a } }, { name: { in: $b } }] }) { name } }";
    expect(await ask(names, { a: ["x", "y"], b: ["z"] })).toEqual({ data: { queryMill: [] } });
    expect(await ask(names, { a: ["x", "y", "z", "w"] })).toEqual(refusal("maxInputList"));
    expect(await ask(names, { a: ["x", "y"], b: ["z", "w"] })).toEqual(refusal("maxInputList"));
    const literal = (list: string) => `{ queryMill(filter: { name: { in: [${list}] } }) { name } }`;
    expect(await ask(literal('"x", "y", "z"'))).toEqual({ data: { queryMill: [] } });
    expect(await ask(literal('"x", "y", "z", "w"'))).toEqual(refusal("maxInputList"));
    const two = `{ a: queryMill(filter: { name: { in: ["x", "y"] } }) { name } b: queryMill(filter: { name: { in: ["z", "w"] } }) { name } }`;
    expect(await ask(two)).toEqual(refusal("maxInputList"));
  }));

it("refuses a million values before it looks at one of them", () =>
  withLimits({ maxTimeMs: 5_000 }, async (ask) => {
    const query = "query ($a: [String]) { queryMill(filter: { name: { in: $a } }) { name } }";
    expect(await ask(query, { a: Array(1_000_000).fill({ wrong: true }) })).toEqual(refusal("maxInputList"));
  }));

it("bounds tokens of a document", () =>
  withLimits({ maxDocumentTokens: 9 }, async (ask) => {
    expect(await ask("{ a: queryMill { name } }")).toEqual({ data: { a: [] } });
    expect(await ask("{ a: queryMill { name name } }")).toEqual({ data: { a: [] } });
    expect(await ask("{ a: queryMill { name name name } }")).toEqual({
      errors: [{ message: "The document has more than 9 tokens (limits.maxDocumentTokens). Send it in parts, or its values as variables." }],
    });
  }));

it.each(["\n", "\r", "\r\n", "#\n"])("bounds lines of a document as its tokens, which end with %j", (lineEnd) =>
  withLimits({ maxDocumentTokens: 9 }, async (ask) => {
    expect(await ask(`${lineEnd.repeat(8)}{ a: queryMill { name } }`)).toEqual({ data: { a: [] } });
    expect(await ask(`${lineEnd.repeat(9)}{ a: queryMill { name } }`)).toEqual({
      errors: [{ message: "The document has more than 9 lines (limits.maxDocumentTokens). Send it in parts, or its values as variables." }],
    });
  }),
);

it("bounds characters of a document by its tokens", () =>
  withLimits({ maxDocumentTokens: 9 }, async (ask) => {
    const document = "{ a: queryMill { name } }";
    const blanks = " ".repeat(9 * 256 - document.length);
    expect(await ask(`${blanks}${document}`)).toEqual({ data: { a: [] } });
    const message =
      "The document has more than 2304 characters (256 for each of limits.maxDocumentTokens). Send it in parts, or its values as variables.";
    expect(await ask(`${blanks} ${document}`)).toEqual({ errors: [{ message }] });
    expect(await ask(" ".repeat(9 * 256 + 1))).toEqual({ errors: [{ message }] });
  }));

it("takes a long document of blanks and comments for an empty one", () =>
  withLimits({}, async (ask) => {
    for (const empty of [" ".repeat(8_000_000), ",\uFEFF\t".repeat(1_000_000), `${"# a {\n".repeat(9_000)} #{`])
      expect(await ask(empty)).toEqual({ errors: [{ message: "Supplied operation name  isn't present in the request." }] });
  }));

it("bounds the nodes that one mutation changes, and rolls it back beyond the bound", () =>
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

it("bounds nodes touched, and fails only the root field that exceeds the bound", () =>
  withLimits({ maxTouchedNodes: 3 }, async (ask) => {
    await ask('mutation { addMill(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    await ask('mutation { addMill(input: [{ name: "c" }, { name: "d" }]) { numUids } }');
    const answer = await ask("{ queryMill { name stones { mass } } }");
    expect(answer).toMatchObject({
      data: { queryMill: null },
      errors: [{ message: expect.stringContaining("limits.maxTouchedNodes"), path: ["queryMill"] }],
    });
  }));

it("accepts a field named like a member of Object.prototype", () =>
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

  it("is answered as deep as the stack allows, and refused beyond that without a server fault", () =>
    withLimits({ maxDepth: 1_000_000, maxDocumentTokens: 1_000_000 }, async (ask) => {
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

describe("conditions of a query", () => {
  const or = (count: number) => Array.from({ length: count }, (_, i) => ({ name: { eq: `mill ${i}` } }));
  const literal = (count: number) => `{ queryMill(filter: { or: [${or(count).map(({ name }) => `{ name: { eq: "${name.eq}" } }`)}] }) { name } }`;
  const variable = "query ($or: [MillFilter]) { queryMill(filter: { or: $or }) { name } }";

  it("are bounded alike in the text and in variables, over all lists", () =>
    withLimits({ maxConditions: 4 }, async (ask) => {
      const none = { data: { queryMill: [] } };
      expect(await ask(literal(4))).toEqual(none);
      expect(await ask(variable, { or: or(4) })).toEqual(none);
      expect(await ask(literal(5))).toEqual(refusal("maxConditions"));
      expect(await ask(variable, { or: or(5) })).toEqual(refusal("maxConditions"));
      expect(await ask(variable, { or: [{ and: or(2) }, { not: { or: or(1) } }] })).toEqual(refusal("maxConditions"));
    }));

  it("are neither the values of one condition nor what a mutation stores", () =>
    withLimits({ maxConditions: 4 }, async (ask) => {
      const names = Array.from({ length: 50 }, (_, i) => `mill ${i}`);
      expect(await ask("query ($in: [String]) { queryMill(filter: { name: { in: $in } }) { name } }", { in: names })).toEqual({
        data: { queryMill: [] },
      });
      const input = names.map((name) => ({ name }));
      const added = await ask("mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", { input });
      expect(added.data).toEqual({ addMill: { numUids: 50 } });
    }));
});
