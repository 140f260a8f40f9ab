// Read workers as threads of a real server: each of its queries runs in one, and what it shows is what its client has written before.

import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ask, type Running, started, temporaryFolder } from "../../cli/quern.ts";

const config = fileURLToPath(new URL("mills.config.mjs", import.meta.url));
const schema = (more: string) => `type Mill {\n  name: String! @id\n  stones: Int! @search\n  ${more}\n}\n`;

interface Answer {
  readonly data?: {
    readonly getMill?: { readonly stones: number };
    readonly queryMill?: readonly { readonly name: string; readonly stones: number }[];
  };
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

let folder: ReturnType<typeof temporaryFolder>;
let server: Running & { readonly url: string };

beforeEach(async () => {
  folder = temporaryFolder();
  server = await started(folder.path, "--config", config, "--admin-open");
  await deploy(schema(""));
});
afterEach(async () => {
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
  folder.remove();
});

const query = (text: string, variables?: Readonly<Record<string, unknown>>) => ask(server.url, text, variables) as Promise<Answer>;
const put = (name: string, stones: number) =>
  query("mutation ($name: String!, $stones: Int!) { addMill(input: [{ name: $name, stones: $stones }], upsert: true) { numUids } }", {
    name,
    stones,
  });

async function deploy(text: string): Promise<void> {
  const answer = await fetch(new URL("/admin/schema", server.url), { method: "POST", body: text });
  expect(await answer.json()).toMatchObject({ data: { code: "Success" } });
}

/** A counter of `GET /metrics`. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(new URL("/metrics", server.url))).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** Asks until both workers take queries: the second starts when a query finds the first one busy. */
async function ready(): Promise<void> {
  const longQuery = `{ ${Array.from({ length: 50 }, (_, i) => `a${i}: queryMill(filter: { stones: { ge: 0 } }) { name }`).join(" ")} }`;
  while ((await metric("quern_read_workers_ready")) < 2) {
    await Promise.all([query(longQuery), query(longQuery)]);
    // A thread that starts needs the processor.
    await pause(50);
  }
}

it("no thread starts before a query needs one, and a second one only beside a busy one", async () => {
  await put("Kent", 2);
  expect(await metric("quern_read_workers_ready")).toBe(0);
  while ((await metric("quern_read_workers_ready")) < 1) {
    await query("{ queryMill { name } }");
    await pause(10);
  }
  const handed = await metric("quern_read_workers_queries_total");
  for (let i = 0; i < 5; i++)
    expect(await query("{ queryMill { name } }")).toEqual({ data: { queryMill: [{ name: "Kent" }] }, extensions: { touched_uids: 1 } });
  expect(await metric("quern_read_workers_queries_total")).toBe(handed + 5);
  expect(await metric("quern_read_workers_ready")).toBe(1);
  await ready();
});

it("a thread that no query asks ends, and the next query starts another one", async () => {
  await put("Kent", 2);
  server.child.kill("SIGTERM");
  await server.ended;
  process.env.IDLE_MS = "300";
  try {
    server = await started(folder.path, "--config", config, "--admin-open");
  } finally {
    delete process.env.IDLE_MS;
  }
  for (let times = 0; times < 2; times++) {
    while ((await metric("quern_read_workers_ready")) < 1)
      expect(await query("{ queryMill { name } }")).toMatchObject({ data: { queryMill: [{ name: "Kent" }] } });
    // Nobody asks a query meanwhile: the metrics are none.
    while ((await metric("quern_read_workers_ready")) > 0) await pause(20);
  }
  expect(await metric("quern_read_workers_restarts_total")).toBe(0);
});

/** Its answer of 50 MB takes more memory than a worker has. */
const tooLarge = `{ ${Array.from({ length: 900 }, (_, i) => `a${i}: queryMill(filter: { stones: { eq: -1 } }) { name }`).join(" ")} }`;

async function addMany(): Promise<void> {
  const input = Array.from({ length: 2_000 }, (_, i) => ({ name: `one of many ${i}`, stones: -1 }));
  await query("mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }", { input });
}

it("a query that needs too much memory ends its thread alone: its client gets an error, and the server goes on", async () => {
  await addMany();
  await ready();
  const { errors } = await query(tooLarge);
  expect(errors?.map(({ message }) => message)).toEqual([
    "The query, or one beside it, needed more memory than a read worker has (64 MiB). Narrow its filter, or read page by page.",
  ]);
  await ready();
  expect(await metric("quern_read_workers_restarts_total")).toBe(1);
  await put("Kent", 2);
  expect(await query('{ getMill(name: "Kent") { stones } }')).toMatchObject({ data: { getMill: { stones: 2 } } });
});

it("each client sees what it has written, and no mill goes back, while others write, schemas are deployed and threads end", async () => {
  const clients = 8;
  const rounds = 15;
  await addMany();
  for (let i = 0; i < clients; i++) await put(`mill ${i}`, 0);
  await ready();
  let ended = 0;
  let threadsEnded = 0;
  const client = async (own: number) => {
    const seen = new Map<string, number>();
    for (let round = 1; round <= rounds || threadsEnded === 0; round++) {
      expect(await put(`mill ${own}`, round)).not.toHaveProperty("errors");
      const rows = await read(`{ queryMill(filter: { stones: { ge: 0 } }) { name stones } }`, ({ queryMill }) => queryMill);
      expect(rows).toHaveLength(clients);
      for (const { name, stones } of rows) {
        if (name === `mill ${own}`) expect(stones).toBe(round);
        expect(stones).toBeGreaterThanOrEqual(seen.get(name) ?? 0);
        seen.set(name, stones);
      }
      const byKey = await read(`{ getMill(name: "mill ${own}") { stones } }`, ({ getMill }) => getMill);
      expect(byKey.stones).toBe(round);
    }
    ended++;
  };
  const disturber = async () => {
    for (let i = 0; ended < clients; i++) {
      if (threadsEnded < 3) await query(tooLarge);
      threadsEnded = await metric("quern_read_workers_restarts_total");
      await deploy(schema(`field${i % 5}: String @search(by: [hash])`));
      await pause(20);
    }
  };
  await Promise.all([...Array.from({ length: clients }, (_, i) => client(i)), disturber()]);
  expect(await metric("quern_read_workers_queries_total")).toBeGreaterThan(clients * rounds);
});

/** What `part` finds in the answer. A client whose thread has ended, or who came during a deploy, asks again. */
async function read<T>(text: string, part: (data: NonNullable<Answer["data"]>) => T | undefined): Promise<T> {
  for (;;) {
    const { data, errors } = await query(text);
    const found = errors === undefined && data !== undefined ? part(data) : undefined;
    if (found !== undefined) return found;
    expect(errors?.map(({ message }) => message).join()).toMatch(/thread that ran the query has ended|needed more memory than a read worker/);
  }
}
