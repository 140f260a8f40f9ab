// Subscriptions from beginning to end: who is refused, what is shared, what a slow client gets, and how each of them ends.

import { afterEach, describe, expect, it, vi } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { type DirectivePlugin, QuernError } from "../../../../core/plugin.ts";
import type { TemporaryConfig } from "../../../support/kernel.ts";
import { type Live, liveApi } from "../../../support/live-clients.ts";
import { storageName } from "../../../support/storage.ts";
import { line, token } from "../../auth/token.ts";

const schema = `
  type Boat @withSubscription { name: String! @id  length: Int @search  berth: Berth }
  type Berth { number: Int! @id }
  type Log @withSubscription @auth(query: { or: [{ rule: "query($ME: String!) { queryLog(filter: {keeper: {eq: $ME}}) { id } }" }, { rule: "{$ROLE: {eq: \\"MASTER\\"}}" }] })
    { id: ID!  keeper: String @search(by: [hash])  text: String }
  ${line}
`;
const boats = "subscription { queryBoat(order: {asc: name}) { name length } }";
const logs = "subscription { queryLog { text } }";
const add = (name: string, length = 1) => `mutation { addBoat(input: [{name: "${name}", length: ${length}}], upsert: true) { numUids } }`;
const as = (claims: object, root: Readonly<Record<string, unknown>> = {}) => ({ headers: { "x-harbour": token(claims, root) } });

let open: (Live & { remove(): Promise<void> })[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of open) await each.remove();
  open = [];
});
async function deploy(config: TemporaryConfig = {}, text = schema) {
  const api = await liveApi(text, config);
  open.push(api);
  return api;
}
const refusal = (message: string, more = {}) => ({ kind: "refused", errors: [{ message, ...more }] });

describe("subscribe", () => {
  it.each([
    ["subscription { queryBoat { nme } }", 'Cannot query field "nme" on type "Boat". Did you mean "name"?', { locations: [{ line: 1, column: 28 }] }],
    [
      "subscription { queryBerth { number } }",
      'Cannot query field "queryBerth" on type "Subscription". Did you mean "queryBoat" or "queryLog"?',
      { locations: [{ line: 1, column: 16 }] },
    ],
    [
      'subscription { queryBoat { name } getBoat(name: "x") { name } }',
      "Anonymous Subscription must select only one top level field.",
      { locations: [{ line: 1, column: 35 }] },
    ],
    [
      'subscription S { queryBoat { name } getBoat(name: "x") { name } }',
      'Subscription "S" must select only one top level field.',
      { locations: [{ line: 1, column: 37 }] },
    ],
    [
      "subscription { __typename }",
      "Anonymous Subscription must not select an introspection top level field.",
      { locations: [{ line: 1, column: 16 }] },
    ],
  ])("refuses %s", async (query, message, more) => {
    const api = await deploy();
    expect((await api.watch(query)).ending).toEqual(refusal(message, more));
  });

  it("refuses a subscription when no type allows subscriptions or no schema is deployed", async () => {
    const text = "Not resolving subscription because schema doesn't have any fields defined for subscription operation.";
    const api = await deploy({}, "type Boat { size: Int }");
    expect((await api.watch(boats)).ending).toEqual(refusal(text));
    await api.kernel.erase({ kind: "all" });
    expect((await api.watch(boats)).ending).toEqual(refusal(text));
  });

  it("refuses every operation with an invalid token", async () => {
    const api = await deploy();
    const ending = refusal("unable to parse jwt token:token is malformed: token contains an invalid number of segments");
    expect((await api.watch(boats, { headers: { "x-harbour": "broken" } })).ending).toEqual(ending);
  });

  it("refuses a subscription beyond the limit", async () => {
    const api = await deploy({ limits: { maxSubscriptions: 1 } });
    const first = await api.watch(boats);
    expect((await api.watch(boats)).ending).toEqual(refusal("There are 1 subscriptions already (limits.maxSubscriptions). Try again later."));
    first.subscription?.stop();
    expect((await api.watch(boats)).data).toEqual([{ queryBoat: [] }]);
  });

  it("refuses a query with subscriptionsOnly; without it, runs the query once", async () => {
    const api = await deploy();
    const refused = await api.watch(`mutation { addBoat(input: [{name: "Ada"}]) { numUids } }`, { subscriptionsOnly: true });
    expect(refused.ending).toEqual(refusal("given GraphQL operation is not a subscription"));
    expect(await api.query("{ queryBoat { name } }")).toEqual({ queryBoat: [] });
    const bodies: string[] = [];
    const ends: unknown[] = [];
    api.kernel.subscribe({ query: "{ queryBoat { name } }" }, { ready: () => true, next: (body) => bodies.push(body), end: (why) => ends.push(why) });
    await api.settled();
    await vi.waitFor(() => expect(ends).toEqual([{ kind: "complete" }]), { timeout: 60_000 });
    expect(bodies).toEqual(['{"data":{"queryBoat":[]}}']);
  });

  it("refuses a field with values from a remote source", async () => {
    const weather: DirectivePlugin = {
      name: "weather",
      definitions: "directive @weather on FIELD_DEFINITION",
      model({ uses, record }) {
        for (const { field } of uses("weather")) if (field) record.computed(field);
        const fields = uses("weather").flatMap(({ field }) => field ?? []);
        return {
          api: () => ({ computed: fields.map((field) => ({ field, needs: [], volatile: true, compute: (parents) => parents.map(() => "wind") })) }),
        };
      },
    };
    const text = "type Boat @withSubscription { name: String! @id  next: Boat  sky: String @weather }";
    const api = await deploy({ plugins: [...standardPlugins(), weather] }, text);
    const nested = await api.watch("subscription { queryBoat { next { sky } } }");
    expect(nested.ending).toEqual(refusal("Custom field `sky` is not supported in graphql subscription"));
    expect(await api.query("subscription { queryBoat { sky } }")).toEqual({ queryBoat: [] });
  });

  it("refuses a subscription with errors in its first result; later errors are sent and it continues", async () => {
    const api = await deploy({}, "type Crew @withSubscription { name: String! @id  boat: Boat! }\ntype Boat { name: String! @id }");
    await api.change(`mutation { addCrew(input: [{name: "ann", boat: {name: "Ada"}}]) { numUids } }`);
    const client = await api.watch('subscription { getCrew(name: "ann") { name boat { name } } }');
    await api.change(`mutation { deleteBoat(filter: {name: {eq: "Ada"}}) { numUids } }`);
    expect(client.last).toEqual({ getCrew: null });
    expect(client.results.at(-1)?.errors).toHaveLength(1);
    expect(client.ending).toBeUndefined();
    const late = await api.watch('subscription { getCrew(name: "ann") { name boat { name } } }');
    expect(late.results).toEqual([]);
    expect(late.ending?.kind).toBe("refused");
    await api.change(`mutation { updateCrew(input: {filter: {name: {eq: "ann"}}, set: {boat: {name: "Bea"}}}) { numUids } }`);
    expect(client.last).toEqual({ getCrew: { name: "ann", boat: { name: "Bea" } } });
  });
});

