// `limits.perCaller`: what one caller may take of the server, by whatever way its requests come.

import { createHash } from "node:crypto";
import { OperationTypeNode, parse } from "graphql";
import { SignJWT } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { ApiKeys } from "../../adapters/server/access/api-keys.ts";
import { CallerNames } from "../../adapters/server/access/caller-names.ts";
import type { EndpointConfig } from "../../adapters/server/index.ts";
import { runAtOnce } from "../../core/ground/work.ts";
import type { CallerLimits, GraphQLRequest } from "../../core/index.ts";
import type { HttpRequest } from "../../core/plugin.ts";
import { estimateCost } from "../../core/query/plan/estimate-cost.ts";
import { planOperation } from "../../core/query/plan/plan-operation.ts";
import { CallerShares } from "../../core/request/budget/caller-shares.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { liveOn } from "../support/live-clients.ts";
import { type Ways, waysInto } from "../support/ways-in.ts";

let stack: TemporaryKernel | undefined;
let ways: Ways | undefined;
afterEach(async () => {
  await ways?.close();
  await stack?.remove();
  ways = undefined;
  stack = undefined;
});

const schema = "type Mill @withSubscription { name: String! @id  near: [Mill] }";
const line = '# Dgraph.Authorization {"Header":"Authorization","Namespace":"https://x","VerificationKey":"a secret","Algo":"HS256"}';
const hash = (key: string) => createHash("sha256").update(key).digest("hex");
const apiKeys = [
  { name: "mobile", kind: "client", hash: hash("a key") },
  { name: "desk", kind: "client", hash: hash("another") },
] as const;

async function limited(perCaller: Partial<CallerLimits>, options: EndpointConfig = {}) {
  stack = await compatibleKernel({ limits: { perCaller }, apiKeys, ...options });
  await stack.kernel.deploy(`${schema}\n${line}`);
  const { kernel } = stack;
  const ask = async (headers: HttpRequest["headers"] = {}, { query = "{ queryMill { name } }", from = "192.0.2.7" } = {}) => {
    const body = Buffer.from(JSON.stringify({ query }));
    const request = { method: "POST", url: "/graphql", headers: { "content-type": "application/json", ...headers }, body, remoteAddress: from };
    const { status, headers: sent, body: text } = await kernel.http(request);
    return { status, retryAfter: sent["retry-after"], body: JSON.parse(String(text)) };
  };
  return { kernel, ask };
}

const taken = (limit: keyof CallerLimits) => ({
  status: 429,
  retryAfter: expect.stringMatching(/^[1-9]\d*$/),
  body: { errors: [{ message: expect.stringContaining(`limits.perCaller.${limit}`), extensions: { code: "TOO_MANY_REQUESTS" } }] },
});
const token = (sub: string, secret = "a secret") =>
  new SignJWT({}).setSubject(sub).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));

