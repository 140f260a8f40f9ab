// Requests with new documents are prepared a few in each turn of the event loop, one caller after the other; those with known documents pass them.

import { setImmediate as iteration } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { type GraphQLAnswer, type GraphQLRequest, type LimitOptions, parseJson } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { temporaryKernel } from "../support/kernel.ts";

/** Names the caller of a request by a header, as a plugin does that knows the subject of a token. */
const namedCallers: DirectivePlugin = {
  name: "named",
  definitions: "",
  model: () => ({
    request: async ({ headers }) => ({ subject: headers["x-subject"] ?? "" }),
    caller: ({ facts }) => String(facts.subject) || undefined,
  }),
};

const known = `{ getMill(name: "a") { name } }`;
const fresh = (i: number | string) => `query Q${i} { getMill(name: "a") { n${i}: name } }`;
/** So long that it is prepared in several turns. */
const long = (i: number | string) => `query Q${i} { queryMill { ${Array.from({ length: 300 }, (_, k) => `l${i}_${k}: name`).join(" ")} } }`;
const refused = (i: number | string) => `{ ${Array.from({ length: 2_000 }, (_, k) => `r${i}_${k}: queryMill(first: 1) { name }`).join(" ")} }`;
const at = (name: string): GraphQLRequest["caller"] => ({ kind: "address", name });

/** Holds requests with the header `x-hold` while they run. */
const holding = (until: Promise<void>): DirectivePlugin => ({
  name: "holding",
  definitions: "",
  model: () => ({
    request: async ({ headers }) => {
      if (headers["x-hold"] !== undefined) await until;
      return {};
    },
  }),
});

async function mills(limits: LimitOptions = {}, others: readonly DirectivePlugin[] = []) {
  const { kernel, remove } = await temporaryKernel({ limits, plugins: [...standardPlugins(), namedCallers, ...others] });
  onTestFinished(remove);
  await kernel.deploy("type Mill @withSubscription { name: String! @id }");
  await kernel.execute({ query: `mutation { addMill(input: [{ name: "a" }]) { numUids } }` });
  await kernel.execute({ query: known });
  // What follows comes in another turn.
  await iteration();
  const order: string[] = [];
  const ask = async (label: string, request: GraphQLRequest): Promise<GraphQLAnswer> => {
    const answer = await kernel.execute(request);
    order.push(label);
    return answer;
  };
  return { kernel, order, ask };
}

