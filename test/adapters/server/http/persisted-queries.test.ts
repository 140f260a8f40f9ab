// What is kept of the documents that clients register by their hash, on every storage: valid ones alone, within bounds, the least
// recently used going first. The protocol itself is in graphql-endpoint.test.ts.

import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { PersistedStore, type PersistedStoreOptions } from "../../../../adapters/server/documents/persisted-store.ts";
import { createServerKernel, type LimitOptions, type ServerKernel } from "../../../../adapters/server/index.ts";
import type { Storage } from "../../../../core/storage.ts";
import { compatibleKernel, type TemporaryKernel } from "../../../support/kernel.ts";
import { newPlace, newStorage, storageName } from "../../../support/storage.ts";
import { ask, askJson, json } from "./ask.ts";

const types = "type Mill { name: String! @id  turns: Int @search }";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const prefix = "persisted-query/";
const notFound = { errors: [{ message: "PersistedQueryNotFound", extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } }] };

/** A valid document of about so many bytes. */
const long = (name: string, bytes = 0) => `# ${name} ${"x".repeat(bytes)}\n{ queryMill { name } }`;

async function mills(persistedQueries: LimitOptions["persistedQueries"] = {}, schema = types): Promise<TemporaryKernel> {
  const stack = await compatibleKernel({ limits: { persistedQueries } });
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy(schema);
  return stack;
}

function body(text: string, query?: string) {
  return { ...(query === undefined ? {} : { query }), extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } } };
}

const register = async (kernel: ServerKernel, text: string) => json(await askJson(kernel, body(text, text)));
const byHash = async (kernel: ServerKernel, text: string) => json(await askJson(kernel, body(text)));

/** The hashes of the documents in the storage. */
async function kept(storage: Storage): Promise<readonly string[]> {
  return (await storage.metaNames({ prefix, first: 10_000 })).map((name) => name.slice(prefix.length));
}

