// npx tsx test/bench/lambda.ts: ten rows with a function in the process, against the same query without it; over HTTP and in the kernel.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createServerKernel, serve } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../plugins/lambda/index.ts";
import { printTable } from "./table.ts";

const rounds = 41;
const requestsPerRound = 100;

const path = mkdtempSync(join(tmpdir(), "quern-bench-"));
const config = (folder: string) => ({
  storage: leveldbStorage({ path: join(path, folder) }),
  plugins: [identityPlugin(), lambdaPlugin({ functions: { "Hive.note": ({ parents }) => parents.map(({ label }) => `note on ${label}`) } })],
});
const schema = "type Hive { no: Int! @id  label: String  note: String @lambda }";
const rows = Array.from({ length: 10 }, (_, no) => `{ no: ${no}, label: "hive ${no}" }`);
const add = `mutation { addHive(input: [${rows}]) { numUids } }`;
const without = "{ queryHive { no label } }";
const withFunction = "{ queryHive { no label note } }";

const server = await serve({ ...config("http"), transports: [wsTransport()], port: 0, schema });
const agent = new Agent({ pipelining: 1 });
const overHttp = async (query: string): Promise<void> => {
  const reply = await request(`${server.urls[0]}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
    dispatcher: agent,
  });
  await reply.body.text();
};
const kernel = createServerKernel(config("kernel"));
await kernel.open();
await kernel.deploy(schema);
const inKernel = async (query: string): Promise<void> => void (await kernel.execute({ query })).body;

async function milliseconds(ask: (query: string) => Promise<void>, query: string): Promise<number> {
  const begun = performance.now();
  for (let i = 0; i < requestsPerRound; i++) await ask(query);
  return (performance.now() - begun) / requestsPerRound;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Alternately: other work on the machine disturbs both alike. */
async function compare(name: string, ask: (query: string) => Promise<void>): Promise<readonly string[]> {
  await ask(add);
  const pairs: { readonly plain: number; readonly made: number }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ plain: await milliseconds(ask, without), made: await milliseconds(ask, withFunction) });
  const [plain, made, ratio] = [pairs.map((each) => each.plain), pairs.map((each) => each.made), pairs.map((each) => each.made / each.plain)].map(
    median,
  );
  return [name, plain?.toFixed(3) ?? "", made?.toFixed(3) ?? "", ratio?.toFixed(2) ?? ""];
}

printTable(
  ["ten rows", "without, ms", "with a function, ms", "ratio (aim: at most 1.1)"],
  [await compare("over HTTP", overHttp), await compare("in the kernel", inKernel)],
);

await server.close();
await kernel.close();
await agent.close();
rmSync(path, { recursive: true, force: true });
