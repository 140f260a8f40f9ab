// A large mutation is prepared, written and published in turns of the event loop. Who reads meanwhile sees all of it or nothing.

import { afterEach, expect, it } from "vitest";
import { parseJson } from "../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const count = 4_000;
const last = `n${count - 1}`;

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

type Ask = (query: string, variables?: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;

async function mills(): Promise<Ask> {
  stack = await temporaryKernel();
  await stack.kernel.deploy(
    "type Mill { name: String! @id @search(by: [hash, trigram])  stones: Int @search  hub: Hub }\ntype Hub { name: String! @id  mills: [Mill] @hasInverse(field: hub) }",
  );
  const { kernel } = stack;
  return async (query, variables = {}) => {
    const { data, errors } = Object(parseJson((await kernel.execute({ query, variables })).body));
    if (errors) throw new Error(JSON.stringify(errors).slice(0, 300));
    return data;
  };
}

const looks = `{
  all: aggregateMill { count stonesMin stonesMax }
  searched: aggregateMill(filter: {stones: {ge: 0}, name: {regexp: "/n/"}}) { count }
  first: getMill(name: "n0") { stones }
  last: getMill(name: "${last}") { stones }
}`;

/** What readers have seen while `work` ran, each state once, in order; and what they see afterwards. */
async function seenWhile(ask: Ask, work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const seen: string[] = [];
  const look = async () => {
    const state = JSON.stringify(await ask(looks));
    if (seen.at(-1) !== state) seen.push(state);
  };
  let isDone = false;
  const ended = work().finally(() => (isDone = true));
  while (!isDone) {
    await look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  await look();
  return seen.map((state) => JSON.parse(state));
}

const none = { all: { count: 0, stonesMin: null, stonesMax: null }, searched: { count: 0 }, first: null, last: null };
const all = (stones: number) => ({ all: { count, stonesMin: stones, stonesMax: stones }, searched: { count }, first: { stones }, last: { stones } });

it("shows readers every node of a large add, update and delete, or none", async () => {
  const ask = await mills();
  const input = Array.from({ length: count }, (_, i) => ({ name: `n${i}`, stones: 1 }));
  expect(await seenWhile(ask, () => ask("mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", { input }))).toEqual([
    none,
    all(1),
  ]);
  const update = `mutation { updateMill(input: {filter: {}, set: {stones: 2}}) { numUids } }`;
  expect(await seenWhile(ask, () => ask(update))).toEqual([all(1), all(2)]);
  expect(await seenWhile(ask, () => ask("mutation { deleteMill(filter: {}) { numUids } }"))).toEqual([all(2), none]);
});

it("writes many nodes below one as it does few", async () => {
  const ask = await mills();
  const below = Array.from({ length: count }, (_, i) => ({ name: `n${i}`, stones: i % 7 }));
  const add = "mutation ($input: [AddHubInput!]!) { addHub(input: $input) { numUids hub { millsAggregate { count stonesSum } } } }";
  const stonesSum = below.reduce((sum, { stones }) => sum + stones, 0);
  expect(await ask(add, { input: [{ name: "h", mills: below }] })).toEqual({
    addHub: { numUids: count + 1, hub: [{ millsAggregate: { count, stonesSum } }] },
  });
  expect(await ask(`{ getMill(name: "${last}") { stones hub { name } } aggregateMill(filter: {stones: {eq: 6}}) { count } }`)).toEqual({
    getMill: { stones: (count - 1) % 7, hub: { name: "h" } },
    aggregateMill: { count: below.filter(({ stones }) => stones === 6).length },
  });
});

it("commits the small adds that come while a large one is written", async () => {
  const ask = await mills();
  const input = Array.from({ length: count }, (_, i) => ({ name: `n${i}`, stones: 1 }));
  const large = ask("mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", { input });
  const small = Array.from({ length: 30 }, async (_, i) => {
    for (let turn = 0; turn < i; turn++) await new Promise((resolve) => setImmediate(resolve));
    return ask(`mutation { addMill(input: [{name: "small${i}", stones: 3}]) { mill { name stones } } }`);
  });
  expect(await Promise.all(small)).toEqual(small.map((_, i) => ({ addMill: { mill: [{ name: `small${i}`, stones: 3 }] } })));
  await large;
  expect(await ask("{ all: aggregateMill { count } small: aggregateMill(filter: {stones: {eq: 3}}) { count } }")).toEqual({
    all: { count: count + 30 },
    small: { count: 30 },
  });
});
