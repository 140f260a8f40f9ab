// Services inside: paths of plugins with parameters, every method, any body, several cookies; and what they do as the system.

import { once } from "node:events";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaHandler, yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { DirectivePlugin, KernelAccess, PluginRoute, ServerAdditions } from "../../../../core/plugin.ts";
import type { Transport } from "../../../../core/transport.ts";
import { line, token } from "../../../plugins/auth/token.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask } from "./ask.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

/** A kernel with a plugin, and what the plugin uses of it. */
async function startWithAccess(config: TemporaryConfig = {}): Promise<KernelAccess> {
  const given: KernelAccess[] = [];
  const service = plugin("service", (access) => {
    given.push(access);
    return {};
  });
  stack = await temporaryKernel({ plugins: [...standardPlugins(), service], ...config });
  const [access] = given;
  if (access === undefined) throw new Error("the hook was not called");
  return access;
}

const plugin = (name: string, server: (kernel: KernelAccess) => ServerAdditions): DirectivePlugin => ({
  name,
  definitions: "",
  model: () => undefined,
  server,
});

async function start(routes: readonly PluginRoute[], config: TemporaryConfig = {}): Promise<TemporaryKernel> {
  stack = await temporaryKernel({ plugins: [...standardPlugins(), plugin("service", () => ({ routes }))], ...config });
  return stack;
}

const text = (body: string) => ({ status: 200, headers: { "content-type": "text/plain" }, body });
const route = (path: string, more: Partial<PluginRoute> = {}): PluginRoute => ({
  path,
  methods: ["*"],
  access: "everybody",
  answer: ({ method, params }) => text(`${path} ${method} ${JSON.stringify(params)}`),
  ...more,
});

describe("a path with parameters", () => {
  it("gets them, for every method; the most literal path answers, and the server's own paths first", async () => {
    const { kernel } = await start([route("/*"), route("/api/auth/*"), route("/api/auth/ok"), route("/api/:version/status")]);
    const get = async (path: string, method = "GET") => {
      const { status, body } = await ask(kernel, { method, path });
      return status === 200 ? String(body) : status;
    };
    expect(await get("/api/auth/sign-in/email?x=1", "POST")).toBe('/api/auth/* POST {"*":"sign-in/email"}');
    expect(await get("/api/auth/ok", "DELETE")).toBe("/api/auth/ok DELETE {}");
    expect(await get("/api/v%201/status", "PATCH")).toBe('/api/:version/status PATCH {"version":"v 1"}');
    expect(await get("/api/auth/status")).toBe('/api/auth/* GET {"*":"status"}');
    expect(await get("/elsewhere")).toBe('/* GET {"*":"elsewhere"}');
    expect(await get("/health/live")).toBe('{"status":"live"}');
    expect(await get("/admin/nothing")).toBe(404);
    expect(await get("/api/auth/../../admin")).toBe(404);
  });

  it.each([
    ["another plugin's", [route("/a/:x")], [route("/a/:y")], 'Plugins "one" and "two" both claim the path /a/:'],
    ["below the server's own", [], [route("/admin/*")], 'Plugin "two" claims the path /admin/*, which the server answers itself'],
    ["not well formed", [], [route("/a/*/b")], 'Plugin "two" claims the path "/a/*/b", and * is a whole segment, the last one.'],
  ])("is refused at start when it is %s", async (_, one, two, message) => {
    const plugins = [plugin("one", () => ({ routes: one })), plugin("two", () => ({ routes: two }))];
    await expect(temporaryKernel({ plugins })).rejects.toThrow(message);
  });

  it("for administrators asks for the admin token", async () => {
    const { kernel } = await start([route("/sessions/:id", { access: "administrators" })], { admin: { token: "lantern" } });
    expect(String((await ask(kernel, { method: "DELETE", path: "/sessions/7" })).body)).toContain("No Auth Token found");
    const headers = { "x-service-authtoken": "lantern" };
    expect(String((await ask(kernel, { method: "DELETE", path: "/sessions/7", headers })).body)).toContain('{"id":"7"}');
  });

  it("gets any bytes when it asks for them, unpacked and bounded", async () => {
    const answer: PluginRoute["answer"] = ({ body }) => text([...body].join());
    const { kernel } = await start([route("/raw", { body: "bytes", answer }), route("/text", { answer })], { limits: { maxInflatedBytes: 100 } });
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0xff, 0]);
    expect((await ask(kernel, { path: "/raw", body: bytes })).body).toBe("239,187,191,255,0");
    expect((await ask(kernel, { path: "/raw", body: gzipSync(bytes), headers: { "content-encoding": "gzip" } })).body).toBe("239,187,191,255,0");
    expect((await ask(kernel, { path: "/raw", body: gzipSync("a".repeat(101)), headers: { "content-encoding": "gzip" } })).status).toBe(413);
    expect(String((await ask(kernel, { path: "/text", body: bytes })).body)).toContain("The body is not UTF-8 text.");
  });

  it("answers preflight requests itself when its CORS is its own; otherwise the server names its methods", async () => {
    const own: PluginRoute["answer"] = ({ method }) => ({
      status: 204,
      headers: { "access-control-allow-origin": "https://app.example" },
      body: method === "OPTIONS" ? "" : "x",
    });
    const { kernel } = await start([
      route("/own", { cors: "own", answer: own }),
      route("/open", { methods: ["PUT"] }),
      route("/plain", { methods: ["POST"] }),
    ]);
    const options = (path: string) => ask(kernel, { method: "OPTIONS", path });
    expect(await options("/own")).toMatchObject({ status: 204, headers: { "access-control-allow-origin": "https://app.example" } });
    expect((await options("/own")).headers).not.toHaveProperty("access-control-allow-methods");
    expect(await options("/open")).toMatchObject({ status: 200, headers: { "access-control-allow-methods": "PUT, OPTIONS" } });
    expect((await options("/plain")).headers).toMatchObject({ "access-control-allow-methods": "POST, OPTIONS" });
    expect((await ask(kernel, { method: "GET", path: "/own" })).headers).not.toHaveProperty("access-control-allow-credentials");
  });
});

