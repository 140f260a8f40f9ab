// npx tsx test/bench/custom.ts: ten rows with one BATCH custom field, against the same two requests made by hand.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { serve } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { customPlugin } from "../../plugins/custom/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { printTable } from "./table.ts";

const rounds = 9;
const requestsPerRound = 300;

const stub = createServer(async (incoming, response) => {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const list: unknown[] = JSON.parse(Buffer.concat(parts).toString());
  response.end(JSON.stringify(list.map(() => "x")));
});
await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
const service = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/`;

const path = mkdtempSync(join(tmpdir(), "quern-bench-"));
const server = await serve({
  storage: leveldbStorage({ path }),
  transports: [wsTransport()],
  port: 0,
  plugins: [identityPlugin(), customPlugin()],
  schema: `type Hive { no: Int! @id  label: String  note: String @custom(http: { url: "${service}", method: POST, mode: BATCH, body: "{ no: $no }" }) }`,
});
const [quern = ""] = server.urls;
const agent = new Agent({ pipelining: 1 });

async function post(url: string, body: unknown): Promise<unknown> {
  const reply = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    dispatcher: agent,
  });
  return await reply.body.json();
}

const rows = Array.from({ length: 10 }, (_, no) => `{ no: ${no}, label: "hive ${no}" }`);
await post(`${quern}/graphql`, { query: `mutation { addHive(input: [${rows}]) { numUids } }` });

async function byHand(): Promise<void> {
  const { data } = (await post(`${quern}/graphql`, { query: "{ queryHive { no label } }" })) as { data: { queryHive: { no: number }[] } };
  await post(
    service,
    data.queryHive.map(({ no }) => ({ no })),
  );
}

async function byField(): Promise<void> {
  await post(`${quern}/graphql`, { query: "{ queryHive { no label note } }" });
}

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  for (let i = 0; i < requestsPerRound; i++) await work();
  return (performance.now() - begun) / requestsPerRound;
}

/** Alternately: other work on the machine disturbs both alike. */
const pairs: { readonly hand: number; readonly field: number }[] = [];
for (let round = 0; round < rounds; round++) pairs.push({ hand: await milliseconds(byHand), field: await milliseconds(byField) });
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const ratio = median(pairs.map(({ hand, field }) => field / hand));
printTable(
  ["ten rows with a BATCH field", "ms"],
  [
    ["two requests by hand", median(pairs.map(({ hand }) => hand)).toFixed(2)],
    ["custom field", median(pairs.map(({ field }) => field)).toFixed(2)],
    ["ratio (aim: at most 1.5)", ratio.toFixed(2)],
  ],
);

await server.close();
await agent.close();
stub.close();
rmSync(path, { recursive: true, force: true });
