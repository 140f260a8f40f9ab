// npx tsx test/bench/rebuild.ts [--texts 1000000] [--mode regexp] [--data folder]: adding an index over texts that are there, in a process of
// its own: how fast, how much memory it takes from beginning to end, and how long others wait who write meanwhile.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
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

/** What is added, and found by every index. No generated text has it, nor has one of an earlier run. */
const added = `meantime${Date.now()}`;

/** How each index finds it. */
const operators: Readonly<Record<string, string>> = {
  hash: `eq: "${added}"`,
  exact: `eq: "${added}"`,
  term: `allofterms: "${added}"`,
  fulltext: `alloftext: "${added}"`,
  ngram: `ngram: "${added}"`,
  regexp: `regexp: "/${added}/"`,
  trigram: `regexp: "/${added}/"`,
};

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
  // A folder that is kept has the index of the last run.
  await kernel.deploy(schemaOf(""));
  const rows: string[][] = [["0", "", "", residentMiB()]];
  const alone = await addUntil(kernel, AbortSignal.timeout(3_000));
  const begin = performance.now();
  const cpu = process.cpuUsage();
  const done = new AbortController();
  const beside = addUntil(kernel, done.signal);
  await kernel.deploy(schemaOf(` @search(by: [${options.mode}])`), {
    progress: (step) => {
      if (step.done < step.total && step.done < (rows.length * step.total) / 10) return;
      const seconds = (performance.now() - begin) / 1_000;
      rows.push([whole(step.done), seconds.toFixed(1), whole(step.done / seconds), residentMiB()]);
    },
  });
  const { user, system } = process.cpuUsage(cpu);
  done.abort();
  const during = await beside;
  printTable(["nodes done", "seconds", "a second", "MiB resident"], rows);
  console.log(`${options.mode}: ${((user + system) / count).toFixed(1)} µs of processor time a node\n`);
  printTable(["ms from an add to its answer", "adds", "p50", "p99", "most"], [latencies("before the build", alone), latencies("during it", during)]);
  const found = await countOf(kernel);
  const expected = alone.length + during.length;
  if (found !== expected) throw new Error(`the index finds ${found} of the ${expected} texts that were added`);
  await kernel.close();
}

function residentMiB(): string {
  return whole(process.memoryUsage().rss / 2 ** 20);
}

/** Adds a text, waits for its answer and ten milliseconds, and so on. @returns the milliseconds of each */
async function addUntil(kernel: Kernel, ended: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!ended.aborted) {
    const begin = performance.now();
    await answer(kernel, `mutation { addText(input: [{ text: "${added}" }]) { numUids } }`);
    times.push(performance.now() - begin);
    await setTimeout(10);
  }
  return times;
}

function latencies(name: string, times: readonly number[]): string[] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return [name, whole(times.length), at(0.5), at(0.99), at(1)];
}

async function countOf(kernel: Kernel): Promise<number> {
  const [mode = ""] = options.mode.split(",");
  const { aggregateText } = await answer(kernel, `{ aggregateText(filter: { text: { ${operators[mode]} } }) { count } }`);
  return aggregateText.count;
}

async function answer(kernel: Kernel, query: string) {
  const { data, errors } = JSON.parse((await kernel.execute({ query })).body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
