// What administrators have done, kept in the store.

import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { auditPlugin } from "../../../plugins/audit/index.ts";
import { dqlPlugin } from "../../../plugins/dql/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel;

async function start(options: Parameters<typeof auditPlugin>[0] = {}): Promise<void> {
  stack = await temporaryKernel({
    plugins: [identityPlugin(), dqlPlugin(), auditPlugin(options)],
    admin: { token: "hush-admin-token", drop: true },
    apiKeys: [{ name: "deployer", kind: "admin", hash: createHash("sha256").update("hush-admin-key").digest("hex") }],
    log: { level: "silent" },
  });
  const { remove } = stack;
  onTestFinished(() => remove());
}

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const token = { "x-service-authtoken": "hush-admin-token" };

async function send(url: string, { method = "POST", body = "", headers = token }: Sent = {}): Promise<string> {
  const request = { method, url, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(body), remoteAddress: "192.0.2.7" };
  const answer = await stack.kernel.http(request);
  return String(answer.body);
}

async function admin(query: string, variables: object = {}): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await send("/admin", { body: JSON.stringify({ query, variables }) })).data;
}

interface Entry {
  readonly at: string;
  readonly action: string;
  readonly who: string;
  readonly from: string;
  readonly what: string;
  readonly outcome: string;
}

async function audit(args = ""): Promise<readonly Entry[]> {
  const { audit: entries } = (await admin(`{ audit${args} { at action who from what outcome } }`)) as { readonly audit: readonly Entry[] };
  return entries;
}

async function texts(args = ""): Promise<readonly string[]> {
  return (await audit(args)).map(({ what }) => what);
}

const schema = `type Weir { name: String! @id  note: String }
# a comment with hush-in-schema
`;
const add = 'mutation Add { addWeir(input: [{ name: "hush-value", note: "hush" }]) { numUids } }';

describe("the audit of administrators", () => {
  beforeEach(() => start());

  it("has who did what, when and from where, and neither values nor tokens", async () => {
    const begun = Date.now();
    await send("/admin/schema", { body: schema, headers: { "x-auth-token": "hush-admin-key", ...token } });
    await send("/admin/graphql", { body: JSON.stringify({ query: add }) });
    await admin("mutation { draining(enable: true) { response { code } } }");
    await send("/admin/draining?enable=false");
    await send("/alter", { body: '{"drop_attr": "Weir.note"}' });
    const entries = await audit();
    expect(entries.map(({ action, who, what, outcome }) => [action, who, what, outcome])).toEqual([
      ["/alter", "admin token", "dropped the values of Weir.note", "done"],
      ["draining", "admin token", "ended the draining of the server", "done"],
      ["draining", "admin token", "began to drain the server", "done"],
      ["/admin/graphql", "admin token", "edited data by addWeir, 1 node touched", "done"],
      ["updateGQLSchema", "key deployer", "deployed a schema with 1 type", "done"],
    ]);
    expect(new Set(entries.map(({ from }) => from))).toEqual(new Set(["192.0.2.7"]));
    for (const { at } of entries) expect(Date.parse(at) >= begun && Date.parse(at) <= Date.now() + entries.length).toBe(true);
    expect(JSON.stringify(entries)).not.toContain("hush");
  });

  it("has what failed as failed, and nothing of reads, of comparisons and of what was refused", async () => {
    await send("/admin/schema", { body: "type Weir {" });
    await send("/admin/schema?dryRun=true", { body: schema });
    await send("/admin/schema", { body: schema, headers: {} });
    await send("/admin/schema", { body: schema });
    await send("/admin/graphql", { body: JSON.stringify({ query: "{ queryWeir { name } }" }) });
    await send("/admin/readings", { method: "GET" });
    await admin("{ health { status } }");
    await stack.kernel.execute({ query: add });
    expect((await audit()).map(({ what, outcome }) => [what, outcome])).toEqual([
      ["deployed a schema with 1 type", "done"],
      ["deployed a schema with 1 type", "failed"],
    ]);
  });

  it("keeps an erasure of everything and what comes after it", async () => {
    await send("/admin/schema", { body: schema });
    await send("/alter", { body: '{"drop_all": true}' });
    expect(await texts()).toContain("dropped the schema and all data");
    await send("/admin/schema", { body: schema });
    expect((await texts()).slice(0, 2)).toEqual(["deployed a schema with 1 type", "dropped the schema and all data"]);
  });

  it("is found by who, action, sentence and time, in pages", async () => {
    await send("/admin/schema", { body: schema, headers: { "x-auth-token": "hush-admin-key", ...token } });
    await send("/admin/draining?enable=true");
    await send("/admin/draining?enable=false");
    expect(await texts('(who: "DEPLOYER")')).toEqual(["deployed a schema with 1 type"]);
    expect(await texts('(who: "192.0.2")')).toHaveLength(3);
    expect(await texts('(action: "drain", text: "began")')).toEqual(["began to drain the server"]);
    const [newest] = await audit("(first: 1)");
    expect(newest?.what).toBe("ended the draining of the server");
    expect(await texts(`(before: "${newest?.at}")`)).not.toContain("ended the draining of the server");
    expect(await texts(`(since: "${newest?.at}")`)).toContain("ended the draining of the server");
    await Promise.all(Array.from({ length: 20 }, () => send("/admin/draining?enable=false")));
    expect(new Set((await audit()).map(({ at }) => at)).size).toBe(23);
    expect(await send("/admin", { body: JSON.stringify({ query: '{ audit(since: "yesterday") { at } }' }) })).toContain("before and since are times");
  });

  it("cannot be read or written by the API and by DQL, and is no part of the schema", async () => {
    await send("/admin/schema", { body: schema });
    const { generatedSchema } = (await admin("{ getGQLSchema { generatedSchema } }")).getGQLSchema as { readonly generatedSchema: string };
    expect(generatedSchema).not.toMatch(/audit/i);
    const dql = await send("/query", {
      body: "{ q(func: type(audit.Entry)) { uid expand(_all_) } }",
      headers: { ...token, "content-type": "application/dql" },
    });
    expect(dql).not.toContain("deployed");
    await send("/mutate?commitNow=true", { body: JSON.stringify({ set: [{ "dgraph.type": "audit.Entry", "audit.Entry.what": "forged" }] }) });
    expect(await texts('(text: "forged")')).toEqual([]);
  });
});

it("keeps entries for the days and the number that it is given", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  await start({ keepDays: 2, maxEntries: 3 });
  const hour = 3_600_000;
  const now = Date.now();
  for (let i = 0; i < 5; i++) {
    vi.setSystemTime(now + i * hour * 1.1);
    await send(`/admin/draining?enable=${i % 2 === 0}`);
  }
  expect(await texts()).toHaveLength(3);
  vi.setSystemTime(now + 47 * hour);
  expect(await texts()).toHaveLength(3);
  vi.setSystemTime(now + 49 * hour + 3.3 * hour);
  expect(await texts()).toHaveLength(1);
  await send("/admin/draining?enable=false");
  const stored = await stack.kernel.storage.snapshot({ version: stack.kernel.stored?.version ?? 0 }).find({ types: ["audit.Entry"], fields: [] });
  expect(stored.uids).toHaveLength(2);
});

it("refuses a number of days or entries that is none", () => {
  expect(() => auditPlugin({ keepDays: 0 })).toThrow("keepDays must be a whole number above 0");
  expect(() => auditPlugin({ maxEntries: 1.5 })).toThrow("maxEntries must be a whole number above 0");
});