describe("a caller beyond its requests of a minute", () => {
  it("is refused with status 429, while others are answered", async () => {
    const { ask } = await limited({ maxRequestsPerMinute: 2 });
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(await ask()).toEqual(taken("maxRequestsPerMinute"));
    expect((await ask({}, { from: "192.0.2.8" })).status).toBe(200);
    expect((await ask({}, { from: "::ffff:192.0.2.7" })).status).toBe(429);
  });

  it("is known by the subject of the claims that the application gives, and counts with the requests of its token", async () => {
    const { kernel, ask } = await limited({ maxRequestsPerMinute: 2 });
    const query = "{ queryMill { name } }";
    const inProcess = async (request: Omit<GraphQLRequest, "query">) => JSON.parse((await kernel.execute({ query, ...request })).body).errors;
    expect((await ask({ authorization: `Bearer ${await token("ada")}` })).status).toBe(200);
    expect(await inProcess({ claims: { sub: "ada" } })).toBeUndefined();
    expect(await inProcess({ claims: { sub: "ada" } })).toEqual(taken("maxRequestsPerMinute").body.errors);
    expect((await ask({ authorization: `Bearer ${await token("ada")}` })).status).toBe(429);
    // An address beside them is not the caller, and a key is.
    const caller = { kind: "address", name: "192.0.2.7" } as const;
    expect(await inProcess({ claims: { sub: "ada" }, caller })).toHaveLength(1);
    expect(await inProcess({ claims: { sub: "ada" }, caller: { kind: "key", name: "mobile" } })).toBeUndefined();
    // Nobody is named: nobody is limited.
    for (const claims of [{ sub: 7 }, { sub: "" }, {}, undefined]) for (let i = 0; i < 3; i++) expect(await inProcess({ claims })).toBeUndefined();
  });

  it("is known by its API key, its verified token, or its address", async () => {
    const { ask } = await limited({ maxRequestsPerMinute: 1 });
    const bearer = async (...of: Parameters<typeof token>) => ({ authorization: `Bearer ${await token(...of)}` });
    expect((await ask({ "x-auth-token": "a key" })).status).toBe(200);
    expect((await ask({ "x-auth-token": "a key" }, { from: "192.0.2.9" })).status).toBe(429);
    expect((await ask({ "x-auth-token": "another" })).status).toBe(200);
    expect((await ask(await bearer("ada"))).status).toBe(200);
    expect((await ask(await bearer("ada"), { from: "192.0.2.9" })).status).toBe(429);
    expect((await ask(await bearer("bob"))).status).toBe(200);
    // Neither makes another caller of this one.
    expect((await ask({ "x-auth-token": "not a key" })).status).toBe(200);
    expect((await ask(await bearer("eve", "another secret"))).status).toBe(429);
    expect((await ask()).status).toBe(429);
  });
});

it("refuses a caller on every way into the server", async () => {
  const { kernel, ask } = await limited({ maxCostPerMinute: 50 });
  const input = Array.from({ length: 250 }, (_, i) => `{ name: "m${i}" }`);
  await kernel.execute({ query: `mutation { addMill(input: [{ name: "all", near: [${input}] }]) { numUids } }` });
  ways = await waysInto(kernel);
  const overNetwork = [...ways.ways].filter(([name]) => !name.startsWith("kernel."));
  const kind = (name: string) => (name.startsWith("graphql-ws ") ? "subscription" : "query");
  const asked = () =>
    Promise.all(overNetwork.map(async ([name, way]) => ({ name, errors: await way({ query: `${kind(name)} { getMill(name: "m1") { name } }` }) })));
  expect(await asked()).toEqual(overNetwork.map(([name]) => ({ name, errors: [] })));
  // Its plan does not show how much it reads: the caller owes the rest for minutes.
  const large = { query: '{ getMill(name: "all") { near { name } } }', from: "127.0.0.1" };
  expect((await ask({}, large)).status).toBe(200);
  const errors = [expect.stringContaining("limits.perCaller.maxCostPerMinute")];
  expect(await asked()).toEqual(overNetwork.map(([name]) => ({ name, errors })));
  // What an application asks of its own kernel counts for nobody.
  expect((await kernel.execute({ query: "{ queryMill { name } }" })).requestErrors).toBe(false);
});

it("counts the requests that a caller runs at the same time", async () => {
  const { kernel } = await limited({ maxRunning: 1 });
  const mutation = (name: string) => ({
    query: `mutation { addMill(input: [{ name: "${name}" }]) { numUids } }`,
    caller: { kind: "address", name: "a" } as const,
  });
  const answers = await Promise.all([kernel.execute(mutation("a")), kernel.execute(mutation("b"))]);
  expect(answers.map(({ isShareTaken = false }) => isShareTaken)).toEqual([false, true]);
  expect((await kernel.execute(mutation("c"))).requestErrors).toBe(false);
});

