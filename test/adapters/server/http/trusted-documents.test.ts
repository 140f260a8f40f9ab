// Trusted documents: files that clients' build steps write, ids as clients send them, and servers that run nothing else, by every way in.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { LogEntry } from "../../../../core/index.ts";
import type { HttpResponse } from "../../../../core/plugin.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../../support/kernel.ts";
import { open } from "../socket/line.ts";
import { ask, askJson, json } from "./ask.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const listed = "query Mills { queryMill { name } }";
const byName = "query Mill($name: String!) { getMill(name: $name) { name } }";
const live = "subscription Live { queryMill { name } }";
const other = "{ queryMill { turns } }";
const types = "type Mill @withSubscription { name: String! @id  turns: Int }";
const kent = { data: { queryMill: [{ name: "Kent" }] } };

const notFound = { message: "PersistedQueryNotFound", extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } };
const notTrusted = { message: expect.stringContaining("trustedDocuments.only"), extensions: { code: "DOCUMENT_NOT_TRUSTED" } };

let stack: TemporaryKernel | undefined;
let folder: string | undefined;
let entries: LogEntry[] = [];
afterEach(async () => {
  await stack?.remove();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  stack = undefined;
});

function fileOf(content: unknown): string {
  folder = mkdtempSync(join(tmpdir(), "quern-trusted-"));
  const file = join(folder, "documents.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

async function trusting(content: unknown, { only = false, ...more }: TemporaryConfig & { readonly only?: boolean } = {}) {
  entries = [];
  const log = { level: "info", to: { write: (entry: LogEntry) => void entries.push(entry) } } as const;
  stack = await compatibleKernel({ trustedDocuments: { file: fileOf(content), only }, log, ...more });
  const { kernel } = stack;
  await kernel.deploy(types);
  const added = await kernel.execute({ query: 'mutation { addMill(input: [{ name: "Kent" }]) { numUids } }' });
  expect(JSON.parse(added.body)).toMatchObject({ data: { addMill: { numUids: 1 } } });
  return kernel;
}

const relay = { "3be4abb81fa595e25eb725b2c6a87508": listed, [sha256(byName)]: byName, live };
const post = async (body: unknown) => json(await askJson(stack?.kernel ?? fail(), body));
const get = async (parameters: Readonly<Record<string, string>>) =>
  json(await ask(stack?.kernel ?? fail(), { method: "GET", path: `/graphql?${new URLSearchParams(parameters)}` }));

function fail(): never {
  throw new Error("no kernel is open");
}

describe("a file of documents", () => {
  it.each([
    ["texts by id, as the Relay compiler and GraphQL code generator write it", { m: listed }],
    [
      "Apollo's manifest",
      { format: "apollo-persisted-query-manifest", version: 1, operations: [{ id: "m", name: "Mills", type: "query", body: listed }] },
    ],
  ])("may hold %s", async (_what, content) => {
    await trusting(content);
    expect(await post({ documentId: "m" })).toMatchObject(kent);
  });

  it.each([
    ["that is not there", undefined, /^trustedDocuments: the file .*missing\.json cannot be used: it is not there/],
    ["that is no JSON", "{", /is no JSON/],
    ["of a list", [listed], /must hold a JSON object, found a list/],
    ["of documents that are no texts", { m: { text: listed } }, /document "m" must be a text that is not empty, found an object/],
    ["of an empty document", { m: " " }, /document "m" must be a text that is not empty/],
    ["of a later manifest", { format: "apollo-persisted-query-manifest", version: 2, operations: [] }, /version 2; version 1 is known/],
    ["of a manifest without operations", { format: "apollo-persisted-query-manifest", version: 1 }, /"operations" must be a list, found nothing/],
    ["of an operation without id", { format: "apollo-persisted-query-manifest", version: 1, operations: [{ body: listed }] }, /operations\[0\]/],
  ])("%s ends the start with a sentence that names it", async (_what, content, message) => {
    const file = content === undefined ? join(tmpdir(), "missing.json") : fileOf(content);
    await expect(compatibleKernel({ trustedDocuments: file })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(message),
    });
  });

  it("may have the id `__proto__`", async () => {
    await trusting(`{"__proto__": ${JSON.stringify(listed)}}`);
    expect(await post({ documentId: "__proto__" })).toMatchObject(kent);
    for (const documentId of ["constructor", "toString"]) expect(await post({ documentId })).toEqual({ errors: [notFound] });
  });

  it("is served with a warning when an id looks like the SHA-256 of another text", async () => {
    await trusting({ [sha256("x")]: listed, md5: byName });
    expect(entries.filter(({ level }) => level === "warn")).toMatchObject([
      { event: "trusted-documents", message: expect.stringContaining(sha256("x")) },
    ]);
    expect(await post({ documentId: sha256("x") })).toMatchObject(kent);
  });
});

describe("an id", () => {
  it.each(["documentId", "doc_id", "id"])("may be sent as %s, by POST and by GET", async (name) => {
    await trusting(relay);
    const [id = ""] = Object.keys(relay);
    expect(await post({ [name]: id })).toMatchObject(kent);
    expect(await get({ [name]: id })).toMatchObject(kent);
    expect(await post({ [name]: "unknown" })).toEqual({ errors: [notFound] });
  });

  it("may be sent as sha256Hash, and with the prefix sha256:", async () => {
    await trusting(relay);
    const variables = { name: "Kent" };
    const found = { data: { getMill: { name: "Kent" } } };
    expect(await post({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(byName) } }, variables })).toMatchObject(found);
    expect(await post({ documentId: `sha256:${sha256(byName)}`, variables })).toMatchObject(found);
  });

  it("may accompany its own text only", async () => {
    await trusting(relay);
    expect(await post({ documentId: "live", query: listed })).toEqual({ errors: [{ message: "query does not match persisted query" }] });
    expect(await post({ id: sha256(byName), query: byName, variables: { name: "Kent" } })).toMatchObject({ data: { getMill: { name: "Kent" } } });
  });

  it("that is unknown or not a string is ignored when the request has a text", async () => {
    await trusting(relay);
    for (const id of ["unknown", 7, null, {}]) expect(await post({ id, query: listed })).toMatchObject(kent);
  });

  it("is ignored without trusted documents", async () => {
    stack = await compatibleKernel();
    await stack.kernel.deploy(types);
    expect(await post({ id: "x" })).toEqual({ errors: [{ message: "no query string supplied in request" }] });
  });
});

