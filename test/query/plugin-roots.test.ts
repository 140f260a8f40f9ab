import { describe, expect, it } from "vitest";
import { type DirectivePlugin, type Json, QuernError, type RootAnswer } from "../../core/plugin.ts";
import { deploy } from "./harness.ts";

const schema = `type Cup { id: ID!  mark: String! @id  size: Int @search  volume: Int  saucer: Saucer }  type Saucer { mark: String! @id }`;

interface Roots {
  readonly favourites?: (snapshot: { at: string }) => RootAnswer | Promise<RootAnswer>;
  readonly weather?: () => RootAnswer;
}

/** Two root fields, nodes and JSON, and a computed field: ten times the size, later. */
function extras({ favourites, weather }: Roots): DirectivePlugin {
  return {
    name: "extras",
    definitions: "",
    model: ({ model, record }) => {
      const cup = model.nodeTypes.get("Cup");
      const volume = cup?.fields.get("volume");
      if (!cup || !volume) return undefined;
      record.computed(volume);
      return {
        api: () => ({
          definitions: "type Weather { sky: String! wind: Wind days: [Wind!] } type Wind { force: Int }",
          roots: [
            ...(favourites
              ? [
                  {
                    operation: "query" as const,
                    signature: "favourites(filter: CupFilter): [Cup]",
                    type: cup,
                    run: ({ snapshot }: { snapshot: { at: string } }) => favourites(snapshot),
                  },
                ]
              : []),
            ...(weather ? [{ operation: "query" as const, signature: "weather: Weather", run: weather }] : []),
          ],
          computed: [
            {
              field: volume,
              needs: ["Cup.size"],
              compute: async (parents) => parents.map(({ values: [size] }): Json => (typeof size === "number" ? size * 10 : null)),
            },
          ],
        }),
      };
    },
  };
}

async function cups(roots: Roots) {
  const api = await deploy(schema, { plugins: [extras(roots)] });
  await api.seed({
    a: ["Cup", { mark: "a", size: 2, saucer: "s" }],
    b: ["Cup", { mark: "b" }],
    c: ["Cup", { mark: "c", size: 3 }],
    s: ["Saucer", { mark: "s" }],
  });
  return api;
}

describe("a plugin's root field", () => {
  it("returns nodes in its own order, which are read below", async () => {
    const api = await cups({ favourites: () => ({ nodes: [3, 1, 99] }) });
    expect(await api.ask("{ favourites { mark saucer { mark } } }")).toEqual({
      data: {
        favourites: [
          { mark: "c", saucer: null },
          { mark: "a", saucer: { mark: "s" } },
        ],
      },
    });
  });

  it("is filtered by the rules and by its own filter", async () => {
    const api = await cups({ favourites: async () => ({ nodes: [3, 2, 1] }) });
    expect(await api.ask("{ favourites(filter: {size: {ge: 0}}) @cascade { mark size } }")).toEqual({
      data: {
        favourites: [
          { mark: "c", size: 3 },
          { mark: "a", size: 2 },
        ],
      },
    });
  });

  it("returns JSON, reduced to the selection", async () => {
    const api = await cups({ weather: () => ({ json: { sky: "grey", wind: { force: 7, gusts: 9 }, days: [{ force: 1 }, {}] } }) });
    expect(await api.ask("{ weather { __typename clouds: sky wind { force } days { f: force } } }")).toEqual({
      data: { weather: { __typename: "Weather", clouds: "grey", wind: { force: 7 }, days: [{ f: 1 }, { f: null }] } },
    });
  });

  it("propagates nulls of its JSON from non-null positions", async () => {
    const api = await cups({ weather: () => ({ json: { wind: null, days: [null] } }) });
    const { data, errors } = await api.ask("{ a: weather { wind { force } days { force } } b: weather { sky } }");
    expect(data).toEqual({ a: { wind: null, days: null }, b: null });
    expect(errors?.map(({ path }) => path)).toEqual([
      ["a", "days", 0],
      ["b", "sky"],
    ]);
  });

  it("fails without the other root fields", async () => {
    const api = await cups({
      weather: () => {
        throw new QuernError("OPERATION_FAILED", "no wind");
      },
    });
    expect(await api.ask("{ weather { sky } queryCup(first: 1) { mark } }")).toEqual({
      data: { weather: null, queryCup: [{ mark: "a" }] },
      errors: [{ message: "no wind", path: ["weather"] }],
    });
  });
});

describe("a computed field", () => {
  it("is computed once for all parents, from the values that it needs", async () => {
    const api = await cups({});
    expect(await api.ask("{ queryCup { mark v: volume } }")).toEqual({
      data: {
        queryCup: [
          { mark: "a", v: 20 },
          { mark: "b", v: null },
          { mark: "c", v: 30 },
        ],
      },
    });
  });
});
