import { describe, expect, it } from "vitest";
import type { DirectivePlugin, Predicate, Purpose } from "../../core/plugin.ts";
import { type DeployOptions, deploy } from "./harness.ts";

const desk = `
  interface Item { id: ID!  mark: String! @id }
  type Tool implements Item { hidden: Boolean @search  fee: Int  rack: Rack }
  type Book implements Item { hidden: Boolean @search }
  type Rack { no: Int! @id  tools: [Tool] @hasInverse(field: rack)  items: [Item]  spare: Tool  must: Tool }
`;

type Rules = Readonly<Record<string, Predicate | "deny" | undefined>>;

/** Narrows types by name, for `query` or the purpose in front: `update Tool`. */
function ruled(rules: Rules, later = false): DirectivePlugin {
  const answer = (type: string, purpose: Purpose) => rules[purpose === "query" ? type : `${purpose} ${type}`];
  return {
    name: "ruled",
    definitions: "",
    model: () => ({ narrow: (type, purpose) => (later ? Promise.resolve(answer(type.name, purpose)) : answer(type.name, purpose)) }),
  };
}

const shown = (type: string): Predicate => ({ kind: "not", of: { kind: "compare", field: `${type}.hidden`, op: "eq", operands: [true] } });

async function room(rules: Rules, options: DeployOptions & { later?: boolean } = {}) {
  const api = await deploy(desk, { plugins: [ruled(rules, options.later)] });
  const ids = await api.seed({
    saw: ["Tool", { mark: "saw", hidden: true, fee: 5 }],
    axe: ["Tool", { mark: "axe", fee: 3 }],
    dune: ["Book", { mark: "dune" }],
    memo: ["Book", { mark: "memo", hidden: true }],
    one: ["Rack", { no: 1, tools: ["saw", "axe"], items: ["saw", "axe", "dune", "memo"], spare: "saw", must: "axe" }],
    two: ["Rack", { no: 2, tools: [], items: ["saw"], spare: "axe" }],
  });
  return { api, ids };
}

const everywhere = `{
  queryTool { mark }
  getTool(mark: "saw") { mark }
  aggregateTool { count feeMax }
  queryItem { mark }
  queryRack { no tools { mark } items { mark } spare { mark } toolsAggregate { count feeMax } itemsAggregate { count } }
  cascaded: queryRack @cascade { no spare { mark } }
  paged: getRack(no: 1) { tools(first: 1) { mark } }
}`;

describe.each([[false], [true]])("a hidden node (rules that answer later: %s)", (later) => {
  it("is absent from get, query, aggregates, links, cascade and pages", async () => {
    const { api } = await room({ Tool: shown("Tool"), Book: shown("Book") }, { later });
    expect(await api.ask(everywhere)).toEqual({
      data: {
        queryTool: [{ mark: "axe" }],
        getTool: null,
        aggregateTool: { count: 1, feeMax: 3 },
        queryItem: [{ mark: "axe" }, { mark: "dune" }],
        queryRack: [
          {
            no: 1,
            tools: [{ mark: "axe" }],
            items: [{ mark: "axe" }, { mark: "dune" }],
            spare: null,
            toolsAggregate: { count: 1, feeMax: 3 },
            itemsAggregate: { count: 2 },
          },
          { no: 2, tools: [], items: [], spare: { mark: "axe" }, toolsAggregate: { count: 0, feeMax: null }, itemsAggregate: { count: 0 } },
        ],
        cascaded: [{ no: 2, spare: { mark: "axe" } }],
        paged: { tools: [{ mark: "axe" }] },
      },
    });
  });
});

describe("a denied type", () => {
  it("has no nodes and no count", async () => {
    const { api } = await room({ Tool: "deny" });
    expect(await api.ask(everywhere)).toEqual({
      data: {
        queryTool: [],
        getTool: null,
        aggregateTool: null,
        queryItem: [{ mark: "dune" }, { mark: "memo" }],
        queryRack: [
          {
            no: 1,
            tools: [],
            items: [{ mark: "dune" }, { mark: "memo" }],
            spare: null,
            toolsAggregate: { count: null, feeMax: null },
            itemsAggregate: { count: 2 },
          },
          { no: 2, tools: [], items: [], spare: null, toolsAggregate: { count: null, feeMax: null }, itemsAggregate: { count: 0 } },
        ],
        cascaded: [],
        paged: { tools: [] },
      },
    });
  });

  it("is not found by id", async () => {
    const { api, ids } = await room({ Tool: "deny" });
    expect(
      await api.ask(`{ a: getTool(id: "${ids.axe}") { mark } b: getItem(id: "${ids.axe}") { mark } c: getItem(id: "${ids.dune}") { mark } }`),
    ).toEqual({
      data: { a: null, b: null, c: { mark: "dune" } },
    });
  });
});

describe("rules of several plugins", () => {
  it("must all hold, and each is asked for every concrete type", async () => {
    const cheap: Predicate = { kind: "compare", field: "Tool.fee", op: "lt", operands: [4] };
    const api = await deploy(desk, { plugins: [ruled({ Tool: { kind: "all" } }), { ...ruled({ Tool: cheap, Book: "deny" }), name: "cheap" }] });
    await api.seed({ saw: ["Tool", { mark: "saw", fee: 5 }], axe: ["Tool", { mark: "axe", fee: 3 }], dune: ["Book", { mark: "dune" }] });
    expect(await api.ask("{ queryItem { mark } }")).toEqual({ data: { queryItem: [{ mark: "axe" }] } });
  });

  it("for other purposes do not apply", async () => {
    const { api } = await room({ "update Tool": "deny", "password Tool": "deny" });
    expect(await api.ask("{ queryTool { mark } }")).toEqual({ data: { queryTool: [{ mark: "saw" }, { mark: "axe" }] } });
  });
});

describe("limits of narrowing", () => {
  it("`has` matches a link to a hidden node", async () => {
    const { api } = await room({ Tool: "deny" });
    expect(await api.ask("{ queryRack(filter: {has: spare}) { no spare { mark } } }")).toEqual({
      data: {
        queryRack: [
          { no: 1, spare: null },
          { no: 2, spare: null },
        ],
      },
    });
  });

  it("a payload omits nodes that the caller may not query, and numUids counts them", async () => {
    const { api, ids } = await room({ Tool: shown("Tool") });
    const asked = "mutation { addTool(input: []) { numUids tool { mark } } }";
    expect(await api.payload(asked, { ids: [ids.saw ?? "", ids.axe ?? ""], numUids: 2 })).toEqual({
      data: { addTool: { numUids: 2, tool: [{ mark: "axe" }] } },
    });
  });
});
