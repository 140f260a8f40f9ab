// Bodies above 8 KiB: counted before anything is made of them, and the same answers as to short ones.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLongBody } from "../../../../adapters/server/graphql/long-body.ts";
import { BodyOrder } from "../../../../adapters/server/http/body-order.ts";
import { BoundedBodies } from "../../../../adapters/server/http/body-room.ts";
import { type LimitOptions, parseJson, resolveLimits } from "../../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import fc, { examples } from "../../../support/properties.ts";
import { ask, askJson, json, refusals } from "./ask.ts";

const padding = "x".repeat(9_000);

describe("a long body", () => {
  let stack: TemporaryKernel;
  beforeAll(async () => {
    stack = await temporaryKernel({ limits: { maxBodyValues: 1_000, maxObjectMembers: 100 } });
    await stack.kernel.deploy("type Mill { name: String! @id  stones: Int64 }");
    await askJson(stack.kernel, {
      query: 'mutation { addMill(input: [{ name: "Kent", stones: 2 }, { name: "Ros", stones: 9007199254740993 }]) { numUids } }',
    });
  });
  afterAll(() => stack.remove());

  const query = "query ($name: String!) { getMill(name: $name) { name stones } }";
  const kent = { data: { getMill: { name: "Kent", stones: 2 } } };
  const send = (body: string) => ask(stack.kernel, { headers: { "content-type": "application/json" }, body });

  it.each([
    ["padding before", { padding, query, variables: { name: "Kent" } }],
    ["padding between", { query, padding, variables: { name: "Kent" } }],
    ["variables before the document", { variables: { padding, name: "Kent" }, query }],
    ["undeclared variables", { query, variables: { padding, name: "Kent", other: [padding] } }],
    ["a document in which the variables do not show", { query: `# $\n${query}`, variables: { padding, name: "Kent" } }],
    ["a long document", { query: `${query} # ${"x".repeat(70_000)}`, variables: { name: "Kent" } }],
    [
      "a name of an operation",
      { query: `query A { __typename } ${query.replace("query", "query B")}`, operationName: "B", variables: { name: "Kent" }, padding },
    ],
  ])("is answered as a short one: %s", async (_, body) => {
    expect(json(await askJson(stack.kernel, body))).toMatchObject(kent);
    expect(json(await ask(stack.kernel, { headers: { "content-type": "application/json" }, body: JSON.stringify(body, null, 2) }))).toMatchObject(
      kent,
    );
  });

  it("has the last of two members with one name, and keeps all digits", async () => {
    const document = JSON.stringify(
      'mutation ($n: Int64) { updateMill(input: { filter: { name: { eq: "Ros" } }, set: { stones: $n } }) { mill { stones } } }',
    );
    expect(
      json(await send(`{"query":1,"padding":"${padding}","query":${document},"variables":{"n":1},"variables":{"n":9007199254740993}}`)),
    ).toMatchObject({
      data: { updateMill: { mill: [{ stones: 9007199254740993n }] } },
    });
  });

  it.each([
    ["a list", `["${padding}"]`],
    ["no end", `{"query":"${padding}"`],
    ["a comma too many", `{"query":"{ queryMill { name } }","padding":"${padding}",}`],
    ["a member without a value", `{"padding":"${padding}","query":}`],
    ["a member without a key", `{"padding":"${padding}","{ queryMill { name } }"}`],
    ["two values", `{"padding":"${padding}","query":"{ queryMill { name } }"} {}`],
    ["nonsense in a member that nobody asks for", `{"query":"{ queryMill { name } }","padding":["${padding}",nonsense]}`],
    ["nonsense in an undeclared variable", `{"query":"{ queryMill { name } }","variables":{"a":"${padding}","b":[1,]}}`],
    ["variables that are a list", `{"query":"{ queryMill { name } }","variables":["${padding}"]}`],
    ["a query that is a number", `{"query":5,"padding":"${padding}"}`],
    ["half a member in nested brackets", `{"query":"{ queryMill { name } }","padding":"${padding}","variables":{"a":[1}}`],
  ])("is refused as a short one: %s", async (_, body) => {
    expect(refusals(await send(body))).toEqual([expect.stringMatching(/^Not a valid GraphQL request body: ./)]);
  });

  it.each([
    [
      "too many values",
      { query, variables: { name: "Kent", padding, other: Array(1_001).fill(1) } },
      /more than 1000 values \(limits\.maxBodyValues\)/,
    ],
    [
      "too many members",
      { query, variables: { padding, ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`v${i}`, 1])) } },
      /more than 100 members/,
    ],
    ["too deep", { query, padding, variables: JSON.parse(`${'{"a":'.repeat(999)}1${"}".repeat(999)}`) }, /./],
  ])("with %s is refused", async (_, body, text) => {
    const response = await askJson(stack.kernel, body, { accept: "application/graphql-response+json" });
    expect([response.status, refusals(response)]).toEqual([413, [expect.stringMatching(text)]]);
  });

  it("with a number of 1,001 digits is refused, with one of 1,000 it is not", async () => {
    const withDigits = (n: number) =>
      send(`{"query":${JSON.stringify(query)},"padding":"${padding}","variables":{"name":"Kent","n":${"1".repeat(n)}}}`);
    expect(json(await withDigits(1_000))).toMatchObject(kent);
    expect(refusals(await withDigits(1_001))).toEqual([expect.stringContaining("more than 1000 characters")]);
  });
});

