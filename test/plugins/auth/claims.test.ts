// Claims that the application gives in the process, in the place of a token.

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { GraphQLRequest } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { compatibleKernel, type TemporaryConfig } from "../../support/kernel.ts";
import { liveOn } from "../../support/live-clients.ts";
import { line, token } from "./token.ts";

const schema = `
type Log @withSubscription
  @auth(
    query: { rule: "query($USER: String!) { queryLog(filter: { keeper: { eq: $USER } }) { id } }" }
    add: { rule: "{$ROLE: { eq: \\"KEEPER\\" } }" }
  ) {
  id: ID!
  text: String
  keeper: String! @search(by: [hash])
}
`;
const logs = "{ queryLog { text } }";
const keeper = { ROLE: "KEEPER" };
const add = (text: string, name: string) => `mutation { addLog(input: [{ text: "${text}", keeper: "${name}" }]) { numUids } }`;
const of = (...texts: readonly string[]) => ({ queryLog: texts.map((text) => ({ text })) });

async function harbour(text = `${schema}${line}`, config: TemporaryConfig = {}) {
  const stack = await compatibleKernel(config);
  onTestFinished(() => stack.remove());
  const { kernel } = stack;
  await kernel.deploy(text);
  const ask = async (query: string, request: Omit<GraphQLRequest, "query"> = {}) => {
    const { data, errors } = JSON.parse((await kernel.execute({ query, ...request })).body);
    return errors === undefined ? data : { data, errors };
  };
  for (const name of ["ada", "bob"]) await ask(add(`log of ${name}`, name), { claims: keeper });
  return { kernel, ask, live: liveOn(kernel) };
}

