// Replies of many megabytes: they are parsed, judged and written in turns, and the answer that they become is bounded.

import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { customPlugin } from "../../../plugins/custom/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";
import { type Remote, remote } from "./remote.ts";

const items = Array.from({ length: 30_000 }, (_, i) => ({ name: `item ${i}`, size: i * 1.5, tags: ["a", String(i)] }));
/** One of them is wrong. */
const mixed = items.map((item, i) => (i === 20_000 ? { ...item, size: "wide" } : item));
const texts = { one: JSON.stringify([mixed]), list: JSON.stringify(items), graphql: JSON.stringify({ data: { remote: items } }) };

const open: { remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.remove();
});

async function start(limits: TemporaryConfig["limits"] = {}) {
  const service: Remote = await remote(({ url = "" }, response) => void response.end(texts[url.slice(1) as keyof typeof texts]));
  const plugins = [identityPlugin(), customPlugin(), lambdaPlugin({ url: `${service.url}/list` })];
  const { kernel, remove }: TemporaryKernel = await compatibleKernel({ plugins, limits });
  open.push({ remove }, { remove: () => service.close() });
  await kernel.deploy(`
    type Item @remote { name: String  size: Float  tags: [String] }
    type Shop { no: Int! @id  stock: [Item] @custom(http: { url: "${service.url}/one", method: POST, mode: BATCH, body: "{ no: $no }" }) }
    type Query {
      plain: [Item] @custom(http: { url: "${service.url}/list", method: GET })
      remote: [Item] @custom(http: { url: "${service.url}/graphql", method: POST, graphql: "query { remote }", skipIntrospection: true })
      lambda: [Item] @lambda
    }
  `);
  await kernel.execute({ query: "mutation { addShop(input: [{ no: 1 }]) { numUids } }" });
  return async (query: string) => JSON.parse((await kernel.execute({ query })).body);
}

/** Of the processor, so that a busy machine lengthens no turn. */
function milliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Milliseconds: the longest turn of the event loop while `work` runs, and all of them. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly longest: number; readonly all: number }> {
  const begun = milliseconds();
  let [last, longest, isRunning] = [begun, 0, true];
  const watch = async () => {
    while (isRunning) {
      await turn();
      const now = milliseconds();
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  const watching = watch();
  const result = await work();
  isRunning = false;
  await watching;
  return { result, longest, all: milliseconds() - begun };
}

it.each([
  ["@custom(http:)", "plain", "{ plain { name size tags } }"],
  ["a remote GraphQL service", "remote", "{ remote { name size tags } }"],
  ["a lambda server", "lambda", "{ lambda { name size tags } }"],
])("a long reply of %s holds nobody up, and nothing of it is lost", async (_what, name, query) => {
  const ask = await start();
  await ask(`{ ${name} { name } }`);
  const { result, longest, all } = await turnsOf(() => ask(query));
  expect(result.data[name]).toEqual(items);
  expect(longest / all).toBeLessThan(0.3);
});

it("a long value of one object holds nobody up either, and its errors have their places", async () => {
  const ask = await start();
  await ask("{ queryShop { stock { name } } }");
  const { result, longest, all } = await turnsOf(() => ask("{ queryShop { no stock { name size tags } } }"));
  expect(result.data).toEqual({ queryShop: [{ no: 1, stock: items.map((item, i) => (i === 20_000 ? { ...item, size: null } : item)) }] });
  expect(result.errors).toEqual([
    {
      message: "Error coercing value 'wide' for field 'size' to type Float.",
      locations: [{ line: 1, column: 31 }],
      path: ["queryShop", 0, "stock", 20_000, "size"],
    },
  ]);
  expect(longest / all).toBeLessThan(0.3);
});

it("a reply of few megabytes whose answer would have many is an error", async () => {
  const ask = await start({ maxAnswerBytes: 1_000_000 });
  const { data, errors } = await ask("{ plain { a: name b: name c: name d: name e: name f: name g: name h: name i: name } }");
  expect(data).toBeNull();
  expect(errors[0].message).toMatch("The answer is longer than 1000000 bytes (limits.maxAnswerBytes).");
});
