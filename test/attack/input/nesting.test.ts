// Nesting beyond every stack, wherever something nests: refused in plain words, never a fault of the server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEntry } from "../../../core/index.ts";
import type { HttpResponse } from "../../../core/plugin.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { leak } from "./lines.ts";

const faults: LogEntry[] = [];
let stack: TemporaryKernel;
beforeAll(async () => {
  stack = await temporaryKernel({ log: { level: "error", to: { write: (entry) => void faults.push(entry) } } });
  await stack.kernel.deploy("type Mill { name: String! @id  stones: Int @search  near: [Mill]  twin: Mill }");
});
afterAll(() => stack.remove());

async function ask(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): Promise<HttpResponse> {
  return await stack.kernel.http({
    method: "POST",
    url: path,
    headers: { host: "localhost", ...headers },
    body: Buffer.from(body),
    remoteAddress: "127.0.0.1",
  });
}

const around = (open: string, middle: string, close: string) => (depth: number) => open.repeat(depth) + middle + close.repeat(depth);
const query = (text: (depth: number) => string) => (depth: number) => JSON.stringify({ query: text(depth) });
const variable = (declared: string, use: string, value: (depth: number) => string) => (depth: number) =>
  `{"query":"query ($v: ${declared}) { ${use} { name } }","variables":{"v":${value(depth)}}}`;

const not = around('{"not":', '{"stones":{"eq":1}}', "}");
const nested: readonly (readonly [what: string, path: string, body: (depth: number) => string])[] = [
  ["selections", "/graphql", query(around("{ queryMill ", "{ name }", "}"))],
  ["selections of what is there", "/graphql", query((depth) => `{ queryMill ${around("{ near ", "{ name }", "}")(depth)} }`)],
  ["selections that never close", "/graphql", query((depth) => "{ queryMill ".repeat(depth))],
  ["inline fragments", "/graphql", query((depth) => `{ queryMill { ${around("... { ", "name", " }")(depth)} } }`)],
  ["a filter", "/graphql", query((depth) => `{ queryMill(filter: ${around("{not: ", "{stones: {eq: 1}}", "}")(depth)}) { name } }`)],
  ["an order", "/graphql", query((depth) => `{ queryMill(order: ${around("{then: ", "{asc: name}", "}")(depth)}) { name } }`)],
  ["lists", "/graphql", query((depth) => `{ queryMill(filter: {and: ${around("[", "", "]")(depth)}}) { name } }`)],
  ["types of variables", "/graphql", query((depth) => `query ($v: ${around("[", "Int", "]")(depth)}) { queryMill { name } }`)],
  ["a filter in variables", "/graphql", variable("MillFilter", "queryMill(filter: $v)", not)],
  ["lists in variables", "/graphql", variable("[MillFilter]", "queryMill(filter: {and: $v})", around("[", "", "]"))],
  ["variables nobody declared", "/graphql", (depth) => `{"query":"{ queryMill { name } }","variables":{"x":${around("[", "", "]")(depth)}}}`],
  [
    "JSON with a long integer",
    "/graphql",
    (depth) => `{"query":"{ queryMill { name } }","variables":{"x":${around("[", "12345678901234567", "]")(depth)}}}`,
  ],
  ["extensions", "/graphql", (depth) => `{"query":"{ queryMill { name } }","extensions":${around('{"a":', "1", "}")(depth)}}`],
  [
    "a mutation",
    "/graphql",
    query((depth) => `mutation { addMill(input: [${around('{name: "a", twin: ', '{name: "b"}', "}")(depth)}]) { numUids } }`),
  ],
  ["selections of the administration", "/admin", query(around("{ health ", "{ status }", "}"))],
  [
    "values of the administration",
    "/admin",
    query((depth) => `mutation { updateGQLSchema(input: ${around("{set: ", "1", "}")(depth)}) { gqlSchema { id } } }`),
  ],
  ["variables of the administration", "/admin", (depth) => `{"query":"{ health { status } }","variables":{"x":${around("[", "", "]")(depth)}}}`],
  ["lists in a schema", "/admin/schema/validate", (depth) => `type T { f: ${around("[", "Int", "]")(depth)} }`],
  ["values in a schema", "/admin/schema/validate", (depth) => `type T @auth(query: ${around("{not: ", '{rule: "x"}', "}")(depth)}) { f: Int }`],
  [
    "settings in a schema",
    "/admin/schema/validate",
    (depth) => `type T { f: Int }\n# Dgraph.Authorization ${around('{"Audience":', "1", "}")(depth)}`,
  ],
  [
    "a rule in a schema",
    "/admin/schema/validate",
    (depth) => `type T @auth(query: {rule: "${around("{ queryT ", "{ f }", "}")(depth)}"}) { f: Int }`,
  ],
  ["interfaces of a schema that is deployed", "/admin/schema", (depth) => `type T { f: ${around("[", "Int", "]")(depth)} }`],
  ["a drop", "/alter", around('{"drop_op":', "1", "}")],
];

describe.each([1_500, 6_000, 100_000])("%i levels", (depth) => {
  it.each(nested)("of %s are answered without a fault", async (_what, path, body) => {
    const { status, body: answer } = await ask(path, body(depth));
    expect(faults.splice(0)).toEqual([]);
    expect(status).toBeLessThan(500);
    expect(String(answer)).not.toMatch(leak);
    expect(String((await ask("/graphql", '{"query":"{ aggregateMill { count } }"}')).body)).toMatch(/^\{"data":\{"aggregateMill":\{"count":\d+\}\}/);
  });
});
