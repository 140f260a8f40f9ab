// Requests that are wrong in one way each: the documented answer, never a fault, a crash or a stack.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, type Question, refusals } from "./ask.ts";

let stack: TemporaryKernel;
beforeAll(async () => {
  stack = await temporaryKernel({ limits: { maxBodyBytes: 10_000, maxInflatedBytes: 50_000 } });
  await stack.kernel.deploy("type Mill { name: String! @id  stones: Int }");
});
afterAll(() => stack.remove());

const jsonType = { "content-type": "application/json" };
const query = '{"query":"{ queryMill { name } }"}';
const unknownType = "Unrecognised Content-Type.  Please use application/json or application/graphql for GraphQL requests";
const invalid = /^Not a valid GraphQL request body: ./;

/** What is wrong, the request, and the only message of the answer. */
const table: readonly (readonly [string, Question, string | RegExp])[] = [
  ["no content type", { body: query }, "unable to parse media type: mime: no media type"],
  ["a blank content type", { headers: { "content-type": "  " }, body: query }, "unable to parse media type: mime: no media type"],
  [
    "a parameter without value",
    { headers: { "content-type": "application/json; charset" }, body: query },
    "unable to parse media type: mime: invalid media parameter",
  ],
  ["a media type with blanks inside", { headers: { "content-type": "application / json" }, body: query }, /^unable to parse media type: mime: ./],
  ["text/plain", { headers: { "content-type": "text/plain" }, body: query }, unknownType],
  ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "query=%7B__typename%7D" }, unknownType],
  ["a response type", { headers: { "content-type": "application/graphql-response+json" }, body: query }, unknownType],
  ["an upload", { headers: { "content-type": 'multipart/form-data; boundary="a;b"' }, body: query }, unknownType],
  ["an empty body", { headers: jsonType, body: "" }, "Not a valid GraphQL request body: EOF"],
  ["a body of blanks", { headers: jsonType, body: " \n" }, "Not a valid GraphQL request body: EOF"],
  ["half a body", { headers: jsonType, body: "{" }, invalid],
  ["no JSON", { headers: jsonType, body: "{query:" }, invalid],
  ["a byte-order mark", { headers: jsonType, body: `\u{feff}${query}` }, invalid],
  ["bytes after the value", { headers: jsonType, body: `${query} tail` }, invalid],
  ["two values", { headers: jsonType, body: query + query }, invalid],
  ["a batch", { headers: jsonType, body: `[${query},${query}]` }, invalid],
  ["an empty batch", { headers: jsonType, body: "[]" }, invalid],
  ["a text", { headers: jsonType, body: '"{ queryMill { name } }"' }, invalid],
  ["a number beyond 2^53", { headers: jsonType, body: "9007199254740993" }, invalid],
  ["null", { headers: jsonType, body: "null" }, "no query string supplied in request"],
  ["an empty object", { headers: jsonType, body: "{}" }, "no query string supplied in request"],
  ["query null", { headers: jsonType, body: '{"query":null}' }, "no query string supplied in request"],
  ["query empty", { headers: jsonType, body: '{"query":""}' }, "no query string supplied in request"],
  ["query a number", { headers: jsonType, body: '{"query":5}' }, invalid],
  ["query an object", { headers: jsonType, body: '{"query":{}}' }, invalid],
  ["query only blanks", { headers: jsonType, body: '{"query":"  "}' }, "Supplied operation name  isn't present in the request."],
  ["query only a comment", { headers: jsonType, body: '{"query":"# nothing"}' }, "Supplied operation name  isn't present in the request."],
  ["operation name a number", { headers: jsonType, body: '{"query":"{ queryMill { name } }","operationName":1}' }, invalid],
  ["variables a text", { headers: jsonType, body: '{"query":"{ queryMill { name } }","variables":"{}"}' }, invalid],
  ["variables a list", { headers: jsonType, body: '{"query":"{ queryMill { name } }","variables":[]}' }, invalid],
  ["extensions a text", { headers: jsonType, body: '{"query":"{ queryMill { name } }","extensions":"x"}' }, invalid],
  ["a persisted query that is none", { headers: jsonType, body: '{"extensions":{"persistedQuery":7}}' }, invalid],
  ["a hash that is none", { headers: jsonType, body: '{"extensions":{"persistedQuery":{"sha256Hash":7}}}' }, invalid],
  ["an empty document", { headers: { "content-type": "application/graphql" }, body: "" }, "no query string supplied in request"],
  ["gzip that is none", { headers: { ...jsonType, "content-encoding": "gzip" }, body: query }, /^Unable to parse gzip: ./],
  ["empty gzip", { headers: { ...jsonType, "content-encoding": "gzip" }, body: "" }, /^Unable to parse gzip: ./],
  ["half of a gzip", { headers: { ...jsonType, "content-encoding": "gzip" }, body: gzipSync(query).subarray(0, 20) }, /^Unable to parse gzip: ./],
  ["gzip without the header", { headers: jsonType, body: gzipSync(query) }, invalid],
  ["gzip called GZIP", { headers: { ...jsonType, "content-encoding": "GZIP" }, body: gzipSync(query) }, invalid],
  [
    "gzip that unpacks to too much",
    { headers: { ...jsonType, "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(50_001, " ")) },
    /50000 bytes \(limits\.maxInflatedBytes\)/,
  ],
  ["too much", { headers: jsonType, body: " ".repeat(10_001) }, /10000 bytes \(limits\.maxBodyBytes\)/],
  ["GET without anything", { method: "GET" }, "no query string supplied in request"],
  ["GET with half variables", { method: "GET", path: "/graphql?query=%7B__typename%7D&variables=%7B" }, invalid],
  ["GET with empty variables", { method: "GET", path: "/graphql?query=%7B__typename%7D&variables=" }, "Not a valid GraphQL request body: EOF"],
  ["GET with a list of variables", { method: "GET", path: "/graphql?query=%7B__typename%7D&variables=%5B%5D" }, invalid],
  ["GET with empty extensions", { method: "GET", path: "/graphql?query=%7B__typename%7D&extensions=" }, "Not a valid GraphQL request body: EOF"],
  ["PUT", { method: "PUT", headers: jsonType, body: query }, "Unrecognised request method.  Please use GET or POST for GraphQL requests"],
  ["DELETE", { method: "DELETE", headers: jsonType, body: query }, "Unrecognised request method.  Please use GET or POST for GraphQL requests"],
  [
    "a method nobody knows",
    { method: "BREW", headers: jsonType, body: query },
    "Unrecognised request method.  Please use GET or POST for GraphQL requests",
  ],
];

describe("a malformed request", () => {
  it.each(table)("gets one error, no data and status 200: %s", async (_what, question, message) => {
    const response = await ask(stack.kernel, question);
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(response.headers["graphql-toucheduids"]).toBe("0");
    const [first, ...others] = refusals(response);
    if (typeof message === "string") expect(first).toBe(message);
    else expect(first).toMatch(message);
    expect(others).toEqual([]);
    expect(response.body).not.toMatch(/\bat .*:\d+:\d+|node_modules|\.ts\b/);
  });
});

describe("a request at the edge of a malformed one", () => {
  const data = '{"data":{"queryMill":[]}';
  const good: readonly (readonly [string, Question])[] = [
    ["a content type in capitals", { headers: { "content-type": "APPLICATION/JSON" }, body: query }],
    ["parameters", { headers: { "content-type": 'application/json ; charset="utf-8"; x=y' }, body: query }],
    ["a semicolon at the end", { headers: { "content-type": "application/json;" }, body: query }],
    ["blanks around the value", { headers: jsonType, body: ` \n${query}\n ` }],
    ["unknown members", { headers: jsonType, body: '{"query":"{ queryMill { name } }","id":"7","extra":{"a":[1]}}' }],
    ["everything null", { headers: jsonType, body: '{"query":"{ queryMill { name } }","operationName":null,"variables":null,"extensions":null}' }],
    ["a name that is empty", { headers: jsonType, body: '{"query":"{ queryMill { name } }","operationName":""}' }],
    ["a byte-order mark in the document", { headers: jsonType, body: '{"query":"\u{feff}{ queryMill { name } }"}' }],
    [
      "bytes that are no UTF-8",
      {
        headers: { "content-type": "application/graphql" },
        body: Buffer.from([...Buffer.from('{ queryMill(filter: {name: {eq: "'), 0xff, ...Buffer.from('"}}) { name } }')]),
      },
    ],
    ["gzip", { headers: { ...jsonType, "content-encoding": "gzip" }, body: gzipSync(query) }],
    ["deflate that is none, which nobody unpacks", { headers: { ...jsonType, "content-encoding": "deflate" }, body: query }],
    ["exactly as much as allowed", { headers: jsonType, body: query.padEnd(10_000) }],
    [
      "gzip that unpacks to exactly as much as allowed",
      { headers: { ...jsonType, "content-encoding": "gzip" }, body: gzipSync(query.padEnd(50_000)) },
    ],
    ["GET with variables null", { method: "GET", path: "/graphql?query=%7BqueryMill%7Bname%7D%7D&variables=null" }],
    [
      "GET with a content type and a plus for a blank",
      { method: "GET", path: "/graphql?query=%7B+queryMill+%7Bname%7D%7D", headers: { "content-type": "text/plain" } },
    ],
  ];

  it.each(good)("is answered: %s", async (_what, question) => {
    const response = await ask(stack.kernel, question);
    expect(response.status).toBe(200);
    expect(response.body).toContain(data);
  });
});

describe("every other path", () => {
  it.each(["/", "/GraphQL", "/graphql/", "/nothing", "*", "//graphql", "/admin/", "/%2e%2e/graphql"])("%s is not found", async (path) => {
    const response = await ask(stack.kernel, { method: "GET", path });
    expect(response).toMatchObject({
      status: 404,
      body: "404 page not found\n",
      headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    });
  });

  it("is found with an absolute request target", async () => {
    expect(await ask(stack.kernel, { method: "GET", path: "http://mill.example/health" })).toMatchObject({ status: 200 });
  });
});
