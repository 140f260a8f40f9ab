// `extensions` of answers: what they count, what the option `extensions` adds and removes.

import { expect, it, onTestFinished } from "vitest";
import type { KernelConfig } from "../../core/index.ts";
import { temporaryKernel } from "../support/kernel.ts";

const schema = `
  type Boat @withSubscription { tag: String! @id  seats: Int @search  port: Port }
  type BoatShow { tag: String! @id }
  type Port { code: String! @id  boats: [Boat] @hasInverse(field: port) }`;

async function fleet(extensions?: KernelConfig["extensions"]) {
  const stack = await temporaryKernel(extensions === undefined ? {} : { extensions });
  onTestFinished(() => stack.remove());
  const { kernel } = stack;
  await kernel.deploy(schema);
  const ask = async (query: string) => JSON.parse((await kernel.execute({ query })).body);
  const input = Array.from({ length: 300 }, (_, n) => `{ tag: "b${n}", seats: ${n % 3}, port: { code: "p${n % 2}" } }`).join(", ");
  await ask(`mutation { addBoat(input: [${input}]) { numUids } addBoatShow(input: [{ tag: "b1" }]) { numUids } }`);
  return { kernel, ask };
}

const touchedBy: readonly (readonly [query: string, touched: number | undefined])[] = [
  ["{ queryBoat(filter: { seats: { ge: 2 } }) { tag } }", 100],
  ["{ queryBoat(first: 7, order: { desc: seats }) { tag } }", 7],
  ["{ queryBoat(filter: { seats: { gt: 9 } }) { tag } }", undefined],
  ['{ getBoat(tag: "b4") { tag port { code boats(first: 3) { tag } } } }', 1 + 1 + 3],
  ['{ getBoat(tag: "none") { tag } }', undefined],
  ["{ a: queryBoat(first: 2) { tag } b: queryBoatShow { tag } }", 3],
  ["{ aggregateBoat { count seatsMax } }", 1],
  ["{ __typename }", undefined],
  ["mutation { updateBoat(input: { filter: { seats: { eq: 1 } }, set: { seats: 1 } }) { numUids } }", 100],
  ['mutation { addBoat(input: [{ tag: "new" }]) { boat { tag } } }', 2],
  ['mutation { deleteBoat(filter: { tag: { in: ["new", "none"] } }) { msg } }', 1],
];

it("counts the nodes that an answer shows and a mutation changes, the same on every storage", async () => {
  const { ask } = await fleet();
  for (const [query, touched] of touchedBy) expect((await ask(query)).extensions?.touched_uids, query).toBe(touched);
});

it("says nothing with extensions: false, but keeps what clients work with: id and commit of a mutation, the token of a subscription", async () => {
  const { kernel, ask } = await fleet(false);
  expect(await ask("{ queryBoatShow { tag } }")).toEqual({ data: { queryBoatShow: [{ tag: "b1" }] } });
  expect(await ask("{ queryBoatShow { tug } }")).toEqual({ errors: [expect.objectContaining({ message: expect.any(String) })] });
  const { extensions } = await ask('mutation { deleteBoat(filter: { tag: { eq: "b1" } }) { numUids } }');
  expect(extensions).toEqual({ requestID: expect.any(String), commit: expect.any(String) });
  const live = kernel.live({ query: 'subscription { getBoat(tag: "b2") { seats } }' });
  expect((await live.next()).value).toMatchObject({ data: { getBoat: { seats: 2 } }, extensions: { resume: expect.any(String) } });
  await live.return?.();
});

it("says with tracing when each root field ran, also of a refused request", async () => {
  const { ask } = await fleet({ tracing: true });
  const { extensions } = await ask('{ one: getBoat(tag: "b1") { tag } queryBoatShow { tag } }');
  const { version, startTime, endTime, duration, execution } = extensions.tracing;
  expect(version).toBe(1);
  for (const time of [startTime, endTime]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  expect(startTime <= endTime).toBe(true);
  const times = { startOffset: expect.any(Number), duration: expect.any(Number) };
  const ran = { parentType: "Query", ...times, dgraph: [{ label: "query", ...times }] };
  expect(execution.resolvers).toEqual([
    { path: ["one"], fieldName: "one", returnType: "Boat", ...ran },
    { path: ["queryBoatShow"], fieldName: "queryBoatShow", returnType: "[BoatShow]", ...ran },
  ]);
  for (const each of execution.resolvers) {
    expect(Number.isSafeInteger(each.startOffset) && Number.isSafeInteger(each.duration)).toBe(true);
    expect(each.startOffset + each.duration).toBeLessThanOrEqual(duration);
  }
  const mutated = await ask('mutation { addPort(input: [{ code: "p9" }]) { numUids } }');
  expect(mutated.extensions).toMatchObject({
    requestID: expect.any(String),
    tracing: { execution: { resolvers: [{ path: ["addPort"], parentType: "Mutation", returnType: "AddPortPayload" }] } },
  });
  const refused = await ask("{ queryBoat { none } }");
  expect([refused.data, refused.extensions.tracing.execution]).toEqual([undefined, { resolvers: [] }]);
});
