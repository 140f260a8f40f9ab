// What goes in and out: each request is answered over the socket as the kernel answers it in the process, to the byte.

import { deepStrictEqual, strictEqual } from "node:assert";
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ServerKernel } from "../../../adapters/server/index.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { ask, type Bench, type Check, type Question, query, type Reply, watched } from "./kit.ts";

const json = { "content-type": "application/json" };
const names = "{ queryMill(order: {asc: name}) { id name power } }";
const hash = createHash("sha256").update(names).digest("hex");
const persisted = encodeURIComponent(JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash } }));

/** Requests whose answers are the same each time, but for what `settled` takes out. */
const questions: Readonly<Record<string, Question>> = {
  "a query by POST": query(names),
  "a query with variables": query("query ($n: String!) { a: queryMill(filter: {has: name}) { name } __typename @include(if: true) }", { n: "x" }),
  "a query by GET": { method: "GET", target: `/graphql?query=${encodeURIComponent(names)}` },
  "a query by GET with blanks as plus signs": { method: "GET", target: "/graphql?query=%7B+__typename+%7D&operationName=" },
  "a document as application/graphql": { headers: { "content-type": "application/graphql" }, body: names },
  "text beyond ASCII, in the query and the answer": query("{ queryMill(filter: {not: {has: power}}) { name } möwe: __typename }"),
  "a comment beyond ASCII": query("{ __typename } # Möwe 🕊"),
  "a packed request": { headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(JSON.stringify({ query: names })) },
  "a packed answer": { ...query(names), headers: { ...json, "accept-encoding": "br, gzip" } },
  "a body that is not packed as announced": { ...query(names), headers: { ...json, "content-encoding": "gzip" } },
  "the media type of GraphQL over HTTP": { ...query("{ nothing }"), headers: { ...json, accept: "application/graphql-response+json" } },
  "a persisted query that is not known": { method: "GET", target: `/graphql?extensions=${persisted}` },
  "no body": { headers: json },
  "no content type": { body: "{}" },
  "a content type with parameters": { ...query(names), headers: { "content-type": "Application/JSON; charset=utf-8" } },
  "another content type": { headers: { "content-type": "text/plain" }, body: names },
  "half a body": { headers: json, body: '{"query": "{ __ty' },
  "bytes that are no text": { headers: json, body: new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d]) },
  "a batch": { headers: json, body: '[{"query":"{ __typename }"}]' },
  "a preflight request": { method: "OPTIONS", headers: { origin: "https://mill.example", "access-control-request-method": "POST" } },
  "another method": { ...query(names), method: "DELETE" },
  "a mutation by GET from another site": {
    method: "GET",
    target: `/graphql?query=${encodeURIComponent("mutation { deleteMill(filter: {has: name}) { msg } }")}`,
    headers: { "sec-fetch-site": "cross-site" },
  },
  "a mutation": query("mutation { deleteMill(filter: {id: []}) { msg numUids } }"),
  "the health": { method: "GET", target: "/health" },
  "the probe": { method: "GET", target: "/probe/graphql" },
  "the state": { method: "GET", target: "/state" },
  "the administration": { ...query("{ getGQLSchema { schema } }"), target: "/admin" },
  "a wrong method on the administration": { method: "PATCH", target: "/admin" },
  "a schema that is refused": { target: "/admin/schema", body: "type Mill { name: Nope }" },
  "a schema that is valid": { target: "/admin/schema/validate", body: "type Mill { name: String }" },
  "an unknown path": { method: "GET", target: "/nothing" },
  "a path with escapes": { method: "GET", target: "/%67raphql?query=%7B__typename%7D" },
  "a path with two slashes": { method: "GET", target: "//graphql?query=%7B__typename%7D" },
  "the absolute form": { method: "GET", target: "http://mill.example/graphql?query=%7B__typename%7D" },
  "a page for a browser": { method: "GET", headers: { accept: "text/html,application/xhtml+xml" } },
  "a packed page": { method: "GET", headers: { accept: "text/html", "accept-encoding": "gzip" } },
};

/** Paths that the URL parser of the Fetch API rewrites, and what it makes of them. */
const dotted = {
  "a path with dots": ["/admin/../graphql?query=%7B__typename%7D", "/graphql?query=%7B__typename%7D"],
  "a path with escaped dots": ["/a/%2e%2E/./graphql?query=%7B__typename%7D", "/graphql?query=%7B__typename%7D"],
  "a path that leads to the administration by dots": ["/graphql/../admin?query=%7B__typename%7D", "/admin?query=%7B__typename%7D"],
} as const;

const sameQuestion = { level: "MUST", why: "The same request would mean different things on different transports." } as const;

function idOf(title: string): string {
  return `carry.${title.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}`;
}