describe("claims of the application", () => {
  it.each([
    ["with a line that says whose tokens count", `${schema}${line}`],
    ["without one", schema],
  ])("are read by rules on reading and writing, in a schema %s", async (_what, text) => {
    const { ask } = await harbour(text);
    expect(await ask(logs, { claims: { USER: "ada" } })).toEqual(of("log of ada"));
    expect(await ask(logs, { claims: { USER: "bob" } })).toEqual(of("log of bob"));
    expect(await ask(logs, { claims: {} })).toEqual(of());
    expect(await ask(logs)).toEqual(of());
    expect(await ask(add("forged", "ada"), { claims: { USER: "ada" } })).toEqual({ addLog: null });
    expect(await ask(logs, { claims: { USER: "ada" } })).toEqual(of("log of ada"));
  });

  it("decide alone beside a token, a valid one, one that is wrong, and one that is no token", async () => {
    const { ask } = await harbour();
    const claims = { USER: "ada" };
    for (const sent of [token({ USER: "bob" }), `${token({ USER: "bob" })}x`, "no.token", "Bearer a b"]) {
      expect(await ask(logs, { claims, headers: { "x-harbour": sent } }), sent).toEqual(of("log of ada"));
    }
    // Their members are not mixed.
    expect(await ask(logs, { claims: { ROLE: "KEEPER" }, headers: { "x-harbour": token({ USER: "bob" }) } })).toEqual(of());
    expect(await ask(logs, { headers: { "x-harbour": token({ USER: "bob" }) } })).toEqual(of("log of bob"));
    expect(await ask(logs, { headers: { "x-harbour": "no.token" } })).toMatchObject({ errors: [{ message: expect.stringContaining("malformed") }] });
  });

  it("decide alone beside those that another plugin finds, whatever order the plugins have", async () => {
    const session: DirectivePlugin = {
      name: "session",
      definitions: "",
      model: () => ({ request: ({ headers }) => (headers["x-session"] === undefined ? {} : { claims: { USER: headers["x-session"] } }) }),
    };
    for (const plugins of [
      [session, ...standardPlugins()],
      [...standardPlugins(), session],
    ]) {
      const { ask } = await harbour(`${schema}${line}`, { plugins });
      const headers = { "x-session": "bob" };
      expect(await ask(logs, { headers })).toEqual(of("log of bob"));
      expect(await ask(logs, { headers, claims: { USER: "ada" } })).toEqual(of("log of ada"));
    }
  });

  it("are enough where every request needs a token", async () => {
    const { ask } = await harbour(`${schema}${line.replace('{"', '{"ClosedByDefault":true,"')}`);
    expect(await ask(logs, { claims: { USER: "ada" } })).toEqual(of("log of ada"));
    expect(await ask(logs)).toMatchObject({ errors: [{ message: expect.stringContaining("a valid JWT is required") }] });
  });

  it("are JSON as it is when the request comes: what JSON leaves out is missing", async () => {
    const { ask } = await harbour();
    const written = { toJSON: () => "ada" };
    expect(await ask(logs, { claims: { USER: written } })).toEqual(of("log of ada"));
    expect(await ask(logs, { claims: { USER: undefined } })).toEqual(of());
  });

  it.each([
    ["a list", ["ada"], "no JSON object"],
    ["a text", "ada", "no JSON object"],
    ["null", null, "no JSON object"],
    ["a number that JSON does not have", { USER: 1n }, "cannot be written as JSON"],
    ["half a character", { USER: ["\ud83d"] }, "claims.USER.0: Invalid character"],
  ])("that are %s are answered with an error, and nothing runs", async (_what, claims, reason) => {
    const { kernel, ask, live } = await harbour();
    const wrong = { claims: claims as unknown as Record<string, unknown> };
    const errors = [{ message: expect.stringContaining(reason) }];
    expect(await ask(add("unsafe", "ada"), wrong)).toMatchObject({ errors });
    expect((await live.watch(`subscription ${logs}`, wrong)).ending).toMatchObject({ kind: "refused", errors });
    await expect(kernel.live({ query: `subscription ${logs}`, ...wrong }).next()).rejects.toMatchObject({ code: "REQUEST_REFUSED" });
    expect(await ask(logs, { claims: { USER: "ada" } })).toEqual(of("log of ada"));
  });

  it("are those of what a root field of a plugin asks, unless it asks as a client with other headers", async () => {
    const asking = (name: string, headers?: Readonly<Record<string, string>>) => ({
      operation: "query" as const,
      signature: `${name}: String`,
      run: async ({ execute }: Parameters<NonNullable<Root>["run"]>[0]) => ({
        json: JSON.stringify((await execute({ query: logs, ...(headers && { headers }) })).data),
      }),
    });
    type Root = NonNullable<ReturnType<NonNullable<NonNullable<ReturnType<DirectivePlugin["model"]>>["api"]>>["roots"]>[number];
    const plugin: DirectivePlugin = {
      name: "asking",
      definitions: "",
      model: () => ({ api: () => ({ roots: [asking("mine"), asking("bobs", { "x-harbour": token({ USER: "bob" }) }), asking("nobodys", {})] }) }),
    };
    const { ask } = await harbour(`${schema}${line}`, { plugins: [...standardPlugins(), plugin] });
    expect(await ask("{ mine bobs nobodys }", { claims: { USER: "ada" } })).toEqual({
      mine: JSON.stringify(of("log of ada")),
      bobs: JSON.stringify(of("log of bob")),
      nobodys: JSON.stringify(of()),
    });
  });
});

