// Requests that work for long and answers that are long: what one of them may take, and that the others go on.

import { setImmediate as iteration } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type GraphQLAnswer, type LimitOptions, parseJson } from "../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";
import { workMeter } from "../support/work-meter.ts";

const count = 4_000;
/** Several turns of work. */
const long = `{ queryMill { ${Array.from({ length: 40 }, (_, i) => `a${i}: name`).join(" ")} } }`;
const short = `{ getMill(name: "mill 7 über") { name } }`;

interface Body {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[]; readonly extensions?: object }[];
}

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

/** A kernel with these limits, over data that were added without them. */
async function mills(limits: LimitOptions = {}) {
  stack = await temporaryKernel({});
  await stack.kernel.deploy("type Mill { name: String! @id  power: Int @search }");
  const input = Array.from({ length: count }, (_, i) => ({ name: `mill ${i} über`, power: i }));
  await stack.kernel.execute({ query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", variables: { input } });
  stack = await stack.restart({ limits });
  return stack;
}

const ask = async ({ kernel }: TemporaryKernel, query: string): Promise<GraphQLAnswer> => await kernel.execute({ query });
const bodyOf = (answer: GraphQLAnswer) => parseJson(answer.body) as Body;
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe("an answer of `limits.maxAnswerBytes`", () => {
  it.each([
    ["a short one", "{ queryMill(first: 3) { name } }"],
    ["a long one", long],
    ["one of several root fields", "{ a: queryMill(first: 9) { name } b: queryMill(first: 9) { name } }"],
  ])("is whole; one byte more is one error: %s", async (_, query) => {
    const whole = bodyOf(await ask(await mills(), query));
    const size = Object.values(whole.data ?? {}).reduce((sum: number, value) => sum + bytes(value), 0);
    const fitting = await stack?.restart({ limits: { maxAnswerBytes: size } });
    if (fitting) expect(bodyOf(await ask(fitting, query)).data).toEqual(whole.data);
    stack = await fitting?.restart({ limits: { maxAnswerBytes: size - 1 } });
    const refused = stack && bodyOf(await ask(stack, query));
    expect(refused).toMatchObject({ data: null, errors: [{ message: expect.stringContaining(`${size - 1} bytes (limits.maxAnswerBytes)`) }] });
    expect(refused?.errors).toHaveLength(1);
  });

  it("bounds one object with a list of objects that many show", async () => {
    stack = await temporaryKernel({ limits: { maxAnswerBytes: 1_000_000 } });
    await stack.kernel.deploy("type Mill { name: String! @id  near: [Mill] }");
    const names = Array.from({ length: 60 }, (_, i) => ({ name: `m${i}` }));
    await stack.kernel.execute({ query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", variables: { input: names } });
    const all = { filter: {}, set: { near: names } };
    await stack.kernel.execute({ query: "mutation ($input: UpdateMillInput!) { updateMill(input: $input) { numUids } }", variables: { input: all } });
    const { data, errors } = bodyOf(await ask(stack, `{ getMill(name: "m1") { near { near { near { name } } } } }`));
    expect([data, errors?.length, errors?.[0]?.message]).toEqual([null, 1, expect.stringContaining("limits.maxAnswerBytes")]);
  });

  it("ends the reading: later root fields touch nothing", async () => {
    const roots = Array.from({ length: 200 }, (_, i) => `q${i}: queryMill { name }`).join(" ");
    const { metrics, touched } = workMeter();
    const running = await (await mills()).restart({ limits: { maxAnswerBytes: 200_000 }, metrics });
    stack = running;
    await ask(running, `{ ${roots} }`);
    expect(touched()).toBeGreaterThan(count);
    expect(touched()).toBeLessThanOrEqual(60 * count);
  });

  it("does not undo a mutation, whose payload alone is missing", async () => {
    const running = await mills({ maxAnswerBytes: 2_000 });
    const { data, errors } = bodyOf(await ask(running, "mutation { updateMill(input: { filter: {}, set: { power: 5 } }) { mill { name } } }"));
    expect(data).toEqual({ updateMill: { mill: null } });
    const message = expect.stringContaining("limits.maxAnswerBytes");
    expect(errors).toMatchObject([{ path: ["updateMill", "mill"], message, extensions: { code: "COMMITTED" } }]);
    expect(bodyOf(await ask(running, "{ aggregateMill(filter: { power: { eq: 5 } }) { count } }")).data).toEqual({ aggregateMill: { count } });
  });
});

it("a long answer comes in pieces, which are its body", async () => {
  const answer = await ask(await mills(), long);
  expect(answer.pieces?.length).toBeGreaterThan(10);
  expect(Buffer.concat(answer.pieces ?? []).toString()).toBe(answer.body);
  const rows = Array.from({ length: count }, (_, i) => `mill ${i} über`);
  const found = bodyOf(answer).data?.queryMill as readonly Readonly<Record<string, string>>[];
  expect(found.map(({ a0 }) => a0).sort()).toEqual(rows.sort());
  expect(found.every((row) => Object.keys(row).length === 40)).toBe(true);
});

describe("requests that work for long", () => {
  it("run a few at a time, and short ones pass them by", async () => {
    const running = await mills({ maxLongRequests: 2 });
    const { gauges } = running.kernel;
    let ended = 0;
    const answers = Array.from({ length: 6 }, () =>
      ask(running, long).then((answer) => {
        ended++;
        return answer;
      }),
    );
    let waited = 0;
    let passed = 0;
    while (ended < 6) {
      const { longRequestsRunning = 0, longRequestsWaiting = 0 } = gauges.read();
      expect(longRequestsRunning).toBeLessThanOrEqual(2);
      waited = Math.max(waited, longRequestsWaiting);
      if (longRequestsWaiting > 0 && passed < 5 && !(await ask(running, short)).requestErrors) passed++;
      await iteration();
    }
    expect([waited > 0, passed]).toEqual([true, 5]);
    const bodies = await Promise.all(answers);
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    expect(gauges.read()).toMatchObject({ longRequestsRunning: 0, longRequestsWaiting: 0 });
  });

  it("wait in a bounded queue; one more is refused with Retry-After", async () => {
    const running = await mills({ maxLongRequests: 1, maxWaitingLongRequests: 1 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(running, long)));
    const refused = answers.filter(({ requestErrors }) => requestErrors);
    expect(refused.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([1, 1, 1]);
    for (const each of refused) expect(bodyOf(each).errors?.[0]?.message).toContain("limits.maxLongRequests");
  });

  it("do not begin while clients have much to take; writes and short reads do", async () => {
    const running = await mills({ maxUnsentBytes: 1_000 });
    const { unsent, gauges } = running.kernel;
    const held = unsent.open(() => undefined);
    held.update(501);
    let isAnswered = false;
    const answer = ask(running, long).then((value) => {
      isAnswered = true;
      return value;
    });
    while (gauges.read().longRequestsWaiting === 0) await iteration();
    const update = "mutation { updateMill(input: { filter: {}, set: { power: 3 } }) { numUids } }";
    expect(bodyOf(await ask(running, update)).data).toEqual({ updateMill: { numUids: count } });
    expect(bodyOf(await ask(running, short)).data).toEqual({ getMill: { name: "mill 7 über" } });
    expect([isAnswered, gauges.read().longRequestsWaiting]).toEqual([false, 1]);
    held.update(0);
    expect(bodyOf(await answer).data?.queryMill).toHaveLength(count);
  });

  it("wait no longer than their time", async () => {
    const running = await mills({ maxUnsentBytes: 2, maxTimeMs: 1_000 });
    running.kernel.unsent.open(() => undefined).update(2);
    expect((await ask(running, long)).body).toContain("limits.maxTimeMs");
  });

  it("leave with their client", async () => {
    const running = await mills({ maxUnsentBytes: 2 });
    running.kernel.unsent.open(() => undefined).update(2);
    let leave = () => {};
    const gone = Promise.resolve(running.kernel.execute({ query: long, onGone: (listener) => (leave = listener) }));
    while (running.kernel.gauges.read().longRequestsWaiting !== 1) await iteration();
    leave();
    expect((await gone).body).toContain("The client has gone.");
  });
});