describe("a document", () => {
  it("is stored only when it parses and validates", async () => {
    const { kernel } = await mills();
    for (const text of ["{ queryMill {", "{ queryMill { nothing } }", "# nothing", "query A { queryMill { name } } query B { queryMill { name } }"]) {
      expect(await register(kernel, text)).toHaveProperty("errors");
      expect(await byHash(kernel, text)).toEqual(notFound);
    }
    expect(await kept(kernel.storage)).toEqual([]);
    expect(await register(kernel, long("a"))).toMatchObject({ data: { queryMill: [] } });
    expect(await kept(kernel.storage)).toEqual([sha256(long("a"))]);
  });

  it("runs and is not stored when it is longer than limits.persistedQueries.maxDocumentBytes", async () => {
    const { kernel } = await mills({ maxDocumentBytes: 1_000 });
    const [fits, tooLong] = [long("é", 500), long("é", 1_000)];
    for (const text of [fits, tooLong]) expect(await register(kernel, text)).toMatchObject({ data: { queryMill: [] } });
    expect(await byHash(kernel, fits)).toMatchObject({ data: { queryMill: [] } });
    expect(await byHash(kernel, tooLong)).toEqual(notFound);
    expect(await kept(kernel.storage)).toEqual([sha256(fits)]);
  });

  it("is not stored for an unauthorized caller", async () => {
    const secret = '# Dgraph.Authorization {"VerificationKey":"secret","Header":"X-Auth","Namespace":"n","Algo":"HS256","ClosedByDefault":true}';
    const { kernel } = await mills({}, `${types}\n${secret}`);
    await register(kernel, long("a"));
    await askJson(kernel, body(long("b"), long("b")), { "x-auth": "a.b.c" });
    const forged = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJuIjp7fX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    await askJson(kernel, body(long("c"), long("c")), { "x-auth": forged });
    expect(await kept(kernel.storage)).toEqual([]);
  });

  it("is not stored while draining, nor for a page that may not write", async () => {
    const { kernel } = await mills();
    const mutation = 'mutation { deleteMill(filter: { name: { eq: "x" } }) { numUids } }';
    const url = `/graphql?${new URLSearchParams({ query: mutation, extensions: JSON.stringify(body(mutation).extensions) })}`;
    expect(await ask(kernel, { method: "GET", path: url, headers: { "sec-fetch-site": "cross-site" } })).toMatchObject({ status: 403 });
    kernel.setDraining(true);
    await register(kernel, long("a"));
    expect(await kept(kernel.storage)).toEqual([]);
  });

  it("of /admin is stored for administrators only", async () => {
    const { kernel } = await mills();
    const text = "{ health { status } }";
    const request = { path: "/admin", headers: { "content-type": "application/json" }, body: JSON.stringify(body(text, text)) };
    await ask(kernel, { ...request, from: "203.0.113.9" });
    expect(await kept(kernel.storage)).toEqual([]);
    await ask(kernel, { ...request, from: "127.0.0.1" });
    expect(await kept(kernel.storage)).toEqual([sha256(text)]);
  });

  it("is stored once when many clients register it concurrently", async () => {
    const { kernel } = await mills();
    const answers = await Promise.all(Array.from({ length: 30 }, () => register(kernel, long("a"))));
    for (const answer of answers) expect(answer).toMatchObject({ data: { queryMill: [] } });
    expect(await kept(kernel.storage)).toEqual([sha256(long("a"))]);
  });

  it("that a new schema refuses gets the errors of its text, and is answered again under a schema that it fits", async () => {
    const { kernel } = await mills();
    const text = "{ queryMill { name turns } }";
    await register(kernel, text);
    await kernel.deploy("type Mill { name: String! @id }");
    expect(await byHash(kernel, text)).toEqual(json(await askJson(kernel, { query: text })));
    expect(await byHash(kernel, text)).toHaveProperty("errors");
    await kernel.deploy(types);
    expect(await byHash(kernel, text)).toMatchObject({ data: { queryMill: [] } });
  });

  it("whose stored text has another hash is not run", async () => {
    const { kernel } = await mills();
    const wrong = "{ queryMill { turns } }";
    await kernel.storage.transact((transaction) => transaction.setMeta(prefix + sha256(long("a")), wrong), {
      version: kernel.deployment?.version ?? 0,
    });
    expect(await byHash(kernel, long("a"))).toEqual(notFound);
  });
});