const codeOf = ({ body }: GraphQLAnswer) => (parseJson(body) as { errors?: { extensions?: { code: string } }[] }).errors?.[0]?.extensions?.code;
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("requests with new documents", () => {
  it.each([
    ["short ones", fresh],
    ["long ones", long],
    ["ones with too many root fields", refused],
  ])("are passed by one with a known document: %s", async (_, text) => {
    const { ask, order } = await mills();
    const crowd = numbers(30).map((i) => ask("new", { query: text(i), caller: at("1.1.1.1") }));
    const stranger = ask("known", { query: known, caller: at("1.1.1.1") });
    await Promise.all([...crowd, stranger]);
    expect(order.indexOf("known")).toBeLessThanOrEqual(1);
  });

  it("begin one as soon as it comes, and no other in the same turn", async () => {
    const { ask, order, kernel } = await mills();
    const crowd = numbers(30).map((i) => ask(String(i), { query: fresh(i) }));
    expect(kernel.gauges.read().requestsWaiting).toBe(29);
    await Promise.all(crowd);
    expect(order.sort()).toEqual(numbers(30).map(String).sort());
    expect(kernel.gauges.read()).toMatchObject({ requestsWaiting: 0, requestsRunning: 0 });
  });

  it.each([
    ["addresses", (name: string) => ({ caller: at(name) })],
    ["API keys", (name: string): Partial<GraphQLRequest> => ({ caller: { kind: "key", name } })],
    ["subjects of tokens from one address", (name: string) => ({ caller: at("1.1.1.1"), headers: { "x-subject": name } })],
  ])("of one caller wait for one another, not those of another caller: %s", async (_, caller) => {
    const { ask, order } = await mills();
    const crowd = numbers(60).map((i) => ask("crowd", { query: long(i), ...caller("a") }));
    await iteration();
    const stranger = ask("stranger", { query: long("s"), ...caller("b") });
    await Promise.all([...crowd, stranger]);
    // Two are being prepared, and one is next.
    expect(order.indexOf("stranger")).toBeLessThanOrEqual(4);
  });

  it("that are short do not wait for long ones", async () => {
    const { ask, order } = await mills();
    const crowd = numbers(30).map((i) => ask("long", { query: long(i) }));
    await Promise.all([...crowd, ask("short", { query: fresh("s") }), ask("short", { query: fresh("t") })]);
    expect(order.lastIndexOf("short")).toBeLessThanOrEqual(4);
  });

  it("are bounded: the next one is refused, but the crowd gives way to another caller", async () => {
    // One that nobody begins would wait for its time limit.
    const { ask } = await mills({ maxConcurrentRequests: 2, maxWaitingRequests: 3, maxTimeMs: 600_000 });
    const crowd = numbers(7).map((i) => ask("crowd", { query: fresh(i), caller: at("1.1.1.1") }));
    // One is prepared at once, five wait.
    const stranger = ask("stranger", { query: fresh("s"), caller: at("2.2.2.2") });
    const codes = (await Promise.all(crowd)).map(codeOf);
    expect(codes).toEqual([undefined, undefined, undefined, undefined, undefined, "OVERLOADED", "OVERLOADED"]);
    const answer = await stranger;
    expect([codeOf(answer), answer.retryAfterSeconds]).toEqual([undefined, undefined]);
  });

  it("end when their client has gone, also before its name is known", async () => {
    const { ask, kernel } = await mills();
    let isGone = false;
    const leave: (() => void)[] = [];
    const onGone = (listener: () => void) => void (isGone ? listener() : leave.push(listener));
    const crowd = numbers(30).map((i) => ask("gone", { query: long(i), onGone, caller: at("1.1.1.1") }));
    isGone = true;
    for (const each of leave) each();
    for (const { body } of await Promise.all(crowd)) expect(body).toContain("The client has gone.");
    expect(kernel.gauges.read()).toMatchObject({ requestsWaiting: 0, requestsRunning: 0 });
  });

  it("wait no longer than their time limit", async () => {
    const { ask } = await mills({ maxTimeMs: 1 });
    const bodies = (await Promise.all(numbers(40).map((i) => ask("late", { query: long(i) })))).map(({ body }) => body);
    expect(bodies.at(-1)).toContain("limits.maxTimeMs");
  });

  it("are answered before the kernel closes", async () => {
    const { ask, kernel } = await mills();
    const crowd = numbers(10).map((i) => ask("closing", { query: fresh(i) }));
    await kernel.close();
    expect((await Promise.all(crowd)).map(({ requestErrors }) => requestErrors)).toEqual(Array(10).fill(false));
    await kernel.open();
  });

  it("of subscriptions are passed by one with a known document too", async () => {
    const { kernel, order, ask } = await mills();
    const crowd = numbers(20).map(async (i) => {
      const live = kernel.live({ query: `subscription S${i} { queryMill { n${i}: name } }` });
      await live.next();
      order.push("new");
      await live.return?.();
    });
    await Promise.resolve();
    await Promise.all([...crowd, ask("known", { query: known })]);
    expect(order[0]).toBe("known");
  });
});

describe("requests that wait for admission", () => {
  it("run one caller after the other", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { ask, order, kernel } = await mills({ maxConcurrentRequests: 1, maxWaitingRequests: 20 }, [holding(held)]);
    const first = ask("first", { query: known, headers: { "x-hold": "yes" } });
    const names = ["a", "a", "a", "a", "b", "c"];
    const waiting = names.map((name) => ask(name, { query: known, caller: at(name) }));
    while (kernel.gauges.read().requestsWaiting !== names.length) await iteration();
    release();
    await Promise.all([first, ...waiting]);
    expect(order).toEqual(["first", "a", "b", "c", "a", "a", "a"]);
  });
});
