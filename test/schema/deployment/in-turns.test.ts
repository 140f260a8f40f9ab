// A schema of many types is prepared in turns of the event loop: requests are answered meanwhile, under the schema before.

import { afterEach, expect, it } from "vitest";
import { parseJson } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

const types = (count: number, fields = "") =>
  Array.from(
    { length: count },
    (_, i) => `type Mill${i} { id: ID!  name: String! @id @search(by: [hash])  next: Mill${(i + 1) % count} ${fields} }`,
  ).join("\n");

/** Turns of the event loop that others have while `work` runs. */
async function turnsOfOthers(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}

it("leaves turns to others while a schema is validated, from its text to the served one", async () => {
  stack = await temporaryKernel();
  const { kernel } = stack;
  await kernel.deploy("type Mill0 { name: String! @id }");
  expect(await turnsOfOthers(() => kernel.validate(types(300)))).toBeGreaterThan(10);
});

it("answers under the schema before until the next one is served", async () => {
  stack = await temporaryKernel();
  const { kernel } = stack;
  const ask = async (query: string) => Object(parseJson((await kernel.execute({ query })).body));
  await kernel.deploy("type Mill0 { name: String! @id }");
  await ask('mutation { addMill0(input: [{name: "a"}]) { numUids } }');
  const query = '{ __type(name: "Mill299") { name } queryMill0 { name } }';
  const seen = new Set<string>();
  let isDone = false;
  const deployed = kernel.deploy(types(300)).finally(() => (isDone = true));
  let answers = 0;
  while (!isDone) {
    seen.add(JSON.stringify(await ask(query)));
    answers++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await deployed;
  seen.add(JSON.stringify(await ask(query)));
  expect([...seen].map((each) => JSON.parse(each).data)).toEqual([
    { __type: null, queryMill0: [{ name: "a" }] },
    { __type: { name: "Mill299" }, queryMill0: [{ name: "a" }] },
  ]);
  expect(answers).toBeGreaterThan(10);
});

it("keeps what is served when two schemas are checked at once, and one of them is wrong", async () => {
  stack = await temporaryKernel();
  const { kernel } = stack;
  await kernel.deploy("type Mill0 { name: String! @id }");
  const [right, wrong, twice] = await Promise.all([
    kernel.validate(types(60)),
    kernel.validate(types(60, "size: Intt")),
    kernel.validate(`${types(60)} type Mill1 { name: String }`),
  ]);
  expect(right).toEqual([]);
  expect(wrong).toHaveLength(60);
  expect(twice.map(({ message }) => message)).toEqual([expect.stringContaining("Mill1")]);
  await expect(kernel.deploy(types(60, "size: Intt"))).rejects.toThrow("Intt");
  expect(Object(parseJson((await kernel.execute({ query: "{ queryMill0 { name } }" })).body)).data).toEqual({ queryMill0: [] });
});
