// Ten thousand requests that are wrong in some way nobody thought of: each gets an answer of a documented kind, none a fault, a stack or a
// place of the machine, and none takes long. The seed is fixed unless QUERN_INPUT_SEED names another; QUERN_INPUT_RUNS asks for more.

import { Agent, request as send } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import { type LogEntry, parseJson } from "../../../core/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import fc, { examples } from "../../support/properties.ts";
import { leak } from "./lines.ts";

const runs = Number(process.env.QUERN_INPUT_RUNS ?? examples(5_000));
const seed = Number(process.env.QUERN_INPUT_SEED ?? 4);
const slowMs = 5_000;

const schema = `
  interface Craft { id: ID!  name: String! @id @search(by: [hash, regexp]) }
  type Boat implements Craft { seats: Int @search  miles: Int64 @search  price: Float @search  built: DateTime @search  open: Boolean @search
    tags: [String] @search(by: [term])  spot: Point @search  mood: Mood @search  home: Harbor @hasInverse(field: boats)  cargo: [Cargo] }
  type Harbor @secret(field: "pin") { code: String! @id  boats: [Boat]  area: Polygon @search }
  type Crate { weight: Float @search(by: [float]) }
  enum Mood { CALM ROUGH }
  union Cargo = Crate | Harbor`;

// ---- documents --------------------------------------------------------------------------------------------------------

/** Tokens that documents of this schema are made of, and some that they are not. */
const tokens = `{ } ( ) [ ] : ! = | & ... @ $ " """ # , query mutation subscription fragment on true false null __typename __schema __type
  queryBoat getBoat aggregateBoat addBoat updateBoat deleteBoat queryCraft updateCraft queryHarbor checkHarborPassword addHarbor addCrate
  id name seats miles price built open tags spot mood home boats cargo code area weight pin count seatsSum boatsAggregate numUids boat msg
  filter order first offset input upsert set remove asc desc then and or not has eq in le ge between min max regexp allofterms near within
  memberTypes crateFilter harborRef crateRef coordinate distance longitude latitude polygon coordinates points Boat Harbor Crate CALM ROUGH
  @cascade @skip @include @cacheControl if fields maxAge $v $w Int String ID Boolean 0 1 -1 2147483648 9223372036854775808 1e400 1.5 -0 0x1
  "0x1" "" "/a/" "/(/" "/(a+)+$/" "2031" "2031-13-45" "\\ud800" "\\u{1F6A2}" "a\\u0000b" 00 1a é 🚢 \u0000 \ufeff`
  .split(/\s+/)
  .filter((token) => token !== "");
const wild = fc.array(fc.constantFrom(...tokens), { maxLength: 40 }).map((list) => list.join(" "));

const documents = [
  '{ queryBoat(filter: {seats: {ge: 1}, or: {name: {regexp: "/a/"}}}, order: {desc: seats, then: {asc: name}}, first: 2) @cascade { id name home { code boatsAggregate { count seatsSum } } } }',
  "query q($v: BoatFilter, $w: Int) { a: queryBoat(filter: $v, first: $w) { name cargo(filter: {memberTypes: [Crate]}) { ... on Crate { weight } } } aggregateBoat { count milesSum } }",
  'mutation { addBoat(input: [{name: "n", seats: 1, miles: 2, price: 3.5, built: "2031", tags: ["a"], spot: {longitude: 1, latitude: 2}, mood: CALM, home: {code: "h", pin: "secret"}, cargo: [{crateRef: {weight: 1}}]}], upsert: true) { boat { id } numUids } }',
  'mutation m($v: UpdateBoatInput!) { updateBoat(input: $v) { boat { name } numUids } deleteCraft(filter: {name: {eq: "zz"}}) { msg } }',
  "{ __schema { types { name fields { name type { name ofType { name } } } } } }",
  'query { getCraft(name: "n") { __typename ... on Boat { spot { longitude } } } checkHarborPassword(code: "h", pin: "secret") { code } }',
];

