// The administration: GraphQL at /admin and the paths beside it. What each says, and who may ask.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EndpointConfig, KernelConfig, ServerKernel } from "../../../../adapters/server/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../../support/kernel.ts";
import { storageName } from "../../../support/storage.ts";
import { ask, askJson, json } from "./ask.ts";

let stack: TemporaryKernel;
let kernel: ServerKernel;
async function restart(config: Partial<KernelConfig & EndpointConfig> = {}): Promise<void> {
  await stack?.remove();
  stack = await compatibleKernel(config);
  kernel = stack.kernel;
}
beforeEach(() => restart());
afterEach(() => stack.remove());

const type = { "content-type": "application/json" };
const admin = async (query: string, more: { variables?: object; headers?: Record<string, string>; from?: string } = {}) => {
  const { variables, headers, ...rest } = more;
  const response = await ask(kernel, { path: "/admin", headers: { ...type, ...headers }, body: JSON.stringify({ query, variables }), ...rest });
  return json(response);
};
const graphql = async (query: string) => json(await askJson(kernel, { query }));
const get = (path: string, more: object = {}) => ask(kernel, { method: "GET", path, ...more });

const mill = "type Mill { name: String! @id  stones: Int }\n";

describe("getGQLSchema and updateGQLSchema", () => {
  const set = (text: string, alias = "") =>
    admin(`mutation ($s: String!) { ${alias}updateGQLSchema(input: {set: {schema: $s}}) { gqlSchema { schema } } }`, { variables: { s: text } });

  it("return null, the deployed schema, and an empty one after all was dropped", async () => {
    expect(await admin("{ getGQLSchema { id schema } }")).toEqual({ data: { getGQLSchema: null } });
    expect(await set(mill)).toMatchObject({ data: { updateGQLSchema: { gqlSchema: { schema: mill } } } });
    const before = (await admin("{ getGQLSchema { id schema generatedSchema } }")) as { data: { getGQLSchema: Record<string, string> } };
    expect(before.data.getGQLSchema.schema).toBe(mill);
    expect(before.data.getGQLSchema.generatedSchema).toContain("input AddMillInput");
    await kernel.erase({ kind: "all" });
    expect(await admin("{ getGQLSchema { id schema generatedSchema } }")).toEqual({
      data: { getGQLSchema: { id: before.data.getGQLSchema.id, schema: "", generatedSchema: "" } },
    });
  });

  it("report every error under the field's name, with its location and without a path", async () => {
    await set(mill);
    expect(await set("type Mill { name: Nope }", "up: ")).toMatchObject({
      errors: [{ message: "resolving updateGQLSchema failed because input:1: Undefined type Nope.\n", locations: [{ line: 1, column: 26 }] }],
      data: { up: null },
    });
    expect(await set("")).toMatchObject({ errors: [{ message: "resolving updateGQLSchema failed because input: No schema specified" }] });
    expect(await graphql("{ queryMill { name } }")).toMatchObject({ data: { queryMill: [] } });
  });

  it("run one after the other and stop at the first failure", async () => {
    const one = (alias: string, text: string) => `${alias}: updateGQLSchema(input: {set: {schema: "${text}"}}) { gqlSchema { schema } }`;
    const answer = await admin(`mutation { ${one("a", "type A { x: Int }")} ${one("b", "nonsense")} ${one("c", "type C { x: Int }")} }`);
    expect(answer).toMatchObject({
      errors: [
        { message: expect.stringContaining("resolving updateGQLSchema failed because input:1:") },
        { message: "Mutation c was not executed because of a previous error.", path: ["c"] },
      ],
      data: { a: { gqlSchema: { schema: "type A { x: Int }" } }, b: null },
    });
    expect(Object.keys((answer as { data: object }).data)).toEqual(["a", "b"]);
    expect(kernel.deployment?.document).toBe("type A { x: Int }");
  });

  it("run as a named operation with variables", async () => {
    await set(mill);
    const query = "query A { getGQLSchema { schema } } query B($no: Boolean!) { b: getGQLSchema { schema @skip(if: $no) __typename } }";
    const named = async (operationName: string | null) => {
      const body = JSON.stringify({ query, operationName, variables: { no: true } });
      return json(await ask(kernel, { path: "/admin", headers: type, body }));
    };
    expect(await named("B")).toEqual({ data: { b: { __typename: "GQLSchema" } } });
    expect(await named(null)).toMatchObject({ errors: [{ message: "Operation name must by supplied when query has more than 1 operation." }] });
  });
});

