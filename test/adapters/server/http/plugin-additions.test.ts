// Paths and fields of the admin API that a plugin adds to the server.

import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { QuernError } from "../../../../adapters/server/index.ts";
import type { DirectivePlugin, KernelAccess, ServerAdditions } from "../../../../core/plugin.ts";
import { timeoutText } from "../../../../core/request/errors/faults.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

const plugin = (name: string, server: (kernel: KernelAccess) => ServerAdditions): DirectivePlugin => ({
  name,
  definitions: "",
  model: () => undefined,
  server,
});

async function start(server: (kernel: KernelAccess) => ServerAdditions, config: TemporaryConfig = {}): Promise<TemporaryKernel> {
  stack = await compatibleKernel({ plugins: [...standardPlugins(), plugin("harbour", server)], ...config });
  return stack;
}

const text = (body: string) => ({ status: 200, headers: { "content-type": "text/plain" }, body });

describe("what never settles", () => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const limits = { maxTimeMs: 200, openMs: 200 };
  const faults = () => {
    const messages: string[] = [];
    const log: TemporaryConfig["log"] = { level: "error", to: { write: ({ message }) => void messages.push(message) } };
    return { log, messages };
  };

  it("at a path of a plugin is answered with status 503 and a code, and the log names plugin and path", async () => {
    const { log, messages } = faults();
    const route = { path: "/tide", methods: ["GET"], access: "everybody", answer: never } as const;
    const { kernel } = await start(() => ({ routes: [route] }), { limits, log });
    const { status, body } = await ask(kernel, { method: "GET", path: "/tide" });
    expect([status, JSON.parse(String(body))]).toEqual([503, { errors: [{ message: timeoutText, extensions: { code: "PLUGIN_TIMEOUT" } }] }]);
    expect(messages).toEqual(['Plugin "harbour", hook answer of /tide: its promise has not settled within 200 ms (limits.maxTimeMs).']);
  });

  it("in a field of the admin API is an error of the field", async () => {
    const { log, messages } = faults();
    const admin = { definitions: "extend type Query { tide: Float }", queries: { tide: never } };
    const { kernel } = await start(() => ({ admin }), { limits, log });
    const answer = json(
      await ask(kernel, { path: "/admin", body: JSON.stringify({ query: "{ tide }" }), headers: { "content-type": "application/json" } }),
    );
    expect(JSON.stringify(answer)).toContain(`resolving tide failed because ${timeoutText}`);
    expect(messages).toEqual([expect.stringContaining('Plugin "harbour", hook admin field tide: its promise has not settled')]);
  });

  it("when the kernel opens keeps it from opening no longer than it may", async () => {
    const { log, messages } = faults();
    await start(() => ({ opened: never }), { limits, log });
    expect(messages).toContain('Plugin "harbour", hook opened: its promise has not settled within 200 ms (limits.openMs).');
  });
});

describe("a path of a plugin", () => {
  it("gets method, query, headers and the decompressed body, and its answer is sent with CORS headers", async () => {
    const { kernel } = await start(() => ({
      routes: [
        {
          path: "/echo",
          methods: ["POST"],
          access: "everybody",
          answer: ({ method, url, headers, body }) => text([method, url, headers["x-mast"], headers["content-encoding"], String(body)].join(" ")),
        },
      ],
    }));
    const response = await ask(kernel, { path: "/echo?a=1", headers: { "x-mast": "tall", "content-encoding": "gzip" }, body: gzipSync("hull ü") });
    expect(response.body).toBe("POST /echo?a=1 tall  hull ü");
    expect(response.headers).toMatchObject({ "access-control-allow-origin": "*", "content-type": "text/plain" });
  });

  it("refuses other methods, and answers a preflight request", async () => {
    const { kernel } = await start(() => ({ routes: [{ path: "/echo", methods: ["POST"], access: "everybody", answer: () => text("") }] }));
    expect((await ask(kernel, { method: "GET", path: "/echo" })).status).toBe(405);
    expect((await ask(kernel, { method: "OPTIONS", path: "/echo" })).status).toBe(200);
  });

  it("for administrators asks for the admin token before the plugin is called", async () => {
    let calls = 0;
    const answer = () => text(`call ${++calls}`);
    const { kernel } = await start(() => ({ routes: [{ path: "/count", methods: ["GET"], access: "administrators", answer }] }), {
      admin: { token: "lantern" },
    });
    const refused = await ask(kernel, { method: "GET", path: "/count" });
    expect(json(refused)).toMatchObject({ errors: [{ message: "No Auth Token found. Token needed for Admin operations." }] });
    expect(calls).toBe(0);
    const { body, headers } = await ask(kernel, { method: "GET", path: "/count", headers: { "x-service-authtoken": "lantern" } });
    expect(body).toBe("call 1");
    expect(Object.keys(headers)).not.toContain("access-control-allow-origin");
  });

  it("shows the text of a QuernError, and none of another error", async () => {
    const { kernel } = await start(() => ({
      routes: [
        { path: "/no", methods: ["GET"], access: "everybody", answer: () => Promise.reject(new QuernError("REQUEST_INVALID", "There is no tide.")) },
        { path: "/broken", methods: ["GET"], access: "everybody", answer: () => Promise.reject(new Error("secret 123")) },
      ],
    }));
    expect(json(await ask(kernel, { method: "GET", path: "/no" }))).toEqual({
      errors: [{ message: "There is no tide.", extensions: { code: "Error" } }],
    });
    const broken = await ask(kernel, { method: "GET", path: "/broken" });
    expect(broken.status).toBe(500);
    expect(String(broken.body)).not.toContain("secret");
  });

  it("refuses a body that unpacks to more than the limit, and a body that is no text", async () => {
    let calls = 0;
    const answer = () => text(`${++calls}`);
    const { kernel } = await start(() => ({ routes: [{ path: "/echo", methods: ["POST"], access: "everybody", answer }] }), {
      limits: { maxInflatedBytes: 1_000 },
    });
    const long = await ask(kernel, { path: "/echo", headers: { "content-encoding": "gzip" }, body: gzipSync("a".repeat(1_001)) });
    expect(long.status).toBe(413);
    await ask(kernel, { path: "/echo", body: new Uint8Array([0xff, 0xfe]) });
    expect(calls).toBe(0);
  });
});

