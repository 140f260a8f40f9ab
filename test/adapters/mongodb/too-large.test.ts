// Documents and queries have 16 MB at most: what does not fit is refused with that reason, and nothing of it is there.

import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel, parseJson } from "../../../core/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

const uri = inject("mongodbUri");
const database = `quern_test_${randomUUID()}`;
let kernel: Kernel;
beforeAll(async () => {
  const limits = { maxValueCharacters: 50_000_000 };
  kernel = createKernel({ storage: mongodbStorage({ uri, database, ...layoutOfRun }), plugins: standardPlugins(), limits, log: { level: "silent" } });
  await kernel.open();
  await kernel.deploy("type Scan { key: String! @id  text: String  words: String @search(by: [term]) }");
});
afterAll(async () => {
  await kernel.close();
  const client = new MongoClient(uri);
  await client.db(database).dropDatabase();
  await client.close();
});

async function send(query: string, text: string): Promise<unknown> {
  const { data, errors } = parseJson((await kernel.execute({ query, variables: { text } })).body) as {
    data: unknown;
    errors?: { message: string }[];
  };
  return errors?.map(({ message }) => message) ?? data;
}

const megabytes = (n: number) => "z".repeat(n * 1_000_000);
const reason = "MongoDB takes no more than 16 MB of one node, or in one query";
const notCommitted = [reason];

it.each([
  ["a value the driver finds too long", "text", 17],
  ["a value beyond the driver's buffer", "text", 20],
  ["a value that is long twice, with its index", "words", 9],
])("refuses %s", async (_, field, size) => {
  const add = `mutation ($text: String!) { addScan(input: [{ key: "a" }, { key: "b", ${field}: $text }]) { numUids } }`;
  expect(await send(add, megabytes(size))).toEqual(notCommitted);
  expect(await send("{ queryScan { key } }", "")).toEqual({ queryScan: [] });
});

it("refuses a query that is too long, and answers a shorter one", async () => {
  const ask = "query ($text: String) { queryScan(filter: { words: { allofterms: $text } }) { key } }";
  expect(await send(ask, megabytes(17))).toEqual([reason]);
  expect(await send(ask, megabytes(1))).toEqual({ queryScan: [] });
});