describe("beside trusted documents", () => {
  it("other documents run and can be persisted", async () => {
    await trusting(relay);
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(other) } };
    expect(await post({ query: other })).toHaveProperty("data");
    expect(await post({ extensions })).toEqual({ errors: [notFound] });
    expect(await post({ query: other, extensions })).toHaveProperty("data");
    expect(await post({ extensions })).toHaveProperty("data");
  });
});

describe("a server with `only`", () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(other) } };

  it("runs no other document by POST and GET, as JSON, as GraphQL, or with its hash, and stores none", async () => {
    const kernel = await trusting(relay, { only: true });
    for (const body of [
      { query: other },
      { query: other, extensions },
      { query: other, id: "live" },
      { query: `${listed} ` },
      { query: "{ __schema { types { name } } }" },
    ]) {
      expect(await post(body)).toEqual({ errors: ["id" in body ? { message: "query does not match persisted query" } : notTrusted] });
    }
    expect(await get({ query: other })).toEqual({ errors: [notTrusted] });
    const asGraphql = await ask(kernel, { headers: { "content-type": "application/graphql" }, body: other });
    expect(json(asGraphql)).toEqual({ errors: [notTrusted] });
    expect(await post({ extensions })).toEqual({ errors: [notFound] });
    expect(await post({})).toEqual({ errors: [{ message: "no query string supplied in request" }] });
    expect(await kernel.storage.metaNames({ prefix: "persisted-query", first: 10 })).toEqual([]);
  });

  it("does not run a document that was persisted before", async () => {
    await trusting(relay);
    expect(await post({ query: other, extensions })).toHaveProperty("data");
    const file = fileOf(relay);
    stack = await stack?.restart({ trustedDocuments: { file, only: true }, log: { level: "silent" } });
    expect(await post({ extensions })).toEqual({ errors: [notFound] });
    expect(await post({ query: other, extensions })).toEqual({ errors: [notTrusted] });
  });

  it("runs no other document on an event stream", async () => {
    const kernel = await trusting(relay, { only: true });
    const headers = { accept: "text/event-stream", "content-type": "application/json" };
    const answerTo = async (body: object) => eventsOf(await ask(kernel, { headers, body: JSON.stringify(body) }));
    expect(await answerTo({ query: other })).toContain("DOCUMENT_NOT_TRUSTED");
    expect(await answerTo({ query: "subscription { queryMill { turns } }" })).toContain("DOCUMENT_NOT_TRUSTED");
    expect(await answerTo({ documentId: "3be4abb81fa595e25eb725b2c6a87508" })).toContain('"data":{"queryMill":[{"name":"Kent"}]}');
  });

  it.each([
    ["graphql-transport-ws", "subscribe", "next"],
    ["graphql-ws", "start", "data"],
  ])("runs no other document on a WebSocket of %s", async (protocols, begin, result) => {
    const kernel = await trusting(relay, { only: true, limits: { liveKeepAliveMs: 0 } });
    const line = await open(kernel, { protocols });
    line.say({ type: "connection_init" });
    await line.hear();
    line.say({ type: begin, id: "1", payload: { query: "subscription { queryMill { turns } }" } });
    const [refused] = await line.hear();
    expect(refused).toMatchObject({ type: "error", id: "1" });
    expect(JSON.stringify(refused)).toContain("trustedDocuments.only");
    if (begin === "start") await line.hear();
    line.say({ type: begin, id: "2", payload: { id: "live" } });
    expect(await line.hear()).toMatchObject([{ type: result, id: "2", payload: kent }]);
  });

  it("runs a trusted document by its id or its text", async () => {
    await trusting(relay, { only: true });
    expect(await post({ id: "3be4abb81fa595e25eb725b2c6a87508" })).toMatchObject(kent);
    expect(await post({ query: listed })).toMatchObject(kent);
    expect(await post({ query: listed, extensions: { persistedQuery: { version: 1, sha256Hash: sha256(listed) } } })).toMatchObject(kent);
  });

  it("serves no GraphiQL", async () => {
    const kernel = await trusting(relay, { only: true, graphiql: true });
    const headers = { accept: "text/html", "sec-fetch-mode": "navigate" };
    expect((await ask(kernel, { method: "GET", headers })).headers["content-type"]).toBe("application/json");
    expect(await ask(kernel, { method: "GET", path: "/", headers })).toMatchObject({ headers: { location: "console" } });
  });

  it("runs any document for /admin and embedding code", async () => {
    const kernel = await trusting(relay, { only: true });
    const admin = await ask(kernel, { path: "/admin", headers: { "content-type": "application/json" }, body: '{"query":"{ health { status } }"}' });
    expect(json(admin)).toMatchObject({ data: { health: [{ status: "healthy" }] } });
    expect(JSON.parse((await kernel.execute({ query: other })).body)).toHaveProperty("data");
  });
});

