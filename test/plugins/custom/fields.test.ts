// Custom fields as clients and services see them: templates, headers, secrets, live queries.

import { propagation } from "@opentelemetry/api";
import { afterEach, describe, expect, it, vi } from "vitest";
import { QuernError } from "../../../core/index.ts";
import { customPlugin } from "../../../plugins/custom/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";
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

const entries: string[] = [];

async function start(schema: string): Promise<TemporaryKernel["kernel"]> {
  entries.length = 0;
  const logger = { write: (entry: unknown) => void entries.push(JSON.stringify(entry)) };
  const stack = await compatibleKernel({ plugins: [identityPlugin(), subscriptionPlugin(), customPlugin()], log: { level: "debug", to: logger } });
  open.unshift(stack);
  await stack.kernel.deploy(schema);
  return stack.kernel;
}

describe("a template", () => {
  it("puts values into path, query and body; absent values leave no trace, nulls do", async () => {
    const echo = await service(json("ok"));
    const kernel = await start(`
      type Note { text: String }
      input Box { tags: [String]  inner: Box }
      type Query {
        url(a: String!, b: [Int], c: Box, d: Int): String @custom(http: { url: "${echo.url}/x/$a/y?b=$b&c=$c&d=$d&fixed=1 2", method: GET })
        body(a: String, b: Int = 7, c: Box): String
          @custom(http: { url: "${echo.url}/b", method: POST, body: "{ name: $a, list: [$a, $b, 3], box: $c, fixed: { deep: \\"x\\" } }" })
      }
    `);
    const asked = async (query: string) => {
      await kernel.execute({ query });
      return echo.received.at(-1);
    };
    expect(await asked('{ url(a: "ä/..?#", b: [1, 2], c: { tags: ["p", "q r"], inner: { tags: [] } }) }')).toBe(
      "GET /x/%C3%A4%2F..%3F%23/y?b=1&b=2&c%5Btags%5D=p&c%5Btags%5D=q+r&fixed=1+2",
    );
    expect(await asked('{ url(a: "a", d: null) }')).toBe("GET /x/a/y?d=&fixed=1+2");
    expect(await asked("{ body }")).toBe('POST /b {"list":[null,7,3],"fixed":{"deep":"x"}}');
    expect(await asked("{ body(a: null, b: 1) }")).toBe('POST /b {"name":null,"list":[null,1,3],"fixed":{"deep":"x"}}');
  });

  it("refuses a value that would change the path, and does not show it", async () => {
    const echo = await service(json("ok"));
    const kernel = await start(`
      type Note { name: String! @id  text: String @custom(http: { url: "${echo.url}/notes/$name/text", method: GET }) }
      type Query { url(a: String!, b: [String!]): String @custom(http: { url: "${echo.url}/x/$a/y?b=$b", method: GET }) }
    `);
    const ask = async (a: string) =>
      JSON.parse((await kernel.execute({ query: 'query ($a: String!) { url(a: $a, b: [".."]) }', variables: { a } })).body);
    const refused = {
      message:
        "Evaluation of custom field failed because external request returned an error: the value of $a would change the path of the URL for field: url within type: Query.",
    };
    const escapes = [
      "",
      ".",
      "..",
      "%2e",
      "%2E%2e",
      "%252e%252E",
      "a/..",
      "../a",
      "/a",
      "a/",
      "a//b",
      "..\\a",
      "a\\..",
      "a%2f..",
      "a%5c..",
      "..;a",
      ";",
      " .. ",
      ".\t.",
      "%00..",
    ];
    for (const a of escapes) expect(await ask(a), JSON.stringify(a)).toMatchObject({ data: { url: null }, errors: [refused] });
    expect(echo.received).toEqual([]);
    const harmless = ["...", "..a", "a..b", "a/b", ".git", "a.b", "100%", "%2", "%zz", "ä b"];
    for (const a of harmless) expect(await ask(a), a).toMatchObject({ data: { url: "ok" } });
    expect(echo.received).toEqual(harmless.map((a) => `GET /x/${encodeURIComponent(a)}/y?b=..`));
    await kernel.execute({ query: 'mutation { addNote(input: [{ name: ".." }, { name: "a" }]) { numUids } }' });
    const { body } = await kernel.execute({ query: "{ queryNote(order: { asc: name }) { text } }" });
    expect(JSON.parse(body)).toMatchObject({
      data: { queryNote: [{ text: null }, { text: "ok" }] },
      errors: [{ message: expect.stringContaining("the value of $name would change the path of the URL") }],
    });
  });

  it("reads what it needs of the parent, selected or not; a parent without its key is not asked for", async () => {
    const echo = await service(
      (_request, response, body) => void response.end(JSON.stringify(JSON.parse(body).map((each: unknown) => JSON.stringify(each)))),
    );
    const kernel = await start(`
      type Hive { id: ID!  code: String @id  tags: [String]  note: String @custom(http: { url: "${echo.url}", method: POST, mode: BATCH, body: "{ c: $code, t: $tags }" }) }
    `);
    await kernel.execute({ query: 'mutation { addHive(input: [{ code: "a", tags: ["x"] }, { tags: ["y"] }, { code: "b" }]) { numUids } }' });
    const { body } = await kernel.execute({ query: "{ queryHive { n: note } }" });
    expect(JSON.parse(body).data).toEqual({ queryHive: [{ n: '{"c":"a","t":["x"]}' }, { n: null }, { n: '{"c":"b"}' }] });
  });
});

