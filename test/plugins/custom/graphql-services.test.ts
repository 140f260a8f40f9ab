// Remote GraphQL services: what a batch sends to them, and what a deploy wants to know of their schemas.

import { buildSchema, introspectionFromSchema } from "graphql";
import { afterEach, describe, expect, it } from "vitest";
import { QuernError } from "../../../core/index.ts";
import { type CustomOptions, customPlugin } from "../../../plugins/custom/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { type Answer, json, type Remote, remote } from "./remote.ts";

const open: { remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.remove();
});

async function service(answer: Answer): Promise<Remote> {
  const started = await remote(answer);
  open.push({ remove: () => started.close() });
  return started;
}

async function start(options: CustomOptions = {}): Promise<TemporaryKernel> {
  const stack = await temporaryKernel({ plugins: [identityPlugin(), customPlugin(options)] });
  open.unshift(stack);
  return stack;
}

/** `line:column message` of each error of a deploy; empty when it is accepted. */
async function refusals(schema: string, options: CustomOptions = {}): Promise<readonly string[]> {
  const { kernel } = await start(options);
  try {
    await kernel.deploy(schema);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    expect(thrown.code).toBe("SCHEMA_INVALID");
    return thrown.errors.map(({ message, locations = [] }) => `${locations.map(({ line, column }) => `${line}:${column}`).join(" ")} ${message}`);
  }
}

const inside = "inside graphql in @custom directive,";
const batchText = "for BATCH mode, query `names` can have only one argument whose value should be a variable.";