it("counts what a caller's requests have read, and reserves what their plans show", async () => {
  const { kernel, ask } = await limited({ maxCostPerMinute: 300 });
  const input = Array.from({ length: 250 }, (_, i) => `{ name: "m${i}" }`);
  await kernel.execute({ query: `mutation { addMill(input: [${input}]) { numUids } }` });
  const read = (first: number, from: string) => ask({}, { query: `{ queryMill(first: ${first}) { name } }`, from });
  expect((await read(200, "192.0.2.1")).status).toBe(200);
  expect(await read(200, "192.0.2.1")).toEqual(taken("maxCostPerMinute"));
  expect((await read(10, "192.0.2.1")).status).toBe(200);
  // More was reserved than is there: the rest is given back.
  const empty = { query: '{ queryMill(filter: { name: { eq: "none" } }) { name } }', from: "192.0.2.2" };
  for (let i = 0; i < 3; i++) expect((await ask({}, empty)).status).toBe(200);
});

describe("the subscriptions of a caller", () => {
  const mills = "subscription { queryMill { name } }";
  const from = (name: string) => ({ caller: { kind: "address", name } as const });

  it("are counted until they end, over all its connections; those of others are not", async () => {
    const { kernel } = await limited({ maxSubscriptions: 2 });
    const { watch } = liveOn(kernel);
    const [first, second, third] = [await watch(mills, from("a")), await watch(mills, from("a")), await watch(mills, from("a"))];
    expect([first.ending, second.ending]).toEqual([undefined, undefined]);
    const errors = [
      {
        message: expect.stringContaining("has 2 subscriptions already (limits.perCaller.maxSubscriptions)"),
        extensions: { code: "TOO_MANY_REQUESTS" },
      },
    ];
    expect(third.ending).toMatchObject({ kind: "refused", errors });
    expect((await watch(mills, from("b"))).ending).toBeUndefined();
    third.subscription?.stop();
    first.subscription?.stop();
    first.subscription?.stop();
    expect((await watch(mills, from("a"))).ending).toBeUndefined();
    expect((await watch(mills, from("a"))).ending).toMatchObject({ kind: "refused" });
    // Queries go on.
    expect((await kernel.execute({ query: "{ queryMill { name } }", ...from("a") })).requestErrors).toBe(false);
  });

  it("continue after a deploy, whatever shares their caller has used up", async () => {
    const { kernel } = await limited({ maxSubscriptions: 3, maxRequestsPerMinute: 3, maxCostPerMinute: 3_000 });
    const { watch, settled, change } = liveOn(kernel);
    const clients = [await watch(mills, from("a")), await watch(mills, from("a")), await watch(mills, from("a"))];
    expect((await kernel.execute({ query: "{ queryMill { name } }", ...from("a") })).isShareTaken).toBe(true);
    await kernel.deploy(`${schema} type Dam { height: Int }\n${line}`);
    await settled();
    await change('mutation { addMill(input: [{ name: "Cog" }]) { numUids } }');
    expect(clients.map(({ ending, last }) => ({ ending, last }))).toEqual(
      Array.from({ length: 3 }, () => ({ ending: undefined, last: { queryMill: [{ name: "Cog" }] } })),
    );
  });
});

