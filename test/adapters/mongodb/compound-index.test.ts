// An index over several fields on MongoDB: its planner uses it, and examines what a page shows.

import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { profiler } from "./profiler.ts";

const client = new MongoClient(inject("mongodbUri"));
const { examined } = profiler(client);
const database = `quern_test_compound_${process.pid}`;
const fields = "id: ID!  group: String @search(by: [hash])  size: Int @search  at: DateTime";
let kernel: Kernel;

beforeAll(async () => {
  kernel = createKernel({
    storage: mongodbStorage({ uri: inject("mongodbUri"), database }),
    plugins: standardPlugins(),
    log: { level: "silent" },
  });
  await kernel.open();
  await kernel.deploy(`
    type Indexed @index(fields: ["group", "size"]) @index(fields: ["group", "at"]) { ${fields} }
  `);
  const input = Array.from({ length: 4_000 }, (_, n) => ({
    group: n % 2 === 0 ? "large" : `g${n % 40}`,
    size: (n * 7_919) % 4_000,
    ...(n % 3 > 0 && { at: new Date(n * 1_000).toISOString() }),
  }));
  await ask("mutation ($input: [AddIndexedInput!]!) { addIndexed(input: $input) { numUids } }", { input });
}, 120_000);
afterAll(async () => {
  await kernel?.close();
  await client.db(database).dropDatabase();
  await client.close();
});

async function ask(query: string, variables: Record<string, unknown> = {}): Promise<void> {
  const { errors } = JSON.parse((await kernel.execute({ query, variables })).body);
  expect(errors).toBeUndefined();
}

describe("an index over several fields on MongoDB", () => {
  it.each([
    '{ queryIndexed(filter: {group: {eq: "large"}}, order: {desc: size}, first: 10) { size } }',
    '{ queryIndexed(filter: {group: {eq: "large"}}, order: {asc: size}, first: 10) { size } }',
    '{ queryIndexed(filter: {group: {eq: "large"}}, order: {desc: at}, first: 10) { at } }',
    '{ queryIndexed(filter: {group: {eq: "large"}, size: {gt: 3000}}, order: {asc: size}, first: 10) { size } }',
    '{ queryIndexed(filter: {group: {eq: "large"}, size: {between: {min: 100, max: 110}}}) { size } }',
  ])("is all that MongoDB examines for %s", async (query) => {
    const few = await examined(database, () => ask(query));
    expect(few.most, JSON.stringify(few.commands)).toBeLessThanOrEqual(30);
    expect(few.scanned).toEqual([]);
  });
});
