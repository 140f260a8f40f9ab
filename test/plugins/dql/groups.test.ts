// `@groupby` that only counts is answered by the storage where it groups.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kernelAccess } from "../../../core/plugin.ts";
import { queryDql } from "../../../plugins/dql/index.ts";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(`type Town {
    name: String! @id
    country: String @search
    size: Int @search
    founded: DateTime @search
    tags: [String] @search
  }`);
  const input = [
    { name: "a", country: "FR", size: 1, founded: "2001-01-01T00:00:00Z", tags: ["x", "y"] },
    { name: "b", country: "FR", size: 2, founded: "2001-01-01T01:00:00+01:00", tags: ["y"] },
    { name: "c", country: "DE", size: 1, founded: "2002-01-01T00:00:00Z" },
    { name: "d", country: "FR", size: 1 },
    { name: "e", country: "", size: 1 },
    { name: "f" },
  ];
  await dql.run("mutation ($input: [AddTownInput!]!) { addTown(input: $input) { numUids } }", { input });
});
afterAll(() => dql?.stack.remove());

/** The answer, and the names of the requests to the storage. */
async function asked(text: string) {
  const plan: string[] = [];
  // Before its blocks a document looks for what no type shows.
  const add = (line: string) => line.includes("dql.Record") || plan.push(line.split(" ")[0] ?? "");
  const answer = await queryDql(dql.stack.kernel, text, { plan: (line) => void add(line) });
  return { answer, plan };
}

function storageGroups(): boolean {
  const snapshot = kernelAccess(dql.stack.kernel, "dql").snapshot();
  snapshot.close();
  return snapshot.group !== undefined;
}

describe("@groupby with counts", () => {
  it("counts the nodes of each value in the order of the sizes; nodes without the value, or with an empty text, are in no group", async () => {
    const { answer, plan } = await asked("{ q(func: type(Town)) @groupby(Town.country) { count(uid) } }");
    expect(answer).toEqual({
      q: [
        {
          "@groupby": [
            { "Town.country": "DE", count: 1n },
            { "Town.country": "FR", count: 3n },
          ],
        },
      ],
    });
    expect(plan).toEqual([storageGroups() ? "group" : "find"]);
  });

  it("counts by several keys, under a filter, with aliases", async () => {
    const { answer, plan } = await asked(
      '{ q(func: has(Town.size)) @filter(not eq(Town.name, "c")) @groupby(land: Town.country, Town.size) { n: count(uid) } }',
    );
    expect(answer).toEqual({
      q: [
        {
          "@groupby": [
            { land: "FR", "Town.size": 2n, n: 1n },
            { land: "FR", "Town.size": 1n, n: 2n },
          ],
        },
      ],
    });
    expect(plan).toEqual([storageGroups() ? "group" : "find"]);
  });

  it("does not mention a block without groups", async () => {
    const { answer } = await asked('{ q(func: eq(Town.name, "f")) @groupby(Town.country) { count(uid) } }');
    expect(answer).toEqual({});
  });

  it("reads the nodes where more is asked: times, lists, aggregates, a page", async () => {
    const { answer, plan } = await asked(`{
      times(func: type(Town)) @groupby(Town.founded) { count(uid) }
      lists(func: type(Town)) @groupby(Town.tags) { count(uid) }
      sizes(func: type(Town)) @groupby(Town.country) { max(Town.size) }
      page(func: type(Town), first: 1) @groupby(Town.country) { count(uid) }
    }`);
    expect(plan).toEqual(["find", "find", "find", "find"]);
    expect(answer.page).toEqual([{ "@groupby": [{ "Town.country": "FR", count: 1n }] }]);
    expect(answer.lists).toEqual([
      {
        "@groupby": [
          { "Town.tags": "x", count: 1n },
          { "Town.tags": "y", count: 2n },
        ],
      },
    ]);
  });
});