/** A document with pieces cut out, doubled, swapped or replaced. */
const torn = fc
  .tuple(fc.constantFrom(...documents), fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(3), fc.constantFrom(...tokens)), { maxLength: 4 }))
  .map(([text, cuts]) =>
    cuts.reduce((document, [from, length, how, token]) => {
      const start = document.length === 0 ? 0 : from % document.length;
      const piece = document.slice(start, start + (length % 20));
      const middle = how === 0 ? "" : how === 1 ? piece + piece : how === 2 ? token : [...piece].reverse().join("");
      return document.slice(0, start) + middle + document.slice(start + piece.length);
    }, text),
  );
const deep = fc
  .tuple(fc.constantFrom("{", "{ queryBoat ", "{ home { boats ", "[", "{ queryBoat(filter: {not: "), fc.integer({ min: 1, max: 3_000 }))
  .map(([piece, count]) => piece.repeat(count));
const document = fc.oneof(
  { weight: 5, arbitrary: torn },
  { weight: 3, arbitrary: wild },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

// ---- bodies -----------------------------------------------------------------------------------------------------------

const oddValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, 1e308, "0x1", "", [], {}, [null], { eq: null }, { "": "" }, { constructor: 1 }),
);
const variables = fc.oneof(fc.constant(undefined), oddValue, fc.dictionary(fc.constantFrom("v", "w", "__proto__"), oddValue));
const object = fc
  .record({
    query: fc.oneof({ weight: 9, arbitrary: document }, { weight: 1, arbitrary: oddValue }),
    variables,
    operationName: fc.oneof(fc.constant(undefined), fc.constantFrom("q", "m", "", 7)),
    extensions: fc.oneof(fc.constant(undefined), oddValue),
  })
  .map((body) => JSON.stringify(body));
/** JSON with a few characters changed. */
const brokenJson = fc
  .tuple(object, fc.nat(), fc.string({ unit: "binary", maxLength: 3 }))
  .map(([text, at, noise]) => text.slice(0, at % (text.length + 1)) + noise + text.slice((at % (text.length + 1)) + 1));
const schemaText = fc
  .tuple(fc.constant(schema), fc.nat(), fc.constantFrom(...tokens, "type", "@id", "@search(by: [x])", "extend", "scalar", "# Dgraph.Authorization {"))
  .map(([text, at, noise]) => `${text.slice(0, at % text.length)} ${noise} ${text.slice(at % text.length)}`);
const body = fc.oneof(
  { weight: 6, arbitrary: object.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: brokenJson.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: document.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: object.map((text) => gzipSync(text)) },
);

// ---- requests ---------------------------------------------------------------------------------------------------------

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const graphqlHeaders = fc.record(
  {
    "content-type": fc.constantFrom(
      "application/json",
      "application/json",
      "application/json",
      "application/graphql",
      "application/json; charset=utf-8",
      "text/plain",
      "a/b;",
      ";",
      "multipart/form-data",
    ),
    accept: fc.constantFrom(
      "*/*",
      "application/graphql-response+json",
      "text/html",
      "application/graphql-response+json, application/json;q=0",
      "text/event-stream",
      "multipart/mixed",
      ",",
    ),
    "content-encoding": fc.constantFrom("gzip", "deflate", "gzip, gzip"),
    "accept-encoding": fc.constantFrom("gzip", "gzip;q=0", "*"),
    origin: fc.constantFrom("null", "https://a.example", "x"),
    "sec-fetch-site": fc.constantFrom("cross-site", "same-origin", "?"),
    "x-auth-token": fc.constantFrom("", "a"),
    authorization: fc.constantFrom("Bearer", "Bearer a.b.c", "Basic x"),
    cookie: fc.constant("a=b; c"),
  },
  { requiredKeys: ["content-type"] },
);
const encoded = (text: string) => encodeURIComponent(Buffer.from(text).toString());
const graphql: fc.Arbitrary<Asked> = fc.record({
  method: fc.constantFrom("POST", "POST", "POST", "POST", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"),
  path: fc.constantFrom("/graphql", "/graphql", "/graphql", "/graphql?query=", "/graphql?x", "/graphql#x", "/admin"),
  headers: graphqlHeaders,
  body,
});
const byGet: fc.Arbitrary<Asked> = fc
  .record({ query: document, variables: fc.option(fc.string({ unit: "binary" })), headers: graphqlHeaders, raw: fc.boolean() })
  .map(({ query, variables: given, headers, raw }) => {
    const text = encoded(query).slice(0, 8_000);
    return {
      method: "GET",
      path: `/graphql?query=${raw ? `${text}%` : text}${given === null ? "" : `&variables=${encoded(given)}`}`,
      headers,
      body: Buffer.alloc(0),
    };
  });
const elsewhere: fc.Arbitrary<Asked> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"),
  path: fc.constantFrom(
    "/health",
    "/state",
    "/probe/graphql",
    "/admin/schema/validate",
    "/admin/config/cache_mb",
    "/admin/draining?enable=maybe",
    "/alter",
    "/login",
    "/metrics",
    "/",
    "//",
    "/%",
    "/..%2f..",
    "/graphql/../admin",
    "/admin/schema?dryRun=true",
    "/admin/schema?dryRun=true&details=true",
    "*",
  ),
  headers: graphqlHeaders,
  body: fc.oneof(
    schemaText.map((text) => Buffer.from(text)),
    body,
    fc.constantFrom(...['{"drop_op":"NOTHING"}', '{"drop_attr":5}', "256", "-1"].map((text) => Buffer.from(text))),
  ),
});
const asked: fc.Arbitrary<Asked> = fc.oneof({ weight: 7, arbitrary: graphql }, { weight: 2, arbitrary: byGet }, { weight: 2, arbitrary: elsewhere });