describe("the server's own fields", () => {
  it("report its health in whole seconds", async () => {
    expect(await admin("{ health { instance status group uptime lastEcho ongoing } }")).toMatchObject({
      data: { health: [{ instance: "alpha", status: "healthy", group: "1", uptime: expect.any(Number), ongoing: [] }] },
    });
  });

  it("report the state: one member, a tablet for each stored field, null for 0 and false", async () => {
    await kernel.deploy("type Mill { name: String! @id  weir: Weir @hasInverse(field: mills) }\ntype Weir { mills: [Mill]  note: String }");
    const answer = await admin("{ state { counter namespaces zeros { id } groups { id members { leader amDead } tablets { predicate remove } } } }");
    expect(answer).toEqual({
      data: {
        state: {
          counter: 1,
          namespaces: [0],
          zeros: [],
          groups: [
            {
              id: 1,
              members: [{ leader: true, amDead: null }],
              tablets: ["0-Mill.name", "0-Mill.weir", "0-Weir.mills", "0-Weir.note"].map((predicate) => ({ predicate, remove: null })),
            },
          ],
        },
      },
    });
    const state = json(await get("/state")) as { counter: string; groups: Record<string, { tablets: Record<string, object> }> };
    expect(state.counter).toBe("1");
    // A reader of protobuf's JSON form refuses members that the messages do not define.
    expect(Object.keys(state).sort()).toEqual(["cid", "counter", "groups", "maxNsID", "maxRaftId", "maxTxnTs", "maxUID", "removed", "zeros"]);
    expect(Object.keys(state.groups["1"]?.tablets["0-Mill.name"] ?? {}).sort()).toEqual([
      "force",
      "groupId",
      "moveTs",
      "onDiskBytes",
      "predicate",
      "readOnly",
      "remove",
      "uncompressedBytes",
    ]);
    expect(state.groups["1"]?.tablets).toMatchObject({ "0-Mill.name": { groupId: 1, predicate: "0-Mill.name", moveTs: "0" } });
  });

  it("change the size of the cache, where the storage has one", async () => {
    if (kernel.storage.cache === undefined) {
      expect(await admin("{ config { cacheMb } }")).toEqual({ data: { config: { cacheMb: 0 } } });
      expect(await admin("mutation { config(input: {cacheMb: 64}) { response { code } } }")).toMatchObject({
        errors: [{ message: `resolving config failed because the storage ${storageName} has no cache whose size could be changed` }],
      });
      expect((await ask(kernel, { method: "PUT", path: "/admin/config/cache_mb", body: "32" })).status).toBe(400);
      return;
    }
    expect(await admin("{ config { cacheMb } }")).toEqual({ data: { config: { cacheMb: 128 } } });
    expect(await admin("mutation { config(input: {cacheMb: 64.5}) { response { code message } } }")).toMatchObject({
      data: { config: { response: { code: "Success", message: "Config updated successfully" } } },
    });
    expect((await get("/admin/config/cache_mb")).body).toBe("64.5\n");
    expect(await ask(kernel, { method: "PUT", path: "/admin/config/cache_mb", body: "32" })).toMatchObject({ status: 200 });
    expect(await admin("{ config { cacheMb } }")).toEqual({ data: { config: { cacheMb: 32 } } });
    await kernel.deploy(mill);
    await graphql('mutation { addMill(input: [{name: "Grist"}]) { numUids } }');
    await graphql("{ queryMill { name } }");
    const { cacheBytes: held = 0 } = await kernel.storage.statistics();
    await ask(kernel, { method: "PUT", path: "/admin/config/cache_mb", body: "0" });
    expect((await kernel.storage.statistics()).cacheBytes).toBeLessThan(held);
    expect(await graphql("{ queryMill { name } }")).toMatchObject({ data: { queryMill: [{ name: "Grist" }] } });
    for (const body of ["", "-1", "much", "1e9"])
      expect((await ask(kernel, { method: "PUT", path: "/admin/config/cache_mb", body })).status, body).toBe(400);
    expect(await admin("mutation { config(input: {cacheMb: -1}) { response { code } } }")).toMatchObject({
      errors: [{ message: "resolving config failed because input.cacheMb must be non-negative" }],
    });
  });

  it("reserve each uid once", async () => {
    const take = async (num: number) =>
      (await admin(`mutation { assign(input: {what: UID, num: ${num}}) { response { startId endId } } }`)) as {
        data: { assign: { response: { startId: number; endId: number } } };
      };
    const first = (await take(10)).data.assign.response;
    const next = (await take(1)).data.assign.response;
    expect(first.endId - first.startId).toBe(9);
    expect(next.startId).toBeGreaterThan(first.endId);
    for (const input of ["{what: UID, num: 0}", "{what: UID, num: 1000001}", "{what: TIMESTAMP, num: 1}"])
      expect(await admin(`mutation { assign(input: ${input}) { response { startId } } }`)).toMatchObject({ data: { assign: null } });
  });

  it("refuse unknown tasks, formats without meaning, backups without a place, and users", async () => {
    const because = (field: string, reason: string) => ({
      errors: [{ message: `resolving ${field} failed because ${reason}` }],
      data: { [field]: null },
    });
    expect(await admin('{ task(input: {id: ""}) { status } }')).toMatchObject(because("task", "task ID is missing"));
    expect(await admin('{ task(input: {id: "0x12"}) { kind status } }')).toMatchObject(
      because("task", "this server knows no such task: it was not asked for here, or before the last start"),
    );
    expect(await admin('mutation { export(input: {format: "xml"}) { taskId } }')).toMatchObject(because("export", "invalid export format: xml"));
    expect(await admin('mutation { backup(input: {destination: ""}) { taskId } }')).toMatchObject(
      because("backup", "you must specify a 'destination' value"),
    );
    expect(await admin("mutation { login { response { accessJWT } } }")).toMatchObject(because("login", "invalid username or password"));
    expect(await admin("mutation { deleteNamespace(input: {namespaceId: 1}) { message } }")).toMatchObject(
      because("deleteNamespace", "Enable ACL to use this mutation"),
    );
    expect(await admin('{ queryUser { name } queryGroup { name } getUser(name: "x") { name } }')).toEqual({
      data: { queryUser: [], queryGroup: [], getUser: null },
    });
    expect(await ask(kernel, { method: "GET", path: "/login" })).toMatchObject({ status: 400 });
    expect(json(await ask(kernel, { path: "/login", headers: type, body: '{"userid":"groot","password":"password"}' }))).toEqual({
      errors: [{ message: "invalid username or password", extensions: { code: "ErrorInvalidRequest" } }],
      data: null,
    });
  });
});