describe("a BATCH of remote GraphQL", () => {
  /** Answers each element with the JSON that it got. */
  const echo: Answer = (_request, response, body) => {
    const { variables } = JSON.parse(body) as { readonly variables: { readonly in: readonly unknown[] } };
    response.end(JSON.stringify({ data: { names: variables.in.map((each) => JSON.stringify(each)) } }));
  };
  const field = (url: string, body: string, rest = 'graphql: "query($in: [In]) { names(in: $in) }", skipIntrospection: true') =>
    `type Hive { id: ID!  code: String! @id  years: Int  tags: [String]  in: String
      name: String @custom(http: { url: "${url}", method: POST, mode: BATCH, body: "${body}", ${rest} }) }`;
  const fill = 'mutation { addHive(input: [{ code: "a", years: 1, tags: ["x"], in: "i" }, { code: "b" }]) { numUids } }';

  async function sent(body: string): Promise<readonly unknown[]> {
    const { url } = await service(echo);
    const { kernel } = await start();
    await kernel.deploy(field(url, body));
    await kernel.execute({ query: fill });
    const { data } = JSON.parse((await kernel.execute({ query: "{ queryHive { name } }" })).body);
    return data.queryHive.map(({ name }: { readonly name: string }) => JSON.parse(name));
  }

  it.each([
    ["{ code: $code, years: $years }"],
    ["{ key: $code, age: $years }"],
    ["{ years: $code, code: $years }"],
    ['{ code: $code, deep: { of: [$years, 7] }, fixed: true, word: WAX, text: \\"t\\" }'],
    ["[$code, $years]"],
  ])("sends the fields that %s uses, under their own names, without absent values", async (body) => {
    expect(await sent(body)).toEqual([{ code: "a", years: 1 }, { code: "b" }]);
  });

  it("sends no field that has the name of the operation's variable, unless the body uses it", async () => {
    expect(await sent("{ code: $code }")).toEqual([{ code: "a" }, { code: "b" }]);
    expect(await sent("{ c: $code, i: $in, t: $tags }")).toEqual([{ code: "a", in: "i", tags: ["x"] }, { code: "b" }]);
  });

  it("is another thing than a BATCH without an operation, which sends its template", async () => {
    const { url, received } = await service(json(["1", "2"]));
    const { kernel } = await start();
    await kernel.deploy(field(url, "{ key: $code, age: $years, fixed: 7 }", ""));
    await kernel.execute({ query: fill });
    await kernel.execute({ query: "{ queryHive { name } }" });
    expect(received).toEqual(['POST / [{"key":"a","age":1,"fixed":7},{"key":"b","fixed":7}]']);
  });

  it.each([
    ["{ code: $code, years: $years }", 0],
    ["{ key: $code }", 1],
    ["{ code: $code, fixed: 7 }", 1],
  ])("deploys with %s, and says once when other keys and literals are lost: %i", async (body, count) => {
    const { kernel } = await start();
    const warnings: string[] = [];
    await kernel.deploy(field("http://127.0.0.1:9", body), { onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual(count === 0 ? [] : [expect.stringContaining("Type Hive; Field name; keys and literals of body are not sent")]);
  });

  it("is refused without an argument, with or without a look at the remote schema", async () => {
    const without = (url: string, rest = "") => field(url, "{ code: $code }", `graphql: "query($in: [In]) { names }"${rest}`);
    const { url } = await service(json({ data: { __schema: introspected("type Query { names(in: [In]): [String] } input In { code: String }") } }));
    for (const rest of [", skipIntrospection: true", ""]) {
      const [error = "", ...more] = await refusals(without(url, rest));
      expect(more).toEqual([]);
      expect(error.replace(/^2:\d+/u, "at")).toBe(`at Type Hive; Field name: ${inside} ${batchText}`);
    }
    expect(await refusals(field(url, "{ code: $code }", 'graphql: "query($in: [In]) { names(in: $in) }"'))).toEqual([]);
  });
});

function introspected(sdl: string): unknown {
  return introspectionFromSchema(buildSchema(sdl)).__schema;
}

describe("the schema of a remote service", () => {
  const object = (name: string, fields: Readonly<Record<string, string>>) => ({
    kind: "OBJECT",
    name,
    fields: Object.entries(fields).map(([field, type]) => ({ name: field, args: [], type: { kind: "OBJECT", name: type } })),
  });
  const deployed = async (types: readonly unknown[], schema: string) => {
    const { url } = await service(json({ data: { __schema: { queryType: { name: "Query" }, types } } }));
    return refusals(`${schema}
type Query { a: Far @custom(http: { url: "${url}", method: POST, graphql: "query { far }" }) }`);
  };
  const place = (column: number) => `2:${column} Type Query; Field a: ${inside}`;

  it.each([
    ["that is remote", "type Note { text: String } type Far @remote { a: String }", [object("Query", { far: "Far" })], "Far"],
    ["that is an enum", "type Note { text: String } enum Far { A }", [object("Query", { far: "Far" })], "Far"],
    [
      "that it returns below",
      "type Note { text: String } type Far @remote { a: String }",
      [object("Query", { far: "Far" }), object("Far", { a: "String", near: "Near" }), object("Other", {})],
      "Near",
    ],
  ])("refuses a deploy when it lacks a type %s", async (_case, schema, types, name) => {
    const [error = "", ...more] = await deployed(types, schema);
    expect(more).toEqual([]);
    expect(error.replace(/^2:\d+/u, "2:0")).toBe(`${place(0)} Unable to find the type ${name} on the remote schema`);
    expect(error).toMatch(/^2:\d+ /u);
  });

  it("refuses a deploy when it lacks its own root type", async () => {
    const [error = ""] = await deployed([object("Far", { a: "String" })], "type Note { text: String } type Far @remote { a: String }");
    expect(error).toContain("remote schema doesn't have any type named Query.");
  });

  it("lets a deploy pass when it has all types, also where they return one another", async () => {
    const types = [object("Query", { far: "Far" }), object("Far", { a: "String", near: "Near" }), object("Near", { far: "Far", at: "DateTime" })];
    expect(await deployed(types, "type Note { text: String } type Far @remote { a: String }")).toEqual([]);
  });
});

describe("a remote service that does not show its schema", () => {
  const schema = (url: string) =>
    `type Note { text: String }\ntype Query { a: String @custom(http: { url: "${url}", method: POST, graphql: "query { a }" }) }`;

  it("refuses a deploy in time, with its address and the cause", async () => {
    const { url } = await service(() => {});
    const [error = "", ...more] = await refusals(schema(`${url}/never`), { timeoutMs: 300 });
    expect(more).toEqual([]);
    expect(error).toMatch(/^2:\d+ Type Query; Field a: /u);
    expect(error).toContain(`${inside} Post "${url}/never": no reply within 300 ms`);
  });

  it("refuses a deploy when it answers with something else, with its address and status", async () => {
    const { url } = await service((_request, response) => void response.writeHead(503).end("later"));
    expect((await refusals(schema(url)))[0]).toContain(`the reply of ${url} is no JSON (status 503)`);
  });

  it("is asked together with all others, so that they cost the time of one", async () => {
    let waiting = 0;
    const all: (() => void)[] = [];
    const answer: Answer = (_request, response) => {
      all.push(() => void response.end(JSON.stringify({ data: { __schema: introspected("type Query { a: String }") } })));
      if (++waiting === 3) for (const each of all) each();
    };
    const urls = [await service(answer), await service(answer), await service(answer)].map(({ url }) => url);
    const fields = urls.map((url, i) => `a${i}: String @custom(http: { url: "${url}", method: POST, graphql: "query { a }" })`);
    expect(await refusals(`type Note { text: String }\ntype Query { ${fields.join(" ")} }`)).toEqual([]);
  });

  it("keeps no server from its restart, which does not ask", async () => {
    const answering = await service(json({ data: { __schema: introspected("type Query { a: String }") } }));
    const stack = await start();
    await stack.kernel.deploy(schema(answering.url));
    await answering.close();
    const asked = answering.received.length;
    const { kernel } = await stack.restart();
    const { data, errors } = JSON.parse((await kernel.execute({ query: "{ a queryNote { text } }" })).body);
    expect(data).toEqual({ a: null, queryNote: [] });
    expect(errors).toHaveLength(1);
    expect(answering.received).toHaveLength(asked);
  });
});