describe("reading a long body", () => {
  const limit = { most: 1e9, setting: "none" };
  const bodyLimits = () => ({ sent: limit, unpacked: limit, values: limit });
  const bodyOrder = new BodyOrder(() => "");
  const request = { method: "POST", url: "/graphql", headers: {}, body: new Uint8Array(0) };
  const reader = (limits: LimitOptions = {}, maxBytes = 1e9) => {
    const parsed = new BoundedBodies({ maxBytes, patienceMs: 60_000 });
    const read = (text: string, from: object = request) =>
      readLongBody(
        { body: Buffer.from(text), request: { ...request, ...from }, wanted: new Set(["query", "variables"]) },
        { kernel: { limits: resolveLimits(limits) }, bodyLimits, bodyOrder, parsed },
      );
    return { parsed, read };
  };

  it("builds the variables that the document names, and members that are wanted", async () => {
    const { read } = reader();
    const body = { other: { a: 1 }, variables: { a: 1, ab: 2, b: { c: [3] }, __proto__: 4 }, query: "query ($ab: Int, $b: B) { x }" };
    expect(await read(JSON.stringify(body))).toEqual({ query: body.query, variables: { ab: 2, b: { c: [3] } } });
  });

  it("builds all variables where the document does not show which it declares", async () => {
    const { read } = reader();
    const variables = { a: 1, b: 2 };
    for (const query of ["query ($ a: Int) { x }", undefined, "", 5, `query ($a: Int) { x } # ${"x".repeat(65_536)}`])
      expect(await read(JSON.stringify({ query, variables }))).toMatchObject({ variables });
  });

  it("gives what the parser gives of the wanted members", async () => {
    const { read } = reader();
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom("query", "variables", "other", "__proto__"), fc.jsonValue()), async (body) => {
        const text = JSON.stringify(body);
        const { query, variables }: { query?: unknown; variables?: unknown } = Object(parseJson(text));
        const isNamed = typeof query === "string" && /^\w+$/.test(query);
        const isObject = typeof variables === "object" && variables !== null && !Array.isArray(variables);
        const kept = isNamed && isObject ? {} : variables;
        const found = (await read(text)) as { query?: unknown; variables?: unknown };
        expect(found.query).toEqual(query);
        if (typeof query !== "string" || query === "" || isNamed) expect(found.variables).toEqual(kept);
      }),
      { numRuns: examples(500) },
    );
  });

  it("waits for room for what the values become, and gives it back with the answer", async () => {
    const { read, parsed } = reader({}, 1_000_000);
    const text = JSON.stringify({ query: "{ x }", variables: { a: Array(10_000).fill({}) } });
    const first = { ...request };
    await readLongBody(
      { body: Buffer.from(text), request: first, wanted: new Set() },
      { kernel: { limits: resolveLimits({}) }, bodyLimits, bodyOrder, parsed },
    );
    const held = parsed.bytes;
    expect(held).toBeGreaterThan(640_000);
    let isRead = false;
    const second = read(text).then(() => {
      isRead = true;
    });
    while (parsed.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    expect([isRead, parsed.bytes]).toEqual([false, held]);
    parsed.answered(first);
    await second;
    expect(parsed.bytes).toBe(held);
  });
});