describe("sharing", () => {
  it("runs equal queries of different callers once", async () => {
    // The first answer is kept for a second; a busy machine takes longer.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const api = await deploy();
    // Until the first one has answered it is unknown which claims make them differ.
    const first = await api.watch(boats);
    const clients = [first, ...Array.from({ length: 19 }, (_, i) => api.begin(boats, i % 2 === 0 ? {} : as({ ME: `u${i}` })))];
    await api.settled();
    expect([api.runs, api.queries]).toEqual([1, 1]);
    await api.change(add("Ada"));
    expect(api.runs).toBe(2);
    for (const { data } of clients) expect(data).toEqual([{ queryBoat: [] }, { queryBoat: [{ name: "Ada", length: 1 }] }]);
  });

  it("separates callers that a rule distinguishes", async () => {
    const api = await deploy();
    await api.query(`mutation { addLog(input: [{keeper: "ann", text: "a"}, {keeper: "bo", text: "b"}]) { numUids } }`, as({ ROLE: "MASTER" }));
    const ask = [
      as({ ME: "ann", AGE: 1 }),
      as({ ME: "ann", AGE: 2 }, { exp: 4e9 }),
      as({ ME: "bo", AGE: 1 }),
      as({ AGE: 1 }),
      {},
      as({ ROLE: "MASTER", ME: "ann" }),
    ];
    const clients = ask.map((each) => api.begin(logs, each));
    await api.settled();
    const a = [{ text: "a" }];
    expect(clients.map((each) => each.last)).toEqual([a, a, [{ text: "b" }], [], [], [...a, { text: "b" }]].map((queryLog) => ({ queryLog })));
    expect(api.queries).toBe(5);
  });

  it("separates different variables and operations of one document", async () => {
    const api = await deploy();
    await api.change(add("Ada"), add("Bea"));
    const query = "subscription A($n: String!) { getBoat(name: $n) { name } } subscription B($n: String!) { getBoat(name: $n) { length } }";
    const ask = (operationName: string, n: string) => api.watch(query, { operationName, variables: { n } });
    const data = [(await ask("A", "Ada")).last, (await ask("A", "Bea")).last, (await ask("B", "Ada")).last, (await ask("A", "Ada")).last];
    expect(data).toEqual([{ getBoat: { name: "Ada" } }, { getBoat: { name: "Bea" } }, { getBoat: { length: 1 } }, { getBoat: { name: "Ada" } }]);
    expect(api.queries).toBe(3);
  });
});

