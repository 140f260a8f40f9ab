// npx tsx test/bench/search.ts [--texts 1000000] [--only "term;regexp"] [--seconds 1]: what text search costs inside a process, over the summaries of the
// Debian graph and over generated short texts with places: loading with each index, building each over data that are there,
// its size, and latency and throughput of questions.

import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ClassicLevel } from "classic-level";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { generatedTexts } from "./generated-texts.ts";
import { extract, readPackages, wholeGraph } from "./graph.ts";
import { questionsOfSummaries, questionsOfTexts, type SearchQuestion } from "./search-questions.ts";
import { printTable, whole } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    texts: { type: "string", default: "0" },
    only: { type: "string" },
    seconds: { type: "string", default: "1" },
    skipLoads: { type: "boolean", default: false },
  },
});
const modes = ["", "hash", "exact", "term", "fulltext", "regexp", "ngram", "term, fulltext, regexp", "places"].filter(
  (mode) => !options.only || options.only.split(";").includes(mode),
);
const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly text: string;
  readonly size: number;
  readonly place?: { readonly longitude: number; readonly latitude: number };
}

const graph = wholeGraph() ?? extract();
const packages = await readPackages(graph);
const summaries = packages.map((each): Row => ({ text: each.summary ?? "", size: each.installedSizeKiB }));
console.log(`${whole(packages.length)} summaries of ${graph.whole ? "the whole graph" : "the extract: the whole graph is not here"}\n`);
if (!options.skipLoads) await loads(summaries);
await builds(summaries, questionsOfSummaries(summaries.map((each) => each.text)));

const count = Number(options.texts);
if (count > 0) {
  console.log(`${whole(count)} generated texts\n`);
  const texts = generatedTexts(count);
  await builds(texts, questionsOfTexts);
}

/** `places` searches those, other modes the text. */
function schemaOf(mode: string, withPlace: boolean): string {
  const text = mode === "" || mode === "places" ? "String" : `String @search(by: [${mode}])`;
  const place = withPlace ? `  place: Point${mode === "places" ? " @search" : ""}\n` : "";
  return `type Text {\n  id: ID!\n  text: ${text}\n  size: Int @search\n${place}}`;
}

/** Loads the same rows into an empty store under each index. */
async function loads(rows: readonly Row[]): Promise<void> {
  const results: string[][] = [];
  let plain = 0;
  for (const mode of modes.filter((each) => each !== "places")) {
    const { kernel, path } = await fresh(schemaOf(mode, false));
    const begin = process.cpuUsage();
    const spent = await load(kernel, rows);
    const { user, system } = process.cpuUsage(begin);
    await kernel.close();
    const perRow = (user + system) / rows.length;
    if (mode === "") plain = perRow;
    results.push([
      mode || "no index",
      whole(rows.length / (spent / 1_000)),
      perRow.toFixed(1),
      (perRow - plain).toFixed(1),
      whole((await bytesOf(path)) / rows.length),
    ]);
  }
  printTable(["loading with an index by", "nodes/s", "processor µs a node", "of it index", "bytes a node"], results);
}

/** Loads once, then builds each index over what is there and asks its questions. */
async function builds(rows: readonly Row[], questions: readonly SearchQuestion[]): Promise<void> {
  const withPlace = rows[0]?.place !== undefined;
  const loaded = await fresh(schemaOf("", withPlace));
  const spent = await load(loaded.kernel, rows);
  console.log(`loaded without the index: ${whole(rows.length / (spent / 1_000))} nodes/s, ${megabytes(process.memoryUsage().rss)} resident\n`);
  await loaded.kernel.close();
  const before = await bytesOf(loaded.path);
  const built: string[][] = [];
  const asked: string[][] = [];
  for (const mode of modes.filter((each) => each !== "" && (withPlace || each !== "places"))) {
    const path = mkdtempSync(join(folder, "store-"));
    cpSync(loaded.path, path, { recursive: true });
    const kernel = await opened(path);
    const begin = performance.now();
    await kernel.deploy(schemaOf(mode, withPlace));
    const took = performance.now() - begin;
    for (const question of questions) if (question.mode === mode) asked.push(await measure(kernel, question));
    await kernel.close();
    built.push([
      mode,
      whole(rows.length / (took / 1_000)),
      ((took * 1_000) / rows.length).toFixed(1),
      whole(((await bytesOf(path)) - before) / rows.length),
      megabytes(process.memoryUsage().rss),
    ]);
    rmSync(path, { recursive: true });
  }
  printTable(["building over what is there", "nodes/s", "µs a node", "bytes a node", "resident"], built);
  printTable(["question", "found", "p50 µs", "p99 µs", "a second"], asked);
  rmSync(loaded.path, { recursive: true });
}

async function opened(path: string): Promise<Kernel> {
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins() });
  await kernel.open();
  return kernel;
}

async function fresh(schema: string): Promise<{ readonly kernel: Kernel; readonly path: string }> {
  const path = mkdtempSync(join(folder, "store-"));
  const kernel = await opened(path);
  await kernel.deploy(schema);
  return { kernel, path };
}

/** @returns milliseconds */
async function load(kernel: Kernel, rows: readonly Row[]): Promise<number> {
  const query = "mutation ($input: [AddTextInput!]!) { addText(input: $input) { numUids } }";
  const begin = performance.now();
  const pending: Promise<unknown>[] = [];
  for (let start = 0; start < rows.length; start += 1_000) {
    pending.push(answer(kernel, query, { input: rows.slice(start, start + 1_000) }));
    if (pending.length >= 2) await pending.shift();
  }
  await Promise.all(pending);
  return performance.now() - begin;
}

async function answer(kernel: Kernel, query: string, variables: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await kernel.execute({ query, variables });
  const { data, errors } = JSON.parse(body);
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}

async function measure(kernel: Kernel, { name, query, variables }: SearchQuestion): Promise<string[]> {
  const [found] = Object.values(await answer(kernel, query, variables[0] ?? {}));
  await ask(kernel, { query, variables }, Number(options.seconds) * 500);
  const times = await ask(kernel, { query, variables }, Number(options.seconds) * 1_000);
  times.sort((a, b) => a - b);
  const total = times.reduce((sum, each) => sum + each, 0);
  const at = (share: number) => whole((times[Math.floor(times.length * share)] ?? 0) * 1_000);
  return [name, Array.isArray(found) ? String(found.length) : JSON.stringify(found), at(0.5), at(0.99), whole(times.length / (total / 1_000))];
}

async function ask(kernel: Kernel, { query, variables }: Pick<SearchQuestion, "query" | "variables">, ms: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + ms;
  for (let i = 0; performance.now() < end || times.length < 3; i++) {
    const begin = performance.now();
    await kernel.execute({ query, variables: variables[i % variables.length] ?? {} });
    times.push(performance.now() - begin);
  }
  return times;
}

/** Of a closed store, without what later writes have made stale. */
async function bytesOf(path: string): Promise<number> {
  const db = new ClassicLevel(path);
  await db.open();
  await db.compactRange("", "\u{10ffff}");
  await db.close();
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

function megabytes(bytes: number): string {
  return `${whole(bytes / 2 ** 20)} MB`;
}
