// Deploying, checking and dropping over HTTP: answers, and who may.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdminConfig, ServerKernel } from "../../../../adapters/server/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../../support/kernel.ts";
import { ask, askJson, json, type Question } from "./ask.ts";

let stack: TemporaryKernel;
let kernel: ServerKernel;
async function restart(admin: AdminConfig = { open: "loopback" }): Promise<void> {
  await stack?.remove();
  stack = await compatibleKernel({ admin });
  kernel = stack.kernel;
}
beforeEach(() => restart());
afterEach(() => stack.remove());

const schema = "type Mill { name: String! @id  stones: Int }";
const done = { data: { code: "Success", message: "Done" } };
const deploy = (body: string | Uint8Array, more: Question = {}) => ask(kernel, { path: "/admin/schema", body, ...more });
const counter = async () =>
  (json(await ask(kernel, { method: "GET", path: "/probe/graphql" })) as { schemaUpdateCounter: number }).schemaUpdateCounter;
const names = async () => json(await askJson(kernel, { query: "{ queryMill { name } }" }));

describe("/admin/schema", () => {
  it.each([
    ["no content type", {}],
    ["octets", { headers: { "content-type": "application/octet-stream" } }],
    ["text", { headers: { "content-type": "text/plain" } }],
    ["PUT", { method: "PUT" }],
    ["an answer in gzip", { headers: { "accept-encoding": "gzip" } }],
  ])("deploys with %s, and counts", async (_what, more) => {
    expect(await counter()).toBe(0);
    expect((await deploy(schema, more)).status).toBe(200);
    expect(await counter()).toBe(1);
    expect(await names()).toMatchObject({ data: { queryMill: [] } });
  });

  it("accepts gzip, a byte-order mark and CRLF", async () => {
    expect(json(await deploy(gzipSync(schema), { headers: { "content-encoding": "gzip" } }))).toEqual(done);
    expect(json(await deploy(`\u{feff}${schema}`))).toEqual(done);
    expect(await counter()).toBe(1);
    expect(json(await deploy("type Mill {\r\n  name: String! @id\r\n  stones: Int\r\n}\r\n"))).toEqual(done);
  });

  it("does not count an unchanged or refused schema", async () => {
    await deploy(schema);
    await deploy(schema);
    await deploy("type Mill { name: Nope }");
    expect(await counter()).toBe(1);
    expect(await names()).toMatchObject({ data: { queryMill: [] } });
  });

  it("lists every error of a refused schema, one a line", async () => {
    const message = (reason: string) => ({
      errors: [{ message: `resolving updateGQLSchema failed because ${reason} (Locations: [{Line: 3, Column: 4}])`, extensions: { code: "Error" } }],
    });
    expect(json(await deploy(""))).toEqual(message("input: No schema specified"));
    expect(json(await deploy(" \n "))).toEqual(message("input: No query or mutation found in the generated schema"));
    expect(json(await deploy("type Mill { name: Nope }"))).toMatchObject(message("input:1: Undefined type Nope.\n"));
    const two = json(await deploy("type Mill { name: [[String]]\n stones: [Boolean] }")) as { errors: { message: string }[] };
    expect(two.errors[0]?.message).toMatch(/because input:1: .*\ninput:2: .*\n \(Locations/);
  });

  it("refuses wrong methods and encodings, and answers preflights", async () => {
    const invalid = { errors: [{ message: "Invalid method", extensions: { code: "ErrorInvalidMethod" } }] };
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const response = await deploy("", { method });
      expect(response.status).toBe(400);
      expect(json(response)).toEqual(invalid);
    }
    expect(json(await deploy(schema, { headers: { "content-encoding": "gzip" } }))).toMatchObject({
      errors: [{ message: "Unable to create decompressor", extensions: { code: "Error" } }],
    });
    expect(json(await deploy(schema, { headers: { "content-encoding": "br" } }))).toMatchObject({
      errors: [{ message: "Unsupported content encoding", extensions: { code: "ErrorInvalidRequest" } }],
    });
    expect(await deploy("", { method: "OPTIONS" })).toMatchObject({ status: 200, body: "" });
    expect(json(await deploy(new Uint8Array([0xff, 0xfe, 0x41])))).toMatchObject({ errors: [{ message: "The body is not UTF-8 text." }] });
    expect(await counter()).toBe(0);
  });
});