describe("all documents together", () => {
  it("stay within limits.persistedQueries.maxBytes", async () => {
    const { kernel } = await mills({ maxBytes: 20_000 });
    const texts = Array.from({ length: 40 }, (_, i) => long(`random ${i}`, 3_000));
    for (const text of texts) expect(await register(kernel, text)).toMatchObject({ data: { queryMill: [] } });
    const there = await kept(kernel.storage);
    expect(there.toSorted()).toEqual(texts.slice(-6).map(sha256).toSorted());
  });

  it("stay within limits.persistedQueries.maxDocuments by evicting the least recently used", async () => {
    const { kernel } = await mills({ maxDocuments: 3 });
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => long(name));
    for (const text of [a, b, c]) await register(kernel, text ?? "");
    await byHash(kernel, a ?? "");
    for (const text of [d, e]) await register(kernel, text ?? "");
    for (const gone of [b, c]) expect(await byHash(kernel, gone ?? "")).toEqual(notFound);
    for (const there of [a, d, e]) expect(await byHash(kernel, there ?? "")).toMatchObject({ data: { queryMill: [] } });
  });

  it("are none when maxDocuments is 0", async () => {
    const { kernel } = await mills({ maxDocuments: 0 });
    expect(await register(kernel, long("a"))).toMatchObject({ data: { queryMill: [] } });
    expect(await kept(kernel.storage)).toEqual([]);
  });

  it("of an earlier version without bounds are trimmed at start", async () => {
    const stack = await mills();
    const texts = Array.from({ length: 12 }, (_, i) => long(`old ${i}`, 1_000));
    const huge = long("huge", 100_000);
    await stack.kernel.storage.transact(
      async (transaction) => {
        for (const text of [...texts, huge]) await transaction.setMeta(prefix + sha256(text), text);
      },
      { version: stack.kernel.deployment?.version ?? 0 },
    );
    const { kernel } = await stack.restart({ limits: { persistedQueries: { maxDocuments: 5 } } });
    const there = await kept(kernel.storage);
    expect(there).toHaveLength(5);
    expect(there).not.toContain(sha256(huge));
    for (const text of texts.filter((each) => there.includes(sha256(each))))
      expect(await byHash(kernel, text)).toMatchObject({ data: { queryMill: [] } });
    await register(kernel, long("new"));
    expect(await kept(kernel.storage)).toHaveLength(5);
    expect(await byHash(kernel, long("new"))).toMatchObject({ data: { queryMill: [] } });
  });

  it("are trimmed at start when the limits are lower than before", async () => {
    const stack = await mills();
    for (const name of ["a", "b", "c"]) await register(stack.kernel, long(name));
    const { kernel } = await stack.restart({ limits: { persistedQueries: { maxDocuments: 1 } } });
    expect(await kept(kernel.storage)).toEqual([sha256(long("c"))]);
  });

  it("are deleted when all is dropped", async () => {
    const { kernel } = await mills();
    await register(kernel, long("a"));
    await kernel.erase({ kind: "all" });
    await kernel.deploy(types);
    expect(await byHash(kernel, long("a"))).toEqual(notFound);
  });
});

it("writes uses once an hour, and loses no recorded use", async () => {
  const storage = await newStorage();
  await storage.open();
  let clock = 1_000_000;
  const options: PersistedStoreOptions = {
    limits: { maxDocuments: 2, maxBytes: 10_000, maxDocumentBytes: 1_000 },
    version: () => 0,
    now: () => clock,
    failed: (thrown) => {
      throw thrown;
    },
  };
  const store = new PersistedStore(storage, options);
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ text: long(name), hash: sha256(long(name)) }));
  if (!a || !b || !c) throw new Error("three documents");
  for (const each of [a, b]) await store.keep(each.hash, each.text);
  const written = storage.latest();
  for (let i = 0; i < 50; i++) expect(await store.get(a.hash)).toBe(a.text);
  expect(storage.latest()).toBe(written);
  clock += 3_600_000;
  for (let i = 0; i < 50; i++) expect(await store.get(a.hash)).toBe(a.text);
  await expect.poll(() => storage.latest()).not.toBe(written);
  const restarted = new PersistedStore(storage, options);
  await restarted.keep(c.hash, c.text);
  expect([await restarted.get(a.hash), await restarted.get(b.hash)]).toEqual([a.text, undefined]);
  await storage.close();
});

it.skipIf(storageName === "level")("shares documents and bounds between two servers of one database", async () => {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  const limits = { persistedQueries: { maxDocuments: 4 } };
  const servers = [1, 2].map(() => createServerKernel({ storage: place.storage(), plugins: standardPlugins(), limits, log: { level: "silent" } }));
  const [one, two] = servers;
  if (!one || !two) throw new Error("two servers");
  await one.open();
  await one.deploy(types);
  await two.open();
  const texts = Array.from({ length: 12 }, (_, i) => long(`many ${i}`));
  await Promise.all(texts.map((text, i) => register(i % 2 === 0 ? one : two, text)));
  expect(await kept(one.storage)).toHaveLength(4);
  await register(one, long("last"));
  // As soon as the other server has heard of the commit; until then its clients send the text again.
  await expect.poll(() => byHash(two, long("last"))).toMatchObject({ data: { queryMill: [] } });
  for (const each of servers) await each.close();
});