const cookies = ["a=1; Path=/; HttpOnly", "b=2; Expires=Wed, 01 Jan 2031 00:00:00 GMT"];
const cookieRoute = route("/api/auth/*", { answer: () => ({ status: 200, headers: { "set-cookie": cookies, "x-one": "1" }, body: "{}" }) });

describe("several cookies", () => {
  it.each<[string, Transport]>([
    ["ws", wsTransport()],
    ["yoga", yogaTransport()],
  ])("are sent in lines of their own by the transport %s", async (_, transport) => {
    const { kernel } = await start([cookieRoute]);
    const { url, close } = await transport.listen(kernel, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => close(0));
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const response = await fetch(`${url}/api/auth/sign-in`, { method, ...(method !== "GET" && { body: "{}" }) });
      expect(response.headers.getSetCookie()).toEqual(cookies);
      expect(response.headers.get("x-one")).toBe("1");
    }
  });

  it("are sent in lines of their own by the Fetch handler, and behind node:http", async () => {
    const { kernel } = await start([cookieRoute]);
    const handler = yogaHandler(kernel);
    const response = await handler.fetch("http://localhost/api/auth/sign-in", { method: "POST" });
    expect(response.headers.getSetCookie()).toEqual(cookies);
    const server = createServer(handler).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    expect((await fetch(`http://127.0.0.1:${port}/api/auth/sign-in`)).headers.getSetCookie()).toEqual(cookies);
  });
});

describe("a plugin's path that executes", () => {
  const rule = '@auth(query: { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" }, add: { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" })';
  const schema = `${line}\n type User ${rule} { email: String! @id  made: DateTime @default(add: { value: "$now" }) }`;

  it("as the system passes the rules, with the hooks that make values; as a client it does not", async () => {
    const access = await startWithAccess();
    await stack?.kernel.deploy(schema);
    const add = "mutation ($email: String!) { addUser(input: [{ email: $email }]) { user { email made } } }";
    const added = await access.execute({ query: add, variables: { email: "ada" }, as: "system" });
    expect(added).toEqual({ data: { addUser: { user: [{ email: "ada", made: expect.any(String) }] } }, errors: [] });
    const query = "{ queryUser { email } }";
    expect(await access.execute({ query, as: "system" })).toMatchObject({ data: { queryUser: [{ email: "ada" }] } });
    expect(await access.execute({ query, as: "system", headers: { "x-harbour": "no token" } })).toMatchObject({
      data: { queryUser: [{ email: "ada" }] },
    });
    expect(await access.execute({ query })).toMatchObject({ data: { queryUser: [] } });
    expect(await access.execute({ query, as: "caller" })).toMatchObject({ data: { queryUser: [] } });
    expect(await access.execute({ query, headers: { "x-harbour": token({ ROLE: "ADMIN" }) } })).toMatchObject({
      data: { queryUser: [{ email: "ada" }] },
    });
  });

  it("in another language is refused, and not taken for GraphQL", async () => {
    const access = await startWithAccess();
    await stack?.kernel.deploy(schema);
    const asked = { query: "{ q(func: type(User)) { uid } }", language: "dql" };
    expect(await access.execute(asked)).toEqual({ data: undefined, errors: [{ message: "Paths of plugins ask in GraphQL, and not in dql." }] });
  });

  it("logs a transaction of its own that spends long outside the store, and lets nothing use it later", async () => {
    const entries: string[] = [];
    const access = await startWithAccess({ log: { level: "warn", to: { write: ({ message }) => void entries.push(message) } } });
    let late: unknown;
    await access.transact(async (transaction) => {
      late = transaction;
      await transaction.setMeta("service.a", 1);
      for (const until = performance.now() + 150; performance.now() < until; );
    });
    expect(entries).toEqual([expect.stringMatching(/^A transaction of the plugin "service" was open for \d+ ms outside the store\./)]);
    await access.transact(async (transaction) => await transaction.setMeta("service.a", 2));
    expect(entries).toHaveLength(1);
    expect(() => (late as { meta(name: string): unknown }).meta("service.a")).toThrow("The transaction is over");
  });
});
