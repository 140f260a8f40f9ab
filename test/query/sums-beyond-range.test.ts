// Sums that their type cannot hold: at the root, in links, in groups, live.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Live, liveApi } from "../support/live-clients.ts";

const schema = `
  type Team @withSubscription {
    name: String! @id
    counters: [Counter] @hasInverse(field: team)
  }
  type Counter @groupBy(fields: ["team", "kind"]) {
    kind: String! @search(by: [hash])
    number: Int
    big: Int64
    ratio: Float
    team: Team
  }
`;

let api: Live & { remove(): Promise<void> };
beforeAll(async () => {
  api = await liveApi(schema);
  await api.change(`mutation {
    addCounter(input: [
      { kind: "over", number: 2147483647, big: "9223372036854775807", ratio: 1.7e308, team: { name: "a" } }
      { kind: "over", number: 2, big: "9007199254740993", ratio: 1.7e308, team: { name: "a" } }
      { kind: "edge", number: 2147483646, big: "9223372036854775806", ratio: 1.7e308, team: { name: "b" } }
      { kind: "edge", number: 1, big: "1", ratio: 0, team: { name: "b" } }
      { kind: "under", number: -2147483648, big: "-9223372036854775808", ratio: -1.7e308, team: { name: "c" } }
      { kind: "under", number: -1, big: "-1", ratio: -1.7e308, team: { name: "c" } }
    ]) { numUids }
  }`);
});
afterAll(() => api?.remove());

interface Answer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly path: readonly unknown[]; readonly locations: unknown }[];
}

async function asked(query: string): Promise<Answer> {
  return JSON.parse((await api.kernel.execute({ query })).body);
}

async function problems(query: string): Promise<readonly string[]> {
  return ((await asked(query)).errors ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a sum beyond the range of its type", () => {
  it("is null with an error at its own path, and its neighbours are answered", async () => {
    const query = `{ aggregateCounter(filter: { kind: { eq: "over" } }) { count total: numberSum numberMax numberAvg ratioMax } }`;
    expect(await asked(query)).toMatchObject({
      data: {
        aggregateCounter: { count: 2, total: null, numberMax: 2147483647, numberAvg: 1073741824.5, ratioMax: 1.7e308 },
      },
      errors: [
        {
          message: "The result is 2147483649, which is beyond the range of Int.",
          path: ["aggregateCounter", "total"],
          locations: [{ line: 1, column: 62 }],
        },
      ],
    });
  });

  it("is refused for Int, Int64 and Float on both sides, and so is an average that no Float can be", async () => {
    const of = (kind: string) => `{ aggregateCounter(filter: { kind: { eq: "${kind}" } }) { numberSum bigSum bigAvg ratioSum ratioAvg } }`;
    expect(await problems(of("over"))).toEqual([
      "aggregateCounter.numberSum: The result is 2147483649, which is beyond the range of Int.",
      "aggregateCounter.bigSum: The result is 9232379236109516800, which is beyond the range of Int64.",
      "aggregateCounter.ratioSum: The result is Infinity, which is beyond the range of Float.",
      "aggregateCounter.ratioAvg: The result is Infinity, which is beyond the range of Float.",
    ]);
    expect(await problems(of("under"))).toEqual([
      "aggregateCounter.numberSum: The result is -2147483649, which is beyond the range of Int.",
      "aggregateCounter.bigSum: The result is -9223372036854775809, which is beyond the range of Int64.",
      "aggregateCounter.ratioSum: The result is -Infinity, which is beyond the range of Float.",
      "aggregateCounter.ratioAvg: The result is -Infinity, which is beyond the range of Float.",
    ]);
  });

  it("is answered up to the last value of its type", async () => {
    const text = (await api.kernel.execute({ query: `{ aggregateCounter(filter: { kind: { eq: "edge" } }) { numberSum bigSum ratioSum } }` })).body;
    expect(text).toContain(`"aggregateCounter":{"numberSum":2147483647,"bigSum":9223372036854775807,"ratioSum":1.7e+308}`);
    expect(text).not.toContain("errors");
  });

  it("is an error at the aggregate of the object that has it", async () => {
    const { data, errors } = await asked("{ queryTeam(order: { asc: name }) { name c: countersAggregate { count numberSum } } }");
    expect(data).toEqual({
      queryTeam: [
        { name: "a", c: { count: 2, numberSum: null } },
        { name: "b", c: { count: 2, numberSum: 2147483647 } },
        { name: "c", c: { count: 2, numberSum: null } },
      ],
    });
    expect(errors?.map(({ path }) => path.join("."))).toEqual(["queryTeam.0.c.numberSum", "queryTeam.2.c.numberSum"]);
  });

  it("is an error at the group that has it, also in the groups of a link", async () => {
    const { data, errors } = await asked("{ groupCounter(by: [{ field: kind }]) { key { kind } bigSum } }");
    expect(data).toMatchObject({
      groupCounter: [{ key: { kind: "edge" } }, { key: { kind: "over" }, bigSum: null }, { key: { kind: "under" }, bigSum: null }],
    });
    expect(errors?.map(({ path }) => path.join("."))).toEqual(["groupCounter.1.bigSum", "groupCounter.2.bigSum"]);
    expect(await problems(`{ getTeam(name: "a") { countersGroup(by: [{ field: kind }]) { numberSum } } }`)).toEqual([
      "getTeam.countersGroup.0.numberSum: The result is 2147483649, which is beyond the range of Int.",
    ]);
  });

  it("is compared as it is by having and order", async () => {
    const kinds = async (args: string) => {
      const { data } = await asked(`{ groupCounter(by: [{ field: kind }], ${args}) { key { kind } } }`);
      return (data as { groupCounter: { key: { kind: string } }[] }).groupCounter.map(({ key }) => key.kind);
    };
    expect(await kinds("having: { numberSum: { gt: 2147483647 } }")).toEqual(["over"]);
    expect(await kinds("having: { bigSum: { le: -1 } }")).toEqual(["under"]);
    expect(await kinds("order: { desc: bigSum }")).toEqual(["over", "edge", "under"]);
  });

  it("reaches a live query as null with its error", async () => {
    const client = await api.watch(`subscription { getTeam(name: "b") { countersAggregate { numberSum } } }`);
    await api.change(`mutation { addCounter(input: [{ kind: "one", number: 1, team: { name: "b" } }]) { numUids } }`);
    expect(client.data).toEqual([
      { getTeam: { countersAggregate: { numberSum: 2147483647 } } },
      { getTeam: { countersAggregate: { numberSum: null } } },
    ]);
    await api.change(`mutation { deleteCounter(filter: { kind: { eq: "one" } }) { numUids } }`);
    expect(client.data.at(-1)).toEqual({ getTeam: { countersAggregate: { numberSum: 2147483647 } } });
  });
});
