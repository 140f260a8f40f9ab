// npx tsx test/bench/rebuild.ts [--texts 1000000] [--mode regexp] [--data folder]: adding an index over texts that are there, in a process of
// its own: how fast, and how much memory it takes from beginning to end.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { generatedTexts } from "./generated-texts.ts";
import { finished, runFile } from "./processes.ts";
import { printTable, whole } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    texts: { type: "string", default: "1000000" },
    mode: { type: "string", default: "regexp" },
    data: { type: "string" },
    /** What a child process does. */
    role: { type: "string" },
  },
});
const count = Number(options.texts);

if (options.role === "load") await load(options.data ?? "");
else if (options.role === "build") await build(options.data ?? "");
else {
  const folder = options.data ?? mkdtempSync(join(tmpdir(), "quern-rebuild-"));
  if (options.data === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const run = async (role: string) => {
    const child = runFile(new URL(import.meta.url), ["--role", role, "--data", folder, "--texts", options.texts, "--mode", options.mode]);
    if (role === "build") child.stdout?.pipe(process.stdout);
    return finished(child);
  };
  if (options.data === undefined || !existsSync(folder)) await run("load");
  const { peakMiB } = await run("build");
  console.log(`at most ${whole(peakMiB ?? 0)} MiB resident`);
}

function schemaOf(search: string): string {
  return `type Text {\n  id: ID!\n  text: String${search}\n}`;
}

async function opened(path: string): Promise<Kernel> {
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins() });
  await kernel.open();
  return kernel;
}

async function load(path: string): Promise<void> {
  const kernel = await opened(path);
  await kernel.deploy(schemaOf(""));
  const texts = generatedTexts(count).map(({ text }) => ({ text }));
  const query = "mutation ($input: [AddTextInput!]!) { addText(input: $input) { numUids } }";
  for (let start = 0; start < count; start += 2_000) await kernel.execute({ query, variables: { input: texts.slice(start, start + 2_000) } });
  await kernel.close();
}

async function build(path: string): Promise<void> {
  const kernel = await opened(path);
  const residentMiB = () => whole(process.memoryUsage().rss / 2 ** 20);
  const rows: string[][] = [["0", "", residentMiB()]];
  const begin = performance.now();
  const cpu = process.cpuUsage();
  let shown = 0;
  await kernel.deploy(schemaOf(` @search(by: [${options.mode}])`), {
    progress: ({ done, total }) => {
      if (done < (shown + 1) * (total / 10)) return;
      shown = Math.floor((done / total) * 10);
      rows.push([whole(done), whole(done / ((performance.now() - begin) / 1_000)), residentMiB()]);
    },
  });
  const { user, system } = process.cpuUsage(cpu);
  printTable(["nodes done", "a second", "MiB resident"], rows);
  console.log(`${options.mode}: ${((user + system) / count).toFixed(1)} µs of processor time a node`);
  await kernel.close();
}