describe("draining", () => {
  const reason =
    "the server is in draining mode and client requests will only be allowed after exiting the mode  by sending a GraphQL draining(enable: false) mutation to /admin";

  it("refuses every root field of /graphql, and nothing else", async () => {
    await kernel.deploy(mill);
    expect(await admin("mutation { draining(enable: true) { response { code message } } }")).toMatchObject({
      data: { draining: { response: { code: "Success", message: "draining mode has been set to true" } } },
    });
    expect(await graphql("{ a: queryMill { name } b: aggregateMill { count } __typename }")).toEqual({
      errors: ["a", "b"].map((key) => ({ message: `Dgraph query failed because Dgraph execution failed because ${reason}`, path: [key] })),
      data: { a: null, b: null, __typename: "Query" },
    });
    expect(await graphql('mutation { x: addMill(input: [{name: "a"}]) { numUids } y: deleteMill(filter: {}) { msg } }')).toMatchObject({
      errors: [
        { message: `mutation addMill failed because Dgraph execution failed because ${reason}`, locations: [{ line: 1, column: 12 }], path: ["x"] },
        { message: "Mutation y was not executed because of a previous error.", path: ["y"] },
      ],
      data: { x: null },
    });
    expect(await admin("{ getGQLSchema { schema } }")).toMatchObject({ data: { getGQLSchema: { schema: mill } } });
    expect(await get("/health")).toMatchObject({ status: 503, body: reason });
    expect((await get("/health?live")).status).toBe(200);
    expect((await get("/probe/graphql")).status).toBe(200);

    await admin("mutation { draining(enable: false) { response { code } } }");
    expect(await graphql("{ queryMill { name } }")).toMatchObject({ data: { queryMill: [] } });
    expect((await get("/health")).status).toBe(200);
  });

  it("is also switched by a path, by POST or PUT only", async () => {
    const to = (enable: string, method = "POST") => ask(kernel, { method, path: `/admin/draining?enable=${enable}` });
    expect(json(await to("true"))).toEqual({ code: "Success", message: "draining mode has been set to true" });
    expect(json(await to("0", "PUT"))).toEqual({ code: "Success", message: "draining mode has been set to false" });
    const invalid = { errors: [{ message: "Found invalid value for the enable parameter", extensions: { code: "ErrorInvalidRequest" } }] };
    for (const enable of ["", "yes", "2", "null"]) expect(json(await to(enable))).toEqual(invalid);
    expect(await to("true", "GET")).toMatchObject({ status: 405 });
    expect(kernel.draining).toBe(false);
  });
});