export const carryChecks: readonly Check[] = [
  ...Object.entries(questions).map(
    ([title, question]): Check => ({
      ...sameQuestion,
      id: idOf(title),
      title: "is answered as the kernel answers, to the byte",
      run: (bench) => sameAnswer(bench, question),
    }),
  ),
  ...Object.entries(dotted).map(
    ([title, [target, rewritten]]): Check => ({
      ...sameQuestion,
      id: idOf(title),
      title: "is answered as the kernel answers, to the byte",
      run: (bench) => sameAnswer(bench, { method: "GET", target }),
      exempted: {
        from: "dot-segments",
        title: "is answered as the kernel answers the path without dot segments, to the byte",
        run: (bench) => sameAnswer(bench, { method: "GET", target }, { method: "GET", target: rewritten }),
      },
    }),
  ),
  {
    id: "request.as-sent",
    level: "MUST",
    title: "the kernel sees method, target, header names in lower case, repeated headers joined, the body and the address",
    why: "Access rules and cross-site checks decide by headers and addresses.",
    run: async (bench) => {
      const seen: HttpRequest[] = [];
      const { url } = await bench.listen(watched(bench.kernel, (request) => void seen.push(request)));
      const headers = { "X-Mill": ["a", "b"], "x-empty": "" };
      await ask(url, { method: "PUT", target: "/graphql?a=1&a=%20#x", headers, body: new Uint8Array([0, 255, 10]) });
      const [request] = seen;
      strictEqual(request?.method, "PUT");
      strictEqual(request.url, "/graphql?a=1&a=%20#x");
      strictEqual(request.headers["x-mill"], "a, b");
      strictEqual(request.headers["x-empty"], "");
      deepStrictEqual([...request.body], [0, 255, 10]);
      strictEqual(request.remoteAddress?.replace("::ffff:", ""), "127.0.0.1");
      strictEqual(
        Object.keys(request.headers).every((name) => name === name.toLowerCase()),
        true,
      );
    },
  },
  {
    id: "answer.head",
    level: "MUST",
    title: "HEAD is answered without a body",
    why: "A client would take the body for the next answer on the connection.",
    run: async (bench) => {
      const { url } = await bench.listen();
      const reply = await ask(url, { method: "HEAD", target: "/health" });
      strictEqual(reply.status, 200);
      strictEqual(reply.body.length, 0);
    },
  },
  {
    id: "answer.lists",
    level: "MUST",
    title: "a header with several values is sent in as many lines",
    why: "A browser takes one cookie for each line of Set-Cookie; joined lines are one broken cookie.",
    run: async (bench) => {
      const cookies = ["a=1; Path=/", "b=2; Expires=Wed, 01 Jan 2031 00:00:00 GMT"];
      const answer: HttpResponse = { status: 200, headers: { "content-type": "text/plain", "set-cookie": cookies }, body: "ok" };
      const { url } = await bench.listen({ ...watched(bench.kernel, () => undefined), http: () => answer });
      const reply = await ask(url, { method: "GET" });
      deepStrictEqual(reply.headers["set-cookie"], cookies);
      strictEqual(reply.body.toString(), "ok");
      const single = await ask(
        (await bench.listen({ ...watched(bench.kernel, () => undefined), http: () => ({ ...answer, headers: { "set-cookie": ["c=3"] } }) })).url,
        {},
      );
      deepStrictEqual(single.headers["set-cookie"], ["c=3"]);
    },
  },
  {
    id: "answer.large",
    level: "MUST",
    title: "an answer of megabytes arrives whole",
    why: "Large answers would be cut, or lose characters at the seams.",
    heavy: true,
    run: async (bench) => {
      const input = Array.from({ length: 2_000 }, (_, i) => ({ name: `${"Möwe ".repeat(100)}${i}` }));
      await bench.kernel.execute({ query: "mutation ($m: [AddMillInput!]!) { addMill(input: $m) { numUids } }", variables: { m: input } });
      await sameAnswer(bench, query("{ queryMill { name } }"));
    },
  },
];

/** @param meant what the kernel answers, where that is not the question itself */
async function sameAnswer(bench: Bench, question: Question, meant = question): Promise<void> {
  const { url } = await bench.listen();
  const expected = await inProcess(bench.kernel, url, meant);
  const reply = await ask(url, question);
  deepStrictEqual(shown(reply), {
    status: expected.status,
    headers: expected.headers,
    body: settled(unpacked(Buffer.from(expected.body), expected.headers)),
  });
  strictEqual(reply.headers["content-length"], String(reply.body.length), "content-length");
}

function inProcess(kernel: ServerKernel, url: string, { method = "POST", target = "/graphql", headers = {}, body = "" }: Question) {
  const flat = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), typeof value === "string" ? value : value.join(", ")] as const);
  const request = { method, url: target, headers: { host: new URL(url).host, ...Object.fromEntries(flat) }, body: Buffer.from(body) };
  return Promise.resolve<HttpResponse>(kernel.http({ ...request, remoteAddress: "127.0.0.1" }));
}

/** Headers that are the transport's own. */
const ofTransport = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"]);

function shown({ status, headers, body }: Reply) {
  const kernels = Object.entries(headers).filter(([name]) => !ofTransport.has(name));
  return { status, headers: Object.fromEntries(kernels), body: settled(unpacked(body, headers)) };
}

function unpacked(body: Buffer, headers: Readonly<Record<string, unknown>>): string {
  return (headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString("latin1");
}

/** Without times and request IDs. */
function settled(text: string): string {
  return text.replace(/"(requestID|uptime|lastEcho)":("[^"]*"|\d+)/g, '"$1":0');
}
