// `/query`: content types, variables, GET, refusals, and who may ask.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpRequest } from "../../../core/plugin.ts";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack("type Hive { label: String! @id  honey: Float @search  frames: Int64 }");
  await dql.run('mutation { addHive(input: [{ label: "North", honey: 3.5, frames: "9007199254740993" }, { label: "East" }]) { numUids } }');
});
afterAll(() => dql?.stack.remove());

async function send(request: Partial<HttpRequest> & { readonly text?: string; readonly type?: string }) {
  const { text = "", type, headers = {}, ...rest } = request;
  const response = await dql.stack.kernel.http({
    method: "POST",
    url: "/query",
    remoteAddress: "127.0.0.1",
    ...rest,
    headers: { host: "localhost", ...(type && { "content-type": type }), ...headers },
    body: Buffer.from(text),
  });
  return { status: response.status, body: String(response.body) };
}

const text = "{ q(func: type(Hive)) { Hive.label } }";
const data = { q: [{ "Hive.label": "North" }, { "Hive.label": "East" }] };

describe("POST /query", () => {
  it.each(["application/dql", "application/dql; charset=utf-8", "application/graphql+-"])("takes a text as %s", async (type) => {
    expect(JSON.parse((await send({ text, type })).body).data).toEqual(data);
  });

  it("takes query and variables as application/json, and treats a null variable as absent", async () => {
    const query = 'query q($l: string = "East") { q(func: eq(Hive.label, $l)) { Hive.label } }';
    const ask = async (variables: unknown) => JSON.parse((await send({ text: JSON.stringify({ query, variables }), type: "application/json" })).body);
    expect((await ask({ $l: "North" })).data).toEqual({ q: [{ "Hive.label": "North" }] });
    expect((await ask({ $l: null })).data).toEqual({ q: [{ "Hive.label": "East" }] });
  });

  it.each([
    ["a number as a variable", "application/json", JSON.stringify({ query: text, variables: { $l: 5 } })],
    ["a body that is no object", "application/json", "[1]"],
    ["half a body", "application/json", '{"query": "'],
    ["another content type", "text/plain", text],
    ["an empty text", "application/dql", "  "],
    ["a mistake", "application/dql", "{ q(func: nonsense(Hive)) { uid } }"],
  ])("refuses %s with status 200 and the code of Dgraph", async (_what, type, body) => {
    const response = await send({ text: body, type });
    const answer = JSON.parse(response.body);
    expect(response.status).toBe(200);
    expect(answer.data).toBeNull();
    expect(answer.errors).toEqual([{ message: expect.any(String), extensions: { code: "ErrorInvalidRequest" } }]);
  });

  it("keeps the digits of large integers", async () => {
    const { body } = await send({ text: "{ q(func: has(Hive.frames)) { Hive.frames } }", type: "application/dql" });
    expect(body).toContain('"Hive.frames":9007199254740993');
  });

  it("refuses a caller from elsewhere without a token", async () => {
    const response = await send({ text, type: "application/dql", remoteAddress: "10.1.2.3" });
    expect(response.body).not.toContain("North");
  });
});

describe("GET /query", () => {
  it("answers the text in its address", async () => {
    const response = await send({ method: "GET", url: `/query?query=${encodeURIComponent(text)}` });
    expect(JSON.parse(response.body).data).toEqual(data);
  });
});
