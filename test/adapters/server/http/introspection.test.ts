// `introspection: false`: strangers learn no name of the schema by asking for it, nor from errors.

import { afterEach, describe, expect, it } from "vitest";
import { digest } from "../../../../adapters/server/access/digest.ts";
import type { KernelConfig } from "../../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { open } from "../socket/line.ts";
import { ask, askJson, json, refusals } from "./ask.ts";

let stack: TemporaryKernel;
afterEach(() => stack.remove());

async function serving(config: Partial<KernelConfig>): Promise<void> {
  stack = await temporaryKernel(config);
  await stack.kernel.deploy("enum Rig { sloop ketch } type Boat @withSubscription { name: String! @id  rigging: Rig }");
}

const apiKeys = [
  { name: "a", kind: "admin", hash: digest("admin-key").toString("hex") },
  { name: "c", kind: "client", hash: digest("client-key").toString("hex") },
] as const;
const off = { introspection: false, admin: { token: "desk", open: "loopback" }, apiKeys } as const;
const post = (query: string, headers: Readonly<Record<string, string>> = {}) => askJson(stack.kernel, { query }, headers);

const questions = [
  "{ __schema { types { name } } }",
  '{ __type(name: "Boat") { name } }',
  "{ typename: __schema { queryType { name } } }",
  "query { ...Hidden } fragment Hidden on Query { x: __schema { types { name } } }",
  '{ ... on Query { __typename __type(name: "Boat") { fields { name } } } }',
  "{ queryBoat { name } __schema @skip(if: true) { types { name } } }",
  "query A { queryBoat { name } } query B { __schema { types { name } } }",
];

describe("introspection: false", () => {
  it.each(questions)("refuses %s with a hint", async (query) => {
    await serving(off);
    expect(refusals(await post(query))).toEqual([expect.stringMatching(/^Introspection is switched off .* X-Service-AuthToken/)]);
    expect(refusals(await post(query, { "x-auth-token": "client-key" }))).toHaveLength(1);
    expect(String((await stack.kernel.execute({ query })).body)).not.toContain("Boat");
  });

  it("answers __typename", async () => {
    await serving(off);
    expect(json(await post("{ __typename queryBoat { __typename name } }"))).toMatchObject({ data: { __typename: "Query", queryBoat: [] } });
  });

  it("suggests no names", async () => {
    await serving(off);
    const slips = [
      "{ queryBoats { name } }",
      "{ queryBoat { nam } }",
      "{ queryBoat { ... on Boats { name } } }",
      "{ queryBoat(filte: {}) { name } }",
      "{ queryBoat(filter: { nam: {} }) { name } }",
      'mutation { addBoat(input: [{ name: "x", rigging: slop }]) { numUids } }',
      "{ queryBoat }",
    ];
    for (const slip of slips) {
      expect(refusals(await post(slip)).join("\n"), slip).not.toMatch(/Did you mean|sloop/);
      expect(refusals(await post(slip, { "x-service-authtoken": "desk" })).join("\n"), slip).toContain("Did you mean");
    }
    const variables = { boats: [{ name: "x", riging: "sloop" }] };
    const add = { query: "mutation ($boats: [AddBoatInput!]!) { addBoat(input: $boats) { numUids } }", variables };
    expect(refusals(await askJson(stack.kernel, add)).join("\n")).not.toContain("rigging");
  });

  it("allows callers with the admin token or an admin key", async () => {
    await serving(off);
    const introspected = { data: { __type: { name: "Boat" } } };
    const query = '{ __type(name: "Boat") { name } }';
    for (const headers of [{ "x-service-authtoken": "desk" }, { "x-dgraph-authtoken": "desk" }, { "x-auth-token": "admin-key" }]) {
      expect(json(await post(query, headers))).toEqual(introspected);
      expect(refusals(await post(query))).toHaveLength(1);
      expect(refusals(await post(query, { "x-service-authtoken": "wrong" }))).toHaveLength(1);
    }
    const byGet = { method: "GET", path: `/graphql?query=${encodeURIComponent(query)}` };
    expect(refusals(await ask(stack.kernel, byGet))).toHaveLength(1);
  });

  it("applies to WebSockets, with the token in connection_init", async () => {
    await serving(off);
    const asked = async (payload: object) => {
      const line = await open(stack.kernel, { protocols: "graphql-transport-ws" });
      line.say({ type: "connection_init", payload });
      line.say({ type: "subscribe", id: "1", payload: { query: '{ __type(name: "Boat") { name } }' } });
      return (await line.hear(2))[1];
    };
    expect(await asked({})).toMatchObject({ type: "error" });
    expect(await asked({ host: "localhost", origin: "http://localhost" })).toMatchObject({ type: "error" });
    expect(await asked({ "X-Service-AuthToken": "desk" })).toMatchObject({ type: "next", payload: { data: { __type: { name: "Boat" } } } });
  });

  it("is explained by GraphiQL in place of the documentation", async () => {
    await serving(off);
    const page = await ask(stack.kernel, { method: "GET", headers: { accept: "text/html" } });
    expect(String(page.body)).toContain('data-introspection="off"');
  });
});

it("allows introspection by default, with suggestions", async () => {
  await serving({});
  expect(json(await post('{ __type(name: "Boat") { name } }'))).toEqual({ data: { __type: { name: "Boat" } } });
  expect(refusals(await post("{ queryBoat { nam } }"))[0]).toContain('Did you mean "name"?');
  const page = await ask(stack.kernel, { method: "GET", headers: { accept: "text/html" } });
  expect(String(page.body)).toContain('data-introspection="on"');
});