// ---- the judgement ----------------------------------------------------------------------------------------------------

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly tookMs: number;
}

function judge(question: Asked, { status, type, text, tookMs }: Answered): void {
  expect(status).toBeLessThan(500);
  expect(text).not.toMatch(leak);
  expect(tookMs).toBeLessThan(slowMs);
  const path = question.path.split(/[?#]/)[0];
  if (question.method === "HEAD" || question.method === "OPTIONS") return;
  if (path === "/graphql" && !String(question.headers.accept).includes("graphql-response")) expect([200, 403]).toContain(status);
  expect([200, 400, 403, 404, 405, 406, 413, 415]).toContain(status);
  if (type.includes("json")) expect(typeof parseJson(text)).toBe("object");
  else expect(type).toMatch(/^text\/(?:plain|html|event-stream)|^multipart\/mixed|^$/);
}

describe.each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("%s", (_name, transport) => {
  const faults: LogEntry[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ log: { level: "error", to: { write: (entry) => void faults.push(entry) } } });
    await stack.kernel.deploy(schema);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    agent.destroy();
    await server.close(0);
    await stack.remove();
  });

  function exchange({ method, path, headers, body: bytes }: Asked): Promise<Answered> {
    const begin = performance.now();
    return new Promise((resolve, reject) => {
      const sent = send({
        host: "127.0.0.1",
        port: Number(new URL(server.url).port),
        method,
        path,
        headers: { ...headers, ...(bytes.length > 0 && { "content-length": bytes.length }) },
        agent,
        timeout: slowMs,
      });
      sent.on("timeout", () => sent.destroy(new Error("no answer")));
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        const finish = () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            text: textOf(Buffer.concat(chunks), response.headers["content-encoding"]),
            tookMs: performance.now() - begin,
          });
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", finish);
      });
      sent.end(bytes);
    });
  }

  it(`answers ${runs / 2} generated requests`, async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (question) => {
        judge(question, await exchange(question));
        expect(faults.splice(0)).toEqual([]);
      }),
      { seed, numRuns: runs / 2 },
    );
    const after = await exchange({
      method: "POST",
      path: "/graphql",
      headers: { "content-type": "application/json" },
      body: Buffer.from('{"query":"{ aggregateCrate { count } }"}'),
    });
    expect(after.text).toMatch(/^\{"data":\{"aggregateCrate":\{"count":\d+\}\}/);
  }, 300_000);
});

function textOf(bytes: Buffer, encoding: string | undefined): string {
  return (encoding === "gzip" && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString();
}