describe("a live query with claims of the application", () => {
  const subscription = `subscription ${logs}`;

  it("shows what they allow, is shared with those who agree in what it reads of them alone, and goes on under the next schema", async () => {
    const { kernel, live } = await harbour();
    const ada = await live.watch(subscription, { claims: { USER: "ada", sub: "1" } });
    const alike = await live.watch(subscription, { claims: { USER: "ada", sub: "2" } });
    const bob = await live.watch(subscription, { claims: { USER: "bob" } });
    expect(live.queries).toBe(2);
    await kernel.deploy(`${schema.replace("text: String", "text: String\n  page: Int")}${line}`);
    await kernel.execute({ query: add("new", "ada"), claims: keeper });
    await live.settled();
    for (const client of [ada, alike]) expect(client.last).toEqual(of("log of ada", "new"));
    expect(bob.data).toEqual([of("log of bob")]);
  });

  it("keeps those that it began with when the application changes its object", async () => {
    const { kernel, live } = await harbour();
    const claims = { USER: "ada", roles: ["A"] };
    const ada = await live.watch(subscription, { claims });
    claims.USER = "bob";
    await kernel.deploy(`${schema.replace("text: String", "text: String\n  page: Int")}${line}`);
    await kernel.execute({ query: add("new", "bob"), claims: keeper });
    await live.settled();
    expect(ada.last).toEqual(of("log of ada"));
  });

  it("is an iterator with kernel.live", async () => {
    const { kernel } = await harbour();
    for await (const { data } of kernel.live({ query: subscription, claims: { USER: "bob" } })) {
      expect(data).toEqual(of("log of bob"));
      break;
    }
  });

  it.each([
    ["with", `${schema}${line}`],
    ["without", schema],
  ])("ends at their exp, whatever token is beside them, in a schema %s a line for tokens", async (_what, text) => {
    const { kernel, live } = await harbour(text);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const now = Math.floor(Date.now() / 1_000);
    const headers = { "x-harbour": token({ USER: "bob" }, { exp: now + 10 }) };
    const begin = async (claims: Readonly<Record<string, unknown>>) => {
      const client = live.begin(subscription, { claims, headers });
      await client.subscription?.planned;
      return client;
    };
    const [ends, stays] = [await begin({ USER: "ada", exp: now + 60 }), await begin({ USER: "ada" })];
    await vi.advanceTimersByTimeAsync(59_000 - (Date.now() % 1_000));
    expect(ends.ending).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ends.ending).toMatchObject({ kind: "expired", limit: "token" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stays.ending).toBeUndefined();
    await kernel.close();
  });
});

describe("a client of the network", () => {
  const claims = { USER: "ada" };

  it("cannot give claims in its body, its extensions, its URL or its headers", async () => {
    const { kernel } = await harbour();
    const headers = { "content-type": "application/json", claims: JSON.stringify(claims), "x-claims": JSON.stringify(claims) };
    const body = Buffer.from(JSON.stringify({ query: logs, claims, facts: { claims }, extensions: { claims, facts: { claims } } }));
    for (const accept of ["application/json", "text/event-stream"]) {
      const posted = await kernel.http({ method: "POST", url: "/graphql", headers: { ...headers, accept }, body });
      if (accept === "application/json") expect(JSON.parse(String(posted.body)).data).toEqual(of());
    }
    const query = new URLSearchParams({ query: logs, claims: JSON.stringify(claims), extensions: JSON.stringify({ claims }) });
    const got = await kernel.http({ method: "GET", url: `/graphql?${query}`, headers, body: new Uint8Array() });
    expect(JSON.parse(String(got.body)).data).toEqual(of());
  });

  it.each([
    ["graphql-transport-ws", "subscribe"],
    ["graphql-ws", "start"],
  ])("cannot give them on a WebSocket of %s", async (protocol, type) => {
    const { kernel } = await harbour();
    const listening = await wsTransport().listen(kernel, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => listening.close(0));
    const socket = new WebSocket(`${listening.url.replace("http", "ws")}/graphql`, protocol);
    onTestFinished(() => socket.terminate());
    const first = new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: { claims, facts: { claims } } })));
      socket.on("message", (text) => {
        const message = JSON.parse(String(text));
        const payload = { query: `subscription ${logs}`, claims, extensions: { claims } };
        if (message.type === "connection_ack") socket.send(JSON.stringify({ type, id: "1", payload }));
        if (message.type === "next" || message.type === "data") resolve(message.payload.data);
        if (message.type === "error") reject(new Error(String(text)));
      });
    });
    expect(await first).toEqual(of());
  });
});
