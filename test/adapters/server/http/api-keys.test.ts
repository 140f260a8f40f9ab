import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { EndpointConfig, KernelConfig } from "../../../../adapters/server/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, askJson, json } from "./ask.ts";

const hash = (key: string) => createHash("sha256").update(key).digest("hex");
const apiKeys = [
  { name: "deploy robot", kind: "admin", hash: hash("robot-key") },
  { name: "shop", kind: "client", hash: hash("shop-key") },
] as const;
const unauthorized = { errors: [{ message: "Invalid X-Auth-Token", extensions: { code: "ErrorUnauthorized" } }] };

let open: TemporaryKernel | undefined;
afterEach(async () => {
  await open?.remove();
  open = undefined;
});

async function shop(config: Partial<KernelConfig & EndpointConfig>) {
  open = await temporaryKernel(config);
  const { kernel } = open;
  await kernel.deploy('type Boat { name: String! @id }\n# Service.Allow-Origin "https://shop.example"\n');
  return { kernel, query: (headers: Readonly<Record<string, string>>) => askJson(kernel, { query: "{ queryBoat { name } }" }, headers) };
}

describe("without anonymous access", () => {
  it.each(["robot-key", "shop-key"])("a request with the known key %s is answered", async (key) => {
    const { query } = await shop({ apiKeys, anonymousAccess: false });
    expect(json(await query({ "x-auth-token": key }))).toEqual({ data: { queryBoat: [] } });
  });

  it.each([
    [{}],
    [{ "x-auth-token": "" }],
    [{ "x-auth-token": "shop-key2" }],
    [{ "x-auth-token": "SHOP-KEY" }],
    [{ "x-auth-token": hash("shop-key") }],
  ])("a request with %j is refused, and its body is not looked at", async (headers) => {
    const { kernel, query } = await shop({ apiKeys, anonymousAccess: false });
    const answer = await query(headers);
    expect(answer.status).toBe(401);
    expect(json(answer)).toEqual(unauthorized);
    expect((await ask(kernel, { headers, body: "no JSON" })).status).toBe(401);
  });

  it("refuses every request when no key is configured", async () => {
    const { query } = await shop({ anonymousAccess: false });
    expect((await query({ "x-auth-token": "" })).status).toBe(401);
  });

  it("answers preflights, and lets browsers read the refusal", async () => {
    const { kernel, query } = await shop({ apiKeys, anonymousAccess: false });
    expect((await ask(kernel, { method: "OPTIONS", headers: { origin: "https://shop.example" } })).status).toBe(200);
    expect((await query({ origin: "https://shop.example" })).headers).toMatchObject({ "access-control-allow-origin": "https://shop.example" });
  });

  it("health is public", async () => {
    const { kernel } = await shop({ apiKeys, anonymousAccess: false });
    expect((await ask(kernel, { method: "GET", path: "/health" })).status).toBe(200);
  });
});

describe("with anonymous access", () => {
  it("ignores an unknown key", async () => {
    const { query } = await shop({ apiKeys });
    expect(json(await query({ "x-auth-token": "whatever" }))).toEqual({ data: { queryBoat: [] } });
  });
});

describe("the administration", () => {
  const deploy = async (headers: Readonly<Record<string, string>>) => {
    const { kernel } = await shop({ apiKeys, admin: { token: "desk" } });
    return json(await ask(kernel, { path: "/admin/schema", headers, body: "type Raft { name: String! @id }" }));
  };
  const done = { data: { code: "Success", message: "Done" } };
  const hint = expect.stringContaining("X-Service-AuthToken");
  const refused = { errors: [{ message: "Invalid X-Dgraph-AuthToken", extensions: { code: "ErrorUnauthorized", hint } }] };

  it.each([
    [{ "x-service-authtoken": "desk" }, done],
    [{ "x-dgraph-authtoken": "desk" }, done],
    [{ "x-auth-token": "robot-key" }, done],
    [{ "x-auth-token": "shop-key" }, refused],
    [{ "x-auth-token": "desk" }, refused],
    [{ "x-service-authtoken": "robot-key" }, refused],
    [{ "x-service-authtoken": "wrong", "x-dgraph-authtoken": "desk" }, refused],
    [{}, refused],
  ])("admits the admin token and an admin key alone: %j", async (headers, answer) => expect(await deploy(headers)).toEqual(answer));

  it("requires the token on every path", async () => {
    const { kernel } = await shop({ admin: { token: "desk" } });
    for (const path of ["/admin", "/admin/schema", "/admin/anything", "/admin/"]) expect(json(await ask(kernel, { path })), path).toEqual(refused);
  });
});

describe("the list of addresses", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1", true],
    ["10.0.0.1", "10.0.0.10", false],
    ["10.0.0.0/30", "10.0.0.3", true],
    ["10.0.0.0/30", "10.0.0.4", false],
    ["10.0.0.2:10.0.0.9", "10.0.0.2", true],
    ["10.0.0.2:10.0.0.9", "10.0.0.9", true],
    ["10.0.0.2:10.0.0.9", "10.0.0.10", false],
    ["10.0.0.2:10.0.0.9", "::ffff:10.0.0.5", true],
    ["[2001:db8::1]:[2001:db8::ff]", "2001:db8::80", true],
    ["[2001:db8::1]:[2001:db8::ff]", "2001:db8::100", false],
    ["nobody.invalid", "10.0.0.1", false],
    ["10.0.0.1", "127.0.0.1", true],
  ])("%s lets %s in: %s", async (entry, from, isIn) => {
    const { kernel } = await shop({ admin: { allow: [entry], token: "desk" } });
    const headers = { "x-service-authtoken": "desk" };
    const answer = json(await ask(kernel, { path: "/admin/schema", headers, body: "type Raft { name: String! @id }", from }));
    expect("data" in Object(answer)).toBe(isIn);
  });
});