describe("results", () => {
  it("coalesces a burst of commits, in order, and sends the last state", async () => {
    const api = await deploy();
    const client = await api.watch('subscription { getBoat(name: "Ada") { length } }');
    await Promise.all(Array.from({ length: 200 }, (_, i) => api.query(add("Ada", i))));
    await api.change(add("Ada", 1000));
    expect(client.last).toEqual({ getBoat: { length: 1000 } });
    // On a slower storage some runs fit between two commits.
    expect(client.results.length).toBeLessThan(storageName === "level" ? 100 : 200);
    const tokens = client.results.map(({ extensions }) => Buffer.from(extensions.resume.slice(22), "base64url").toString());
    expect(tokens).toEqual([...tokens].sort());
  });

  it("sends a slow client only the newest result, and none that it already has", async () => {
    const api = await deploy();
    const slow = await api.watch(boats);
    const quick = await api.watch(boats);
    slow.isReady = false;
    for (const name of ["Ada", "Bea", "Cat"]) await api.change(add(name));
    expect(slow.results).toHaveLength(1);
    expect(quick.results).toHaveLength(4);
    slow.isReady = true;
    slow.subscription?.drained();
    expect(slow.last).toEqual(quick.last);
    expect(slow.results).toHaveLength(2);
    slow.isReady = false;
    await api.change(add("Dot"));
    await api.change(`mutation { deleteBoat(filter: {name: {eq: "Dot"}}) { numUids } }`);
    slow.isReady = true;
    slow.subscription?.drained();
    expect(slow.results).toHaveLength(2);
  });

  it("sends nothing after stop, even from a run in progress", async () => {
    const api = await deploy();
    const [never, later] = [api.begin(boats), await api.watch(boats)];
    never.subscription?.stop();
    const change = api.change(add("Ada"));
    later.subscription?.stop();
    await change;
    expect([never.results.length <= 1, later.results.length, later.ending]).toEqual([true, 1, undefined]);
    expect(api.queries).toBe(0);
  });

  it("sends a client with a resume token only later changes", async () => {
    const api = await deploy();
    await api.change(add("Ada"));
    const first = await api.watch(boats);
    const resume = first.results[0]?.extensions.resume ?? "";
    first.subscription?.stop();
    const same = await api.watch(boats, { resume });
    expect(same.results).toEqual([]);
    await api.change(add("Bea"));
    expect(same.data).toEqual([
      {
        queryBoat: [
          { name: "Ada", length: 1 },
          { name: "Bea", length: 1 },
        ],
      },
    ]);
    const missed = await api.watch(boats, { resume });
    expect(missed.data).toEqual(same.data);
    const [odd, foreign] = [
      await api.watch(boats, { resume: "?" }),
      await api.watch(boats, { resume: `${resume.slice(0, 22)}${Buffer.from("9".repeat(16)).toString("base64url")}` }),
    ];
    expect([odd.data, foreign.data]).toEqual([same.data, same.data]);
  });

  it("sends a first result to a client with an unknown commit, and to concurrent equal subscribers", async () => {
    const api = await deploy();
    await api.change(add("Ada"));
    const never = `${"A".repeat(22)}${Buffer.from("f".repeat(16)).toString("base64url")}`;
    const clients = [api.begin(boats, { resume: never }), api.begin(boats), api.begin(boats, { resume: never })];
    await api.settled();
    for (const { data, ending } of clients) expect([data, ending]).toEqual([[{ queryBoat: [{ name: "Ada", length: 1 }] }], undefined]);
    await api.change(add("Bea"));
    for (const { data } of clients) expect(data).toHaveLength(2);
  });
});