describe("shutdown", () => {
  it("notifies the listener after the answer", async () => {
    let asked = 0;
    kernel.onShutdown(() => asked++);
    expect(await admin("mutation { shutdown { response { code message } } }")).toMatchObject({
      data: { shutdown: { response: { code: "Success", message: "Server is shutting down" } } },
    });
    expect(json(await get("/admin/shutdown"))).toEqual({ code: "Success", message: "Server is shutting down" });
    await new Promise(setImmediate);
    expect(asked).toBe(2);
  });

  it("is refused without a listener", async () => {
    expect(await admin("mutation { shutdown { response { code } } }")).toMatchObject({
      errors: [{ message: "resolving shutdown failed because this server runs inside an application, which alone can stop it" }],
    });
  });
});

describe("authorization", () => {
  const version = "{ __typename getGQLSchema { schema } }";

  it("reports a wrong method before a wrong token, for each path", async () => {
    await restart({ admin: { token: "stone" } });
    const hint = expect.stringContaining("X-Service-AuthToken");
    const wrong = { errors: [{ message: "Invalid X-Dgraph-AuthToken", extensions: { code: "ErrorUnauthorized", hint } }] };
    for (const headers of [{}, { "x-dgraph-authtoken": "stones" }]) {
      expect(await admin("{ __typename }", { headers })).toEqual(wrong);
      for (const path of ["/admin?query={__typename}", "/admin/shutdown", "/admin/config/cache_mb", "/admin/nothing"])
        expect(json(await get(path, { headers })), path).toEqual(wrong);
      expect((await ask(kernel, { method: "PUT", path: "/admin", headers })).status).toBe(405);
      for (const path of ["/admin", "/admin/draining", "/admin/schema"])
        expect(json(await ask(kernel, { method: "OPTIONS", path, headers })), path).toEqual(wrong);
      expect((await get("/admin/draining?enable=true", { headers })).status).toBe(405);
    }
    expect(await admin("{ __typename }", { headers: { "x-service-authtoken": "stone" } })).toEqual({ data: { __typename: "Query" } });
    expect(json(await ask(kernel, { path: "/login" }))).toMatchObject({
      errors: [{ message: "No Auth Token found. Token needed for Admin operations." }],
    });
    expect(json(await ask(kernel, { path: "/login", headers: { "x-dgraph-authtoken": "no" } }))).toMatchObject({
      errors: [{ message: "Provided auth token does not match. Permission denied." }],
    });
  });

  it("reports for each field that the address is not on the list", async () => {
    await restart({ admin: { token: "stone", allow: ["198.51.100.1"] } });
    const problem = "unauthorized ip address: 192.0.2.7";
    const away = { from: "192.0.2.7", headers: { "x-service-authtoken": "stone" } };
    expect(await admin(version, away)).toEqual({
      errors: [{ message: `resolving getGQLSchema failed because ${problem}`, locations: [{ line: 1, column: 14 }] }],
      data: { __typename: "Query", getGQLSchema: null },
    });
    expect(json(await get("/admin/shutdown", away))).toMatchObject({
      errors: [{ message: `resolving shutdown failed because ${problem}` }],
    });
    expect(json(await ask(kernel, { path: "/admin/draining?enable=1", ...away }))).toMatchObject({
      errors: [{ extensions: { code: "Error" } }],
    });
    expect(kernel.draining).toBe(false);
    expect(json(await get("/admin/config/cache_mb", away))).toMatchObject({
      errors: [{ message: expect.stringContaining(problem) }],
    });
    expect(await admin(version, { ...away, from: "127.0.0.1" })).toEqual({ data: { __typename: "Query", getGQLSchema: null } });
  });
});

describe("invalid requests", () => {
  it.each([
    ["{ queryMill { name } }", "Cannot query field"],
    ["{ health {", "Syntax Error"],
    ["  # nothing", "Supplied operation name  isn't present in the request."],
    ["", "no query string supplied in request"],
    ["mutation { updateGQLSchema(input: {set: {}}) { gqlSchema { id } } }", 'Field "GQLSchemaPatch.schema" of required type "String!"'],
    ["query ($n: String!) { getUser(name: $n) { name } }", 'Variable "$n" of required type "String!" was not provided.'],
    ["subscription { health { status } }", "Not resolving subscription"],
  ])("get an error and no data: %s", async (query, message) => {
    const answer = (await admin(query)) as { errors: { message: string }[]; data?: unknown };
    expect(answer.errors[0]?.message).toContain(message);
    expect(answer.data).toBeUndefined();
  });
});
