// npx tsx test/bench/lambda.ts: ten rows with a function in the process, against the same query without it, over HTTP and in the kernel; and a schema
// without such fields, with the plugins of custom logic and without them. Processor time, that of the client over HTTP included.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createServerKernel, serve } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import type { Kernel } from "../../core/index.ts";
import { customPlugin } from "../../plugins/custom/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../plugins/lambda/index.ts";
import { printTable } from "./table.ts";

const rounds = 21;
const requestsPerRound = 200;
/** Until the compiler has seen enough. */
const requestsBefore = 3_000;

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
const kernels: Kernel[] = [];
async function kernelWith(own: Pick<ReturnType<typeof config>, "storage" | "plugins">, text: string): Promise<(query: string) => Promise<void>> {
  const kernel = createServerKernel(own);
  kernels.push(kernel);
  await kernel.open();
  await kernel.deploy(text);
  const ask = async (query: string): Promise<void> => void (await kernel.execute({ query })).body;
  await ask(add);
  return ask;
}
const inKernel = await kernelWith(config("kernel"), schema);
const plainSchema = schema.replace("note: String @lambda", "");
const withPlugins = await kernelWith({ ...config("with"), plugins: [identityPlugin(), customPlugin(), lambdaPlugin()] }, plainSchema);
const withoutPlugins = await kernelWith({ ...config("without"), plugins: [identityPlugin()] }, plainSchema);
await overHttp(add);

async function microseconds(ask: () => Promise<void>, requests: number): Promise<number> {
  const begun = process.cpuUsage();
  for (let i = 0; i < requests; i++) await ask();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / requests;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Pair {
  readonly plain: () => Promise<void>;
  readonly made: () => Promise<void>;
}

/** Alternately: other work on the machine disturbs both alike. */
async function compare(name: string, { plain, made }: Pair): Promise<readonly string[]> {
  await microseconds(plain, requestsBefore);
  await microseconds(made, requestsBefore);
  const pairs: { readonly plain: number; readonly made: number }[] = [];
  for (let round = 0; round < rounds; round++)
    pairs.push({ plain: await microseconds(plain, requestsPerRound), made: await microseconds(made, requestsPerRound) });
  const without = median(pairs.map((each) => each.plain));
  const ratio = median(pairs.map((each) => each.made / each.plain));
  return [name, without.toFixed(0), median(pairs.map((each) => each.made)).toFixed(0), ratio.toFixed(2)];
}

const functionIn = (ask: (query: string) => Promise<void>): Pair => ({ plain: () => ask(without), made: () => ask(withFunction) });
printTable(
  ["ten rows", "without, µs", "with, µs", "ratio"],
  [
    await compare("a function, over HTTP (aim: at most 1.1)", functionIn(overHttp)),
    await compare("a function, in the kernel", functionIn(inKernel)),
    await compare("the plugins, no such field (aim: 1)", { plain: () => withoutPlugins(without), made: () => withPlugins(without) }),
  ],
);

await server.close();
for (const kernel of kernels) await kernel.close();
await agent.close();
rmSync(path, { recursive: true, force: true });