describe("the kernel that a plugin gets", () => {
  it("reads, writes, follows commits and executes as a client", async () => {
    let access: KernelAccess | undefined;
    const { kernel } = await start((given) => {
      access = given;
      return {};
    });
    if (access === undefined) throw new Error("the hook was not called");
    expect(access.served).toBeUndefined();
    await kernel.deploy("type Boat @withSubscription { id: ID! name: String! @id }");
    const seen: string[] = [];
    const stop = access.changes(({ kind }) => void seen.push(kind));
    const { errors } = await access.execute({
      query: "mutation ($n: String!) { addBoat(input: [{ name: $n }]) { numUids } }",
      variables: { n: "gig" },
    });
    expect(errors).toEqual([]);
    await access.transact(async (transaction) => await transaction.setMeta("harbour.depth", 7));
    const snapshot = access.snapshot();
    const boats = await snapshot.find({ types: [access.served?.model.nodeTypes.get("Boat")?.stored ?? ""], fields: ["Boat.name"] });
    expect(boats.columns).toEqual([["gig"]]);
    expect(await snapshot.meta("harbour.depth")).toBe(7);
    snapshot.close();
    expect(seen).toContain("detailed");
    stop();
    expect(await access.execute({ query: "{ queryShip { name } }" })).toMatchObject({
      data: undefined,
      errors: [{ message: expect.stringContaining("queryShip") }],
    });
  });

  it("ends a read of a client that has gone", async () => {
    let access: KernelAccess | undefined;
    const { kernel } = await start((given) => {
      access = given;
      return {};
    });
    await kernel.deploy("type Boat { id: ID! name: String }");
    for (let i = 0; i < 3; i++) await kernel.execute({ query: `mutation { addBoat(input: [${'{ name: "a" },'.repeat(200)}]) { numUids } }` });
    const snapshot = access?.snapshot({ onGone: (listener) => listener() });
    await expect(async () => await snapshot?.find({ types: ["Boat"], fields: ["Boat.name"] })).rejects.toMatchObject({ code: "CANCELLED" });
    snapshot?.close();
  });
});

describe("fields of the admin API by a plugin", () => {
  it("are completed by their definitions, and get the HTTP request", async () => {
    const { kernel } = await start(() => ({
      admin: {
        definitions: "extend type Query { tide(at: Int!): Tide } type Tide { metres: Float! caller: String }",
        queries: { tide: ({ at }, { headers }) => ({ metres: Number(at) / 2, caller: headers["x-name"] }) },
      },
    }));
    const response = await ask(kernel, {
      path: "/admin",
      headers: { "content-type": "application/json", "x-name": "ann" },
      body: JSON.stringify({ query: "{ tide(at: 5) { metres caller } }" }),
    });
    expect(json(response)).toEqual({ data: { tide: { metres: 2.5, caller: "ann" } } });
  });

  it("may answer the fields about users, which the server only refuses", async () => {
    const { kernel } = await start(() => ({ admin: { mutations: { login: () => ({ response: { accessJWT: "a" } }) } } }));
    const response = await ask(kernel, {
      path: "/admin",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "mutation { login { response { accessJWT } } }" }),
    });
    expect(json(response)).toMatchObject({ data: { login: { response: { accessJWT: "a" } } } });
  });
});

describe("the start", () => {
  const clash = { code: "PLUGIN_CLASH" };
  const route = (path: string): ServerAdditions => ({ routes: [{ path, methods: ["GET"], access: "everybody", answer: () => text("") }] });

  it.each([
    ["a path of the server", [plugin("a", () => route("/graphql"))]],
    ["a path of another plugin", [plugin("a", () => route("/x")), plugin("b", () => route("/x"))]],
    ["a field of the server's admin API", [plugin("a", () => ({ admin: { queries: { getGQLSchema: () => null } } }))]],
    [
      "a field of another plugin",
      [plugin("a", () => ({ admin: { mutations: { login: () => null } } })), plugin("b", () => ({ admin: { mutations: { login: () => null } } }))],
    ],
  ])("is refused when a plugin claims %s", async (_what, plugins) => {
    await expect(compatibleKernel({ plugins })).rejects.toMatchObject(clash);
  });

  it("is refused when definitions do not fit, or a field has none", async () => {
    const bad = [plugin("a", () => ({ admin: { definitions: "extend type Tide { a: Int }" } }))];
    await expect(compatibleKernel({ plugins: bad })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    const missing = [plugin("a", () => ({ admin: { queries: { tide: () => null } } }))];
    await expect(compatibleKernel({ plugins: missing })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});
