// `/graphql` beyond the body: encodings, origins, types of answers, persisted queries, other sites, caches.

import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, askJson, json, refusals } from "./ask.ts";

let stack: TemporaryKernel;
const types = "type Mill { name: String! @id  turns: Int64 @search }";
beforeAll(async () => {
  stack = await temporaryKernel();
  await stack.kernel.deploy(types);
  const added = await askJson(stack.kernel, { query: 'mutation { addMill(input: [{ name: "Kent", turns: 9007199254740993 }]) { numUids } }' });
  expect(json(added)).toMatchObject({ data: { addMill: { numUids: 1 } } });
});
afterAll(() => stack.remove());

const query = "{ queryMill { name turns } }";
const answer = '"data":{"queryMill":[{"name":"Kent","turns":9007199254740993}]}';

describe("the envelope", () => {
  it("has data, extensions and the touched header, and keeps the digits of integers", async () => {
    const big = '{"query":"query ($t: [Int64]) { queryMill(filter: { turns: { in: $t } }) { name turns } }","variables":{"t":[9007199254740993]}}';
    const response = await ask(stack.kernel, { headers: { "content-type": "application/json" }, body: big });
    expect(response.body).toContain(answer);
    const near = await ask(stack.kernel, { headers: { "content-type": "application/json" }, body: big.replace("0993", "0992") });
    expect(near.body).toContain('"data":{"queryMill":[]}');
    const touched = Number(response.headers["graphql-toucheduids"]);
    expect(touched).toBeGreaterThan(0);
    expect(json(response)).toMatchObject({ extensions: { touched_uids: touched } });
  });

  it("counts touched nodes also for a count without reading nodes", async () => {
    const response = await askJson(stack.kernel, { query: "{ aggregateMill { count } }" });
    expect(json(response)).toEqual({ data: { aggregateMill: { count: expect.any(Number) } }, extensions: { touched_uids: expect.any(Number) } });
    expect(Number(response.headers["graphql-toucheduids"])).toBeGreaterThan(0);
  });

  it("of a mutation has a unique request id", async () => {
    const ids = await Promise.all(
      [1, 2].map(
        async () =>
          (
            json(await askJson(stack.kernel, { query: 'mutation { deleteMill(filter: { name: { eq: "none" } }) { numUids } }' })) as {
              extensions: { requestID: string };
            }
          ).extensions.requestID,
      ),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe("gzip", () => {
  it.each(["gzip", "br, deflate, gzip;q=0.5"])("compresses the answer for %s", async (accepted) => {
    const response = await askJson(stack.kernel, { query }, { "accept-encoding": accepted });
    expect(response.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(response.body as Uint8Array).toString()).toContain(answer);
  });

  it("does not compress for other clients or without a body", async () => {
    expect((await askJson(stack.kernel, { query }, { "accept-encoding": "br" })).headers["content-encoding"]).toBeUndefined();
    expect(await ask(stack.kernel, { method: "OPTIONS", headers: { "accept-encoding": "gzip" } })).toMatchObject({ status: 200, body: "" });
  });

  it("compresses refusals and long answers too", async () => {
    const refused = await ask(stack.kernel, { headers: { "content-type": "application/json", "accept-encoding": "gzip" }, body: "{" });
    expect(gunzipSync(refused.body as Uint8Array).toString()).toContain("Not a valid GraphQL request body");
    const long = await askJson(
      stack.kernel,
      {
        query:
          "{ a: __schema { types { ...T } } b: __schema { types { ...T } } c: __schema { types { ...T } } d: __schema { types { ...T } } } fragment T on __Type { name description fields { name args { name description } } }",
      },
      { "accept-encoding": "gzip" },
    );
    const text = gunzipSync(long.body as Uint8Array).toString();
    expect(text.length).toBeGreaterThan(16 * 1024);
    expect(JSON.parse(text).data.d.types.length).toBeGreaterThan(10);
  });
});

describe("the type of the answer", () => {
  const wanted = "application/graphql-response+json";
  it.each([wanted, `text/html, ${wanted};q=0.9, application/json`, `${wanted}, */*`, wanted.toUpperCase()])(
    "is the new one for %s",
    async (accept) => {
      const response = await askJson(stack.kernel, { query }, { accept });
      expect(response).toMatchObject({ status: 200, headers: { "content-type": wanted } });
    },
  );

  it.each(["application/json", `application/json, ${wanted}`, "*/*", "text/html"])("is JSON for %s", async (accept) => {
    const response = await askJson(stack.kernel, { query: "{ nope }" }, { accept });
    expect(response).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
  });

  it.each([
    ["a document that cannot be parsed", { body: '{"query":"{"}' }, 400],
    ["an unknown field", { body: '{"query":"{ nope }"}' }, 400],
    ["a variable of the wrong kind", { body: '{"query":"query($n: Int!) { queryMill(first: $n) { name } }","variables":{"n":"x"}}' }, 400],
    ["a broken body", { body: "{" }, 400],
    ["another content type", { headers: { "content-type": "text/plain" }, body: "{}" }, 415],
    ["another method", { method: "PUT" }, 405],
    ["a field that fails, which is an answer", { body: '{"query":"{ getMill(name: \\"none\\") { name } }"}' }, 200],
  ])("brings the status of %s", async (_what, question, status) => {
    const headers = { "content-type": "application/json", accept: wanted, ...("headers" in question ? question.headers : {}) };
    expect(await ask(stack.kernel, { ...question, headers })).toMatchObject({ status, headers: { "content-type": wanted } });
  });
});

describe("persisted queries", () => {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const persisted = (text: string, query?: string) => ({
    ...(query === undefined ? {} : { query }),
    extensions: { persistedQuery: { version: 1, sha256Hash: hash(text) } },
  });

  it("are found after one request with text and hash, by POST and by GET", async () => {
    const text = "query ($n: String!) { getMill(name: $n) { name } }";
    expect(refusals(await askJson(stack.kernel, persisted(text)))).toEqual(["PersistedQueryNotFound"]);
    expect(refusals(await askJson(stack.kernel, persisted(text, "{ __typename }")))).toEqual(["provided sha does not match query"]);
    expect(refusals(await askJson(stack.kernel, persisted(text)))).toEqual(["PersistedQueryNotFound"]);

    const variables = { n: "Kent" };
    for (const body of [persisted(text, text), persisted(text), persisted(text, text), persisted(text, "")]) {
      expect(json(await askJson(stack.kernel, { ...body, variables }))).toMatchObject({ data: { getMill: { name: "Kent" } } });
    }
    const url = new URLSearchParams({ extensions: JSON.stringify(persisted(text).extensions), variables: JSON.stringify(variables) });
    expect(json(await ask(stack.kernel, { method: "GET", path: `/graphql?${url}` }))).toMatchObject({ data: { getMill: { name: "Kent" } } });
    expect(refusals(await askJson(stack.kernel, persisted(text, `${text} `)))).toEqual(["query does not match persisted query"]);
  });

  it("survive a restart", async () => {
    const text = "query Kept { queryMill { name } }";
    expect(json(await askJson(stack.kernel, persisted(text, text)))).toHaveProperty("data");
    await stack.kernel.close();
    await stack.kernel.open();
    expect(json(await askJson(stack.kernel, persisted(text)))).toMatchObject({ data: { queryMill: [{ name: "Kent" }] } });
  });

  it("store no variables", async () => {
    const text = "query Named($n: String!) { getMill(name: $n) { turns } }";
    expect(json(await askJson(stack.kernel, { ...persisted(text, text), variables: { n: "Kent" } }))).toHaveProperty("data");
    expect(refusals(await askJson(stack.kernel, persisted(text)))).toEqual([expect.stringContaining("$n")]);
  });
});

describe("a page of another site", () => {
  const path = `/graphql?query=${encodeURIComponent('mutation { addMill(input: [{ name: "Foreign" }]) { numUids } }')}`;
  const crossSite = { "sec-fetch-site": "cross-site" };

  it("may not run a mutation by GET", async () => {
    const response = await ask(stack.kernel, { method: "GET", path, headers: crossSite });
    expect(response.status).toBe(403);
    expect(refusals(response)).toHaveLength(1);
    expect(json(await askJson(stack.kernel, { query: '{ getMill(name: "Foreign") { name } }' }))).toMatchObject({ data: { getMill: null } });
  });

  it("may run queries, also of a document with a mutation", async () => {
    const both = "query A { queryMill { name } } mutation B { deleteMill(filter: {}) { numUids } }";
    const response = await ask(stack.kernel, {
      method: "GET",
      path: `/graphql?operationName=A&query=${encodeURIComponent(both)}`,
      headers: crossSite,
    });
    expect(json(response)).toMatchObject({ data: { queryMill: [{ name: "Kent" }] } });
    expect(
      (await ask(stack.kernel, { method: "GET", path: `/graphql?operationName=B&query=${encodeURIComponent(both)}`, headers: crossSite })).status,
    ).toBe(403);
  });

  it("differs from a page of the same site and from programs", async () => {
    for (const headers of [{ "sec-fetch-site": "same-origin" }, {} as Record<string, string>]) {
      const name = `By ${JSON.stringify(headers)}`;
      const add = `mutation { addMill(input: [{ name: ${JSON.stringify(name)} }]) { numUids } }`;
      expect(json(await ask(stack.kernel, { method: "GET", path: `/graphql?query=${encodeURIComponent(add)}`, headers }))).toMatchObject({
        data: { addMill: { numUids: 1 } },
      });
    }
    await askJson(stack.kernel, { query: 'mutation { deleteMill(filter: { not: { name: { eq: "Kent" } } }) { numUids } }' });
  });
});

describe("@cacheControl", () => {
  it("writes headers for a valid query only", async () => {
    const cached = await askJson(stack.kernel, { query: "query @cacheControl(maxAge: 15) { queryMill { name } }" });
    expect(cached.headers).toMatchObject({ "cache-control": "public,max-age=15", vary: "Accept-Encoding" });
    const invalid = await askJson(stack.kernel, { query: "query @cacheControl(maxAge: 15) { nope }" });
    expect(invalid.headers).not.toHaveProperty("cache-control");
    expect((await askJson(stack.kernel, { query })).headers).not.toHaveProperty("vary");
  });
});

describe("origins", () => {
  const answerFor = async (origin?: string) => (await askJson(stack.kernel, { query }, origin === undefined ? {} : { origin })).headers;

  it("are all allowed unless the schema lists some", async () => {
    expect(await answerFor("https://any.example")).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": expect.stringMatching(/^X-Service-AccessToken, X-Service-AuthToken, X-Dgraph-AccessToken, /),
    });
  });

  it("get CORS headers when listed exactly", async () => {
    await stack.kernel.deploy(`${types}\n# Service.Allow-Origin "https://app.example"\n# Dgraph.Allow-Origin "https://Other.example:8443"\n`);
    for (const origin of ["https://app.example", "https://Other.example:8443"])
      expect((await answerFor(origin))["access-control-allow-origin"]).toBe(origin);
    for (const origin of [
      "https://app.example/",
      "http://app.example",
      "https://other.example:8443",
      "https://app.example.evil.example",
      "null",
      undefined,
    ]) {
      const headers = await answerFor(origin);
      expect(headers).not.toHaveProperty("access-control-allow-origin");
      expect(headers).toHaveProperty("access-control-allow-methods");
    }
    const preflight = await ask(stack.kernel, { method: "OPTIONS", headers: { origin: "https://app.example" } });
    expect(preflight).toMatchObject({ status: 200, body: "", headers: { "access-control-allow-origin": "https://app.example" } });
    const cached = await askJson(stack.kernel, { query: "query @cacheControl(maxAge: 1) { queryMill { name } }" });
    expect(cached.headers.vary).toBe("Accept-Encoding, Origin");
  });
});