describe("the share of a caller", () => {
  function share(limits: Partial<CallerLimits>) {
    let now = 0;
    const unlimited = { maxRunning: Infinity, maxRequestsPerMinute: Infinity, maxCostPerMinute: Infinity, maxSubscriptions: Infinity };
    const shares = new CallerShares({ ...unlimited, ...limits }, () => now);
    const wait = (ms: number) => {
      now += ms;
    };
    return { enter: () => shares.enter("address a"), wait };
  }
  const refused = (seconds: number) => expect.objectContaining({ code: "TOO_MANY_REQUESTS", retryAfterSeconds: seconds });
  const thrown = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  it("of requests comes back with time, and says when", () => {
    const { enter, wait } = share({ maxRequestsPerMinute: 4 });
    for (let i = 0; i < 4; i++) enter().leave(0);
    expect(thrown(enter)).toEqual(refused(15));
    wait(14_000);
    expect(thrown(enter)).toEqual(refused(1));
    wait(1_000);
    enter().leave(0);
    expect(thrown(enter)).toEqual(refused(15));
    wait(3_600_000);
    for (let i = 0; i < 4; i++) enter().leave(0);
    expect(thrown(enter)).toEqual(refused(15));
  });

  it("of cost is owed where a request touched more than was reserved", () => {
    const { enter, wait } = share({ maxCostPerMinute: 60 });
    const visit = enter();
    visit.reserve(10);
    visit.leave(90);
    visit.leave(90);
    expect(thrown(enter)).toEqual(refused(30));
    wait(30_000);
    const next = enter();
    expect(thrown(() => next.reserve(15))).toEqual(refused(15));
    next.leave(0);
    wait(60_000);
    // A request of which too much is expected is not refused for ever.
    const large = enter();
    large.reserve(1_000_000);
    large.leave(0);
    enter().reserve(60);
  });

  it("is whole again after a request that did not happen", () => {
    const { enter } = share({ maxRequestsPerMinute: 1, maxRunning: 1, maxCostPerMinute: 5 });
    const visit = enter();
    visit.reserve(5);
    visit.undo();
    enter().reserve(5);
  });
});

it("estimates pages, and what is below each of their rows", async () => {
  const { kernel } = await limited({});
  const api = kernel.deployment?.api;
  const cost = (query: string, variables = {}) => {
    const document = parse(query);
    const operation = document.definitions.find((each) => each.kind === "OperationDefinition");
    if (!api || operation?.operation !== OperationTypeNode.QUERY) throw new TypeError("no query");
    return estimateCost(runAtOnce(planOperation(api, document, operation)), variables);
  };
  expect(cost("{ __typename }")).toBe(1);
  expect(cost('{ getMill(name: "a") { name } }')).toBe(1);
  expect(cost("{ queryMill(first: 7) { name } }")).toBe(7);
  expect(cost("{ queryMill(first: 7) { near(first: 3) { name near(first: 2) { name } } } }")).toBe(7 + 21 + 42);
  expect(cost("query ($n: Int) { queryMill(first: $n) { name } }", { n: 40 })).toBe(40);
  expect(cost("{ queryMill { name } }")).toBeGreaterThan(cost("{ queryMill(first: 100) { near { name } } }") / 2);
  expect(cost("query ($no: Boolean!) { a: queryMill(first: 5) { name } b: queryMill(first: 9) @skip(if: $no) { name } }", { no: true })).toBe(5);
});

describe("the address of a caller", () => {
  const of = (remoteAddress: string, forwarded: string | undefined, trustProxy: readonly string[]) =>
    new CallerNames({ keys: new ApiKeys({}), trustProxy }).of({ headers: { "x-forwarded-for": forwarded }, remoteAddress })?.name;
  it.each([
    ["is its peer, whatever a header says", "192.0.2.7", "198.51.100.1", [], "192.0.2.7"],
    ["is what a trusted proxy says", "10.0.0.1", "198.51.100.1", ["10.0.0.0/8"], "198.51.100.1"],
    ["is the last that no trusted proxy has", "10.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.2", ["10.0.0.1:10.0.0.2"], "198.51.100.1"],
    ["is the proxy where it forwards for nobody", "10.0.0.1", undefined, ["10.0.0.1"], "10.0.0.1"],
    ["is the proxy where the header is garbage", "10.0.0.1", "198.51.100.1, <script>", ["10.0.0.1"], "10.0.0.1"],
    ["has no port", "10.0.0.1", "198.51.100.1:4711", ["10.0.0.1"], "198.51.100.1"],
    ["is a network of version 6", "10.0.0.1", "[2001:DB8::7:0:1]:443", ["10.0.0.1"], "2001:db8:0:0::/64"],
    ["is the same for all of a network", "2001:db8::ffff", undefined, [], "2001:db8:0:0::/64"],
    ["is not known on a socket without one", "", "198.51.100.1", ["10.0.0.1"], undefined],
  ])("%s", (_, peer, forwarded, proxies, expected) => expect(of(peer, forwarded, proxies)).toBe(expected));
});