describe("/admin/schema/validate", () => {
  const validate = (body: string) => ask(kernel, { path: "/admin/schema/validate", body });

  it("reports a valid schema as an entry of `errors`, and deploys nothing", async () => {
    const response = await validate(schema);
    expect(response).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
    expect(json(response)).toEqual({ errors: [{ message: "Schema is valid", extensions: { code: "success" } }] });
    expect(await counter()).toBe(0);
  });

  it("returns one entry for each error", async () => {
    const response = await validate("type Mill { name: [[String]]\n stones: [Boolean] }");
    expect(response.status).toBe(400);
    expect(json(response)).toMatchObject({
      errors: [
        { message: expect.stringMatching(/^input:1: .*[^\n]$/), extensions: { code: "ErrorInvalidRequest" } },
        { message: expect.stringMatching(/^input:2: /) },
      ],
    });
    expect(await validate("")).toMatchObject({
      status: 400,
      body: '{"errors":[{"message":"input: No schema specified","extensions":{"code":"ErrorInvalidRequest"}}]}',
    });
  });
});

describe("/alter", () => {
  const alter = (body: string, more: Question = {}) => ask(kernel, { path: "/alter", body, ...more });
  beforeEach(async () => {
    await deploy(schema);
    await askJson(kernel, { query: 'mutation { addMill(input: [{ name: "Kent", stones: 2 }]) { numUids } }' });
  });

  it("drops the data and keeps the schema", async () => {
    expect(json(await alter('{"drop_op": "DATA"}'))).toEqual(done);
    expect(await names()).toMatchObject({ data: { queryMill: [] } });
    expect(await counter()).toBe(1);
  });

  it("drops everything and increments the counter", async () => {
    expect(json(await alter('{"drop_all": true}'))).toEqual(done);
    expect(await names()).toEqual({
      errors: [{ message: "Not resolving queryMill. There's no GraphQL schema in Dgraph. Use the /admin API to add a GraphQL schema" }],
    });
    expect(await counter()).toBe(2);
    expect(json(await deploy(schema))).toEqual(done);
    expect(await names()).toMatchObject({ data: { queryMill: [] } });
  });

  it("drops the values of one field", async () => {
    expect(json(await alter('{"drop_attr": "Mill.stones"}'))).toEqual(done);
    expect(json(await askJson(kernel, { query: "{ queryMill { name stones } }" }))).toMatchObject({
      data: { queryMill: [{ name: "Kent", stones: null }] },
    });
  });

  it("drops nothing for an invalid body", async () => {
    for (const body of [
      "",
      "{",
      "[]",
      "null",
      "{}",
      '{"drop": true}',
      '{"drop_all": false}',
      '{"drop_all": "true"}',
      '{"drop_op": "EVERYTHING"}',
      '{"drop_attr": ""}',
      "name: string .",
    ]) {
      const response = await alter(body);
      expect(response.status, body).toBe(200);
      expect(json(response), body).toMatchObject({ errors: [{ extensions: { code: "Error" } }] });
    }
    expect((await alter("", { method: "GET" })).status).toBe(400);
    expect(await names()).toMatchObject({ data: { queryMill: [{ name: "Kent" }] } });
  });

  it("is allowed only from this machine unless configured", async () => {
    const away = { from: "10.1.2.3", headers: { "x-service-authtoken": "desk-token-1" } };
    await restart({ token: "desk-token-1" });
    expect(json(await alter('{"drop_all": true}', away))).toMatchObject({ errors: [{ message: expect.stringContaining("admin.drop") }] });
    expect(json(await alter('{"drop_all": true}', { ...away, from: "127.0.0.1" }))).toEqual(done);
    await restart({ token: "desk-token-1", drop: true });
    expect(json(await alter('{"drop_all": true}', away))).toEqual(done);
    await restart({ open: "loopback", drop: false });
    expect(json(await alter('{"drop_all": true}', { from: "127.0.0.1" }))).toMatchObject({
      errors: [{ message: expect.stringContaining("admin.drop") }],
    });
  });
});