describe("a secret", () => {
  const schema = (url: string, line: string) => `
    type Note { text: String }
    type Query { a: String @custom(http: { url: "${url}", method: GET, secretHeaders: ["X-Key:KEY"] }) }
    ${line}
  `;

  it("reaches the service, and no message or log line", async () => {
    const failing = await service((_request, response) => void response.writeHead(500).end("no"));
    const kernel = await start(schema(failing.url, '# Service.Secret KEY "h7-value"'));
    const { body } = await kernel.execute({ query: "{ a __schema { directives { name } } }" });
    expect(failing.headers()["x-key"]).toBe("h7-value");
    expect(body).toContain("unexpected error with: 500");
    expect(body + entries.join("")).not.toContain("h7-value");
  });

  it("in a malformed line refuses the deploy, and the error does not show it", async () => {
    for (const line of [
      "# Service.Secret KEY h7-value",
      '#Dgraph.Secret KEY "h7-value"',
      '# Service.Secret "h7-value"',
      '# Service.Secret KEY "h7-value" "x"',
    ]) {
      const refusal = await start(schema("http://127.0.0.1:1", line)).catch((thrown: unknown) => thrown);
      expect(refusal, line).toBeInstanceOf(QuernError);
      expect(`${refusal}`, line).toContain("incorrect format");
      expect(`${refusal}`, line).not.toContain("h7-value");
    }
  });
});

describe("the trace of an operation", () => {
  it("is passed on when tracing is set up, and only then", async () => {
    const traced = await service(json("ok"));
    const kernel = await start(`type Note { text: String }  type Query { a: String @custom(http: { url: "${traced.url}", method: GET }) }`);
    await kernel.execute({ query: "{ a }" });
    expect(traced.headers().traceparent).toBeUndefined();
    propagation.setGlobalPropagator({
      inject: (_context, carrier, setter) => setter.set(carrier, "traceparent", "00-1-2-01"),
      extract: (context) => context,
      fields: () => ["traceparent"],
    });
    try {
      await kernel.execute({ query: "{ a }" });
      expect(traced.headers().traceparent).toBe("00-1-2-01");
    } finally {
      propagation.disable();
    }
  });
});

describe("a live query with a custom field", () => {
  it("is read again when the parent changes", async () => {
    let tide = 1;
    const tides = await service((_request, response) => void response.end(`"${tide++}"`));
    const kernel = await start(`
      type Hive @withSubscription { code: String! @id  size: Int  tide: String @custom(http: { url: "${tides.url}/$code", method: GET }) }
    `);
    await kernel.execute({ query: 'mutation { addHive(input: [{ code: "a", size: 1 }]) { numUids } }' });
    const seen: unknown[] = [];
    const live = kernel.subscribe(
      { query: "subscription { queryHive { size tide } }" },
      { ready: () => true, next: (body) => void seen.push(JSON.parse(body).data.queryHive[0]), end: () => {} },
    );
    await vi.waitFor(() => expect(seen).toEqual([{ size: 1, tide: "1" }]), { timeout: 60_000 });
    await kernel.execute({ query: 'mutation { updateHive(input: { filter: { code: { eq: "a" } }, set: { size: 2 } }) { numUids } }' });
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ size: 2, tide: "2" }), { timeout: 60_000 });
    live.stop();
  });
});

describe("a reply of another form", () => {
  it("is named in the error: its kind where a list is wanted, the key that a GraphQL reply lacks", async () => {
    let reply: unknown;
    const remote = await service((_request, response) => void response.end(JSON.stringify(reply)));
    const kernel = await start(`
      type Hive { id: ID!  label: String
        note: String @custom(http: { url: "${remote.url}/n", method: POST, mode: BATCH, body: "{ id: $id }" }) }
      type Query { word: String @custom(http: { url: "${remote.url}/g", method: POST, graphql: "query { word }", skipIntrospection: true }) }
    `);
    await kernel.execute({ query: 'mutation { addHive(input: [{ label: "North" }]) { numUids } }' });
    const messages = async (query: string, replied: unknown) => {
      reply = replied;
      const { errors = [] }: { errors?: { message: string }[] } = JSON.parse((await kernel.execute({ query })).body);
      return errors.map(({ message }) => message);
    };
    const kinds: readonly (readonly [unknown, string])[] = [
      [true, "bool"],
      [7, "Number"],
      ["x", "string"],
      [{ a: 1 }, ""],
    ];
    for (const [value, kind] of kinds)
      expect(await messages("{ queryHive { note } }", value)).toEqual([expect.stringContaining(`of list type, got: ${kind} for field: note`)]);
    expect(await messages("{ word }", null)).toEqual([expect.stringContaining("key: word could not be found in the JSON response")]);
  });
});