describe("a schema that breaks trusted documents", () => {
  const without = "type Mill @withSubscription { title: String! @id }";

  it("is deployed with a warning that names them, also at a restart", async () => {
    const kernel = await trusting({ a: listed, b: "{ __typename }", c: "{ broken" });
    const warnings = () => entries.filter(({ event, level }) => event === "trusted-documents" && level === "warn").map(({ message }) => message);
    await expect.poll(warnings).toEqual([expect.stringMatching(/^1 of 3 trusted documents do not fit the schema: c: Syntax Error/)]);
    await kernel.deploy(without);
    await expect.poll(warnings).toHaveLength(2);
    expect(warnings()[1]).toMatch(/^2 of 3 .*: a \(Mills\): Cannot query field "name" on type "Mill"\..*; c: Syntax Error/);
  });

  it("lists them in the comparison", async () => {
    const kernel = await trusting({ a: listed, b: "{ __typename }" });
    expect((await kernel.compare(`${types}\ntype More { label: String }`)).brokenDocuments).toBeUndefined();
    expect((await kernel.compare(without)).brokenDocuments).toEqual([{ id: "a", name: "Mills", message: expect.stringContaining('"name"') }]);
  });
});

/** What a stream with one result says before it ends. */
function eventsOf({ stream }: HttpResponse): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stream?.({
      waiting: 0,
      send: (piece) => {
        text += piece;
      },
      end: () => resolve(text),
    });
  });
}