describe("administrators", () => {
  const token = "desk-token-1";
  const authorized = { "x-service-authtoken": token };
  const refused = (from: string) => ({
    errors: [{ message: `resolving updateGQLSchema failed because unauthorized ip address: ${from} (Locations: [{Line: 3, Column: 4}])` }],
  });

  it("need the token and an address on the list", async () => {
    await restart({ token, allow: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"] });
    for (const from of ["10.255.0.1", "::ffff:10.0.0.1", "2001:db8::5", "192.0.2.7", "127.0.0.1"])
      expect(json(await deploy(schema, { from, headers: authorized })), from).toEqual(done);
    for (const from of ["11.0.0.1", "2001:db9::5", "192.0.2.8", ""])
      expect(json(await deploy(schema, { from, headers: authorized })), from).toMatchObject(refused(from));
    const proxied = { ...authorized, "x-forwarded-for": "203.0.113.9" };
    expect(json(await deploy(schema, { headers: proxied }))).toMatchObject(refused("127.0.0.1"));
  });

  it("need the token", async () => {
    await restart({ token });
    const hint = expect.stringMatching(/X-Service-AuthToken.*admin-token.*--admin-open/);
    const wrong = { errors: [{ message: "Invalid X-Dgraph-AuthToken", extensions: { code: "ErrorUnauthorized", hint } }] };
    for (const headers of [
      {},
      { "x-dgraph-authtoken": "DESK-TOKEN-1" },
      { "x-dgraph-authtoken": "Bearer desk-token-1" },
      { "x-auth-token": token },
      { "x-service-authtoken": "other", "x-dgraph-authtoken": token },
    ]) {
      const response = await deploy(schema, { from: "127.0.0.1", headers: headers as Record<string, string> });
      expect(response.status).toBe(200);
      expect(json(response), JSON.stringify(headers)).toEqual(wrong);
    }
    expect(json(await deploy("", { method: "OPTIONS" }))).toEqual(wrong);
    for (const name of ["x-service-authtoken", "x-dgraph-authtoken"]) {
      expect(json(await deploy(schema, { from: "203.0.113.9", headers: { [name]: token } }))).toEqual(done);
    }
    expect(json(await ask(kernel, { path: "/alter", body: '{"drop_all": true}' }))).toMatchObject({
      errors: [{ message: "No Auth Token found. Token needed for Admin operations.", extensions: { code: "Error" } }],
    });
  });

  it("may use any of several tokens", async () => {
    await restart({ token: ["old", "new"] });
    for (const each of ["old", "new"]) expect(json(await deploy(schema, { headers: { "x-service-authtoken": each } }))).toEqual(done);
    for (const each of ["", "old,new", "oldnew"])
      expect(json(await deploy(schema, { headers: { "x-service-authtoken": each } }))).toHaveProperty("errors");
  });

  it("need the token for validation too, which can fetch remote URLs and reveal the schema", async () => {
    await restart({ token });
    const fetched: string[] = [];
    const keys = createServer((request, response) => {
      fetched.push(request.url ?? "");
      response.end('{"keys":[]}');
    });
    await new Promise<void>((resolve) => keys.listen(0, "127.0.0.1", resolve));
    const { port } = keys.address() as AddressInfo;
    const path = "/admin/schema/validate";
    const body = `${schema}\n# Service.Authorization {"Header":"X","Namespace":"n","JWKUrl":"http://127.0.0.1:${port}/inside","Audience":["a"]}`;
    expect(json(await ask(kernel, { path, body }))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
    expect(fetched).toEqual([]);
    expect((await ask(kernel, { path, body, headers: authorized })).status).toBe(200);
    expect(fetched).toEqual(["/inside"]);
    keys.close();
  });
});

describe("health", () => {
  it("reports that the server is up", async () => {
    const response = await ask(kernel, { method: "GET", path: "/health", headers: { "accept-encoding": "gzip" } });
    expect(response).toMatchObject({ status: 200, headers: { "content-type": "application/json", "access-control-allow-origin": "*" } });
    expect(json(response)).toEqual([
      expect.objectContaining({
        instance: "alpha",
        status: "healthy",
        group: "1",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        uptime: expect.any(Number),
        lastEcho: expect.any(Number),
        ongoing: [],
        indexing: [],
        max_assigned: expect.any(Number),
      }),
    ]);
    expect(json(await ask(kernel, { method: "GET", path: "/probe/graphql" }))).toEqual({ status: "up", schemaUpdateCounter: 0 });
  });

  it("reports that the server is not ready but alive", async () => {
    const closed = await compatibleKernel();
    await closed.remove();
    expect(await ask(closed.kernel, { method: "GET", path: "/health" })).toMatchObject({
      status: 503,
      body: "Please retry again, server is not ready to accept requests",
    });
    expect((await ask(closed.kernel, { method: "GET", path: "/health?live" })).status).toBe(200);
    expect((await ask(closed.kernel, { method: "GET", path: "/health?all" })).status).toBe(200);
    expect((await ask(closed.kernel, { method: "GET", path: "/probe/graphql" })).status).toBe(503);
    expect(json(await ask(closed.kernel, { path: "/admin/schema", body: schema }))).toMatchObject({
      errors: [{ message: expect.stringContaining("because Unavailable: Server not ready. (") }],
    });
  });

  it("is public for every address", async () => {
    for (const path of ["/health", "/probe/graphql"]) expect((await ask(kernel, { method: "GET", path, from: "203.0.113.9" })).status).toBe(200);
  });
});
