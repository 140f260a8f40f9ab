// Whatever is wrong with a token, a key or the request around it: no answer, frame, close reason or log line repeats it.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { writeJson } from "../../../core/ground/json/write-json.ts";
import type { HttpResponse } from "../../../core/transport.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { ask } from "../../adapters/server/http/ask.ts";
import { connect, Line } from "../../adapters/server/socket/line.ts";
import { line, signed, token } from "../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const schema = `type Boat @withSubscription @auth(query: { rule: "{$ROLE: {eq: \\"PILOT\\"}}" }) { name: String! @id }\n${line}`;

/** Marks what must not come back; a token has it in each of its segments. */
const mark = "sesame";
const encodedMark = /c2VzYW1l|Nlc2FtZ|zZXNhbW/u;
const valid = token({ ROLE: mark });
const jwts = [
  valid,
  signed({ alg: mark.repeat(9), typ: mark }, { sub: mark }),
  signed({ alg: "HS256" }, { exp: mark, aud: { a: mark } }),
  `${mark}.${mark}.${mark}`,
  mark,
];
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Bearer ${text}`,
  (text) => `Bearer  ${text}`,
  (text) => `bearer ${text} ${text}`,
  (text) => `BEARER\t${text}`,
  (text) => `Bearer, ${text}`,
  (text) => `Basic ${text}`,
  (text) => `Bearer Bearer ${text}`,
  (text) => `Token "${text}"`,
];
const values = jwts.flatMap((jwt) => forms.map((form) => form(jwt)));

const headers = [
  "x-harbour",
  "authorization",
  "x-auth-token",
  "x-service-authtoken",
  "x-dgraph-authtoken",
  "x-service-accesstoken",
  "x-dgraph-accesstoken",
  "cookie",
  "content-type",
  "content-encoding",
  "accept",
  "quern-after",
  "last-event-id",
  "origin",
];

const adminToken = "t".repeat(32);
const json = { "content-type": "application/json" };
const requests = [
  { body: '{"query":"{ queryBoat { name } }"}' },
  { body: '{"query":"mutation { addBoat(input: [{name: \\"a\\"}]) { numUids } }"}' },
  { body: '{"query":"subscription { queryBoat { name } }"}', accept: "text/event-stream" },
  { body: '{"query":"{ broken"}' },
  { body: '{"id":"nothing","documentId":"nothing"}' },
  { method: "GET", path: "/graphql?query=%7BqueryBoat%7Bname%7D%7D" },
  { path: "/admin", body: '{"query":"{ getGQLSchema { schema } }"}' },
  { path: "/admin/graphql", body: '{"query":"{ queryBoat { name } }"}' },
  { path: "/admin/schema", body: "type T {" },
  { path: "/alter", body: "{}" },
  { path: "/login", body: '{"userid":"groot"}' },
  { path: "/query", body: "{ q(func: type(Boat)) { uid } }" },
  { method: "GET", path: "/state" },
  { method: "GET", path: "/metrics" },
  { method: "GET", path: "/admin/changes" },
];

/** The whole of a response, and the first pieces of one that is a stream. */
async function textOf({ body, stream, headers: sent, status }: HttpResponse): Promise<string> {
  const pieces: string[] = [];
  const listener = stream?.({ waiting: 0, send: (piece) => void pieces.push(piece), end: () => {} });
  if (listener) await vi.waitFor(() => expect(pieces).not.toEqual([]), { interval: 1 });
  listener?.closed();
  return JSON.stringify([status, sent, typeof body === "string" ? body : Buffer.from(body).toString(), pieces]);
}

function leaks(text: string): readonly string[] {
  const found = text.toLowerCase().includes(mark) || encodedMark.test(text) || jwts.some((jwt) => jwt.length > 20 && text.includes(jwt.slice(-20)));
  return found ? [text] : [];
}

describe.each([
  ["rules", () => standardPlugins()],
  ["access control", () => [...standardPlugins(), aclPlugin({ secret: "a secret of the specs: 0123456789abcdef" })]],
])("with %s", (_, plugins) => {
  let stack: TemporaryKernel;
  const logged: string[] = [];
  beforeAll(async () => {
    stack = await temporaryKernel({
      plugins: plugins(),
      admin: { token: adminToken },
      apiKeys: [{ name: "one", kind: "client", hash: "0".repeat(64) }],
      debug: true,
      log: { level: "debug", requests: "info", to: { write: (entry) => void logged.push(writeJson({ ...entry })) } },
    });
    await stack.kernel.deploy(schema);
  });
  afterAll(() => stack.remove());

  it.each(requests.map((request) => [JSON.stringify(request), request] as const))(
    "no answer to %s repeats a header",
    async (_, { accept, ...request }) => {
      for (const name of headers) {
        for (const value of values) {
          // Who may administrate gets further.
          const sent = { ...json, ...(accept && { accept }), "x-service-authtoken": adminToken, [name]: value };
          expect(leaks(await textOf(await ask(stack.kernel, { ...request, headers: sent }))), `${name}: ${value}`).toEqual([]);
        }
      }
      expect(logged.flatMap(leaks)).toEqual([]);
    },
  );

  it("no answer repeats a token that is in a body which is no JSON", async () => {
    for (const value of values) {
      for (const body of [`{"extensions":{"as":{"headers":{"x":"${value}" ${value}`, `{"token":${value}}`, value, `{"id":"1"}${value}`]) {
        for (const path of ["/graphql", "/admin", "/admin/graphql", "/login", "/query", "/alter", "/admin/import"]) {
          const sent = { ...json, "x-service-authtoken": adminToken };
          expect(leaks(await textOf(await ask(stack.kernel, { path, body, headers: sent }))), body).toEqual([]);
        }
      }
    }
    expect(logged.flatMap(leaks)).toEqual([]);
  });

  it.each(["graphql-ws", "graphql-transport-ws", mark, `graphql-ws, ${mark}`])("no frame of %s repeats one", async (protocols) => {
    for (const value of values) {
      const opened = await connect(stack.kernel, { protocols, headers: { authorization: value, "x-harbour": value } });
      if (!(opened instanceof Line)) throw new Error("refused");
      opened.say({ type: "connection_init", payload: { "X-Harbour": value, "X-Dgraph-AccessToken": value, "X-Auth-Token": value } });
      await new Promise(setImmediate);
      for (const type of ["start", "subscribe"]) opened.say({ id: "1", type, payload: { query: "subscription { queryBoat { name } }" } });
      await new Promise(setImmediate);
      expect(leaks(JSON.stringify([opened.unheard, opened.ended])), value).toEqual([]);
      opened.leave();
    }
    expect(logged.flatMap(leaks)).toEqual([]);
  });
});