describe("a live query", () => {
  const expired = (limit: string, message: string) => ({
    kind: "expired",
    limit,
    errors: [{ message, extensions: { code: "SUBSCRIPTION_EXPIRED" } }],
  });

  it("ends after limits.maxSubscriptionMs; another can start", async () => {
    const api = await deploy({ limits: { maxSubscriptionMs: 2_000 } });
    const short = await api.watch(boats);
    expect(short.data).toEqual([{ queryBoat: [] }]);
    const message = "This subscription has lasted as long as one may (limits.maxSubscriptionMs). Subscribe again.";
    await vi.waitFor(() => expect(short.ending).toEqual(expired("time", message)), { timeout: 60_000 });
    expect((await api.watch(boats)).data).toEqual([{ queryBoat: [] }]);
  });

  it("ends when its token expires, by a timer and not at the next change", async () => {
    const api = await deploy();
    const exp = Math.floor(Date.now() / 1000) + 4;
    const [short, long, forever] = [await api.watch(boats, as({}, { exp })), await api.watch(boats, as({}, { exp: 4e9 })), await api.watch(boats)];
    const message = "The token of this subscription has expired. Subscribe again with a new one.";
    await vi.waitFor(() => expect(short.ending).toEqual(expired("token", message)), { timeout: 60_000 });
    expect(short.endedAt).toBeGreaterThanOrEqual(exp * 1000);
    await api.change(add("Ada"));
    expect([short, long, forever].map((each) => each.results.length)).toEqual([1, 2, 2]);
  });

  it("ends when the server is drained or closed", async () => {
    const api = await deploy();
    const client = await api.watch(boats);
    api.kernel.setDraining(true);
    expect(client.ending).toEqual({ kind: "interrupted", by: "draining" });
    expect((await api.watch(boats)).ending?.kind).toBe("refused");
    api.kernel.setDraining(false);
    const last = await api.watch(boats);
    await api.remove();
    open = [];
    expect(last.ending).toEqual({ kind: "interrupted", by: "shutdown" });
  });

  it("does not end when data are erased, but sends a result", async () => {
    const api = await deploy();
    await api.change(add("Ada"));
    const client = await api.watch(boats);
    await api.kernel.erase({ kind: "data" });
    await api.settled();
    expect(client.last).toEqual({ queryBoat: [] });
    await api.change(add("Bea"));
    expect(client.last).toEqual({ queryBoat: [{ name: "Bea", length: 1 }] });
    await api.kernel.erase({ kind: "all" });
    await api.settled();
    const message = "Not resolving subscription because schema doesn't have any fields defined for subscription operation.";
    expect(client.ending).toEqual({ kind: "redeployed", errors: [{ message }] });
  });

  it("ends with the message of a fault that occurs later", async () => {
    let broken = false;
    const frail: DirectivePlugin = {
      name: "frail",
      definitions: "",
      model: () => ({
        narrow: () => {
          if (broken) throw new TypeError("a bug");
          return undefined;
        },
      }),
    };
    const api = await deploy({ plugins: [...standardPlugins(), frail] });
    const client = await api.watch(boats);
    broken = true;
    await api.kernel.storage.transact((transaction) => transaction.write([]), { version: api.kernel.deployment?.version ?? 0 });
    let added = 0;
    await vi.waitFor(async () => {
      broken = false;
      await api.query(`mutation { addBoat(input: [{name: "Ada ${added++}"}]) { numUids } }`);
      // The query may have run for this change by now: then the next one finds the fault.
      broken = true;
      await api.settled();
      expect(client.ending?.kind).toBe("failed");
    }, 60_000);
    expect((await api.watch(boats)).ending?.kind).toBe("refused");
  });
});

describe("kernel.live", () => {
  it("is an async iterable of parsed answers; a slow reader may miss some, never the last", async () => {
    const api = await deploy();
    const seen: unknown[] = [];
    for await (const { data } of api.kernel.live({ query: boats })) {
      seen.push(data?.queryBoat);
      if (seen.length === 1) await api.change(add("Ada"), add("Bea"), add("Cat"));
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([[], ["Ada", "Bea", "Cat"].map((name) => ({ name, length: 1 }))]);
    await api.settled();
    expect(api.queries).toBe(0);
  });

  it("throws the errors of a refusal, at the start or after a deploy", async () => {
    const api = await deploy();
    await expect(api.kernel.live({ query: "subscription { x }" }).next()).rejects.toThrow(QuernError);
    const results = api.kernel.live({ query: boats });
    await results.next();
    const message = expect.stringContaining('Cannot query field "name"');
    const refused = expect(results.next()).rejects.toMatchObject({ code: "REQUEST_REFUSED", message });
    await api.kernel.deploy("type Boat @withSubscription { size: Int }");
    await refused;
  });

  it("throws when its token expires and while the kernel drains; ends when the kernel closes", async () => {
    const api = await deploy();
    const short = api.kernel.live({ query: boats, ...as({}, { exp: Math.floor(Date.now() / 1000) + 3 }) });
    const [drained, closed] = [api.kernel.live({ query: boats }), api.kernel.live({ query: boats })];
    for (const each of [short, drained]) await each.next();
    await expect(short.next()).rejects.toMatchObject({ code: "SUBSCRIPTION_EXPIRED" });
    const next = drained.next();
    api.kernel.setDraining(true);
    await expect(next).rejects.toMatchObject({ code: "OVERLOADED", message: expect.stringContaining("draining") });
    api.kernel.setDraining(false);
    await closed.next();
    const last = closed.next();
    await api.remove();
    open = [];
    expect(await last).toEqual({ value: undefined, done: true });
  });
});
