// npx tsx test/bench/search.ts [--texts 1000000] [--areas 20000] [--only "term;regexp"] [--seconds 1] [--skipLoads] [--skipHttp]: what search
// costs, over the summaries of the Debian graph, generated short texts with places, and areas: loading with each index, building each over data
// that are there, its size, and what its questions take inside the process and over HTTP.

import type { ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ClassicLevel } from "classic-level";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { areaAround, generatedTexts, type Place } from "./generated-texts.ts";
import { extract, readPackages, wholeGraph } from "./graph.ts";
import { load as putLoad } from "./load.ts";
import { cpuSeconds, firstLine, runQuern, stopped } from "./processes.ts";
import { questionsOfAreas, questionsOfSummaries, questionsOfTexts, type SearchQuestion } from "./search-questions.ts";
import { printTable, whole } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    texts: { type: "string", default: "0" },
    areas: { type: "string", default: "0" },
    only: { type: "string" },
    seconds: { type: "string", default: "1" },
    skipLoads: { type: "boolean", default: false },
    skipHttp: { type: "boolean", default: false },
  },
});
const modes = ["", "hash", "exact", "term", "fulltext", "regexp", "ngram", "term, fulltext, regexp", "places", "areas"].filter(
  (mode) => !options.only || options.only.split(";").includes(mode),
);
const seconds = Number(options.seconds);
/** Of load on a server before the one that counts, a second each. */
const mostRounds = 15;
const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly text: string;
  readonly size: number;
  readonly place?: Place;
  readonly area?: { readonly coordinates: readonly { readonly points: readonly Place[] }[] };
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

const areas = Number(options.areas);
if (areas > 0) {
  console.log(`${whole(areas)} areas of 100 m to 100 km\n`);
  const rows = generatedTexts(areas).map(({ text, size, place }, index) => ({ text, size, area: areaAround(place, 0.001 * 10 ** (index % 4)) }));
  await builds(rows, questionsOfAreas);
}

type Field = "text" | "place" | "area";

/** What a mode searches. */
function searchedBy(mode: string): Field {
  return mode === "places" ? "place" : mode === "areas" ? "area" : "text";
}

function schemaOf(mode: string, row: Row | undefined): string {
  const searched = searchedBy(mode);
  const text = mode === "" || searched !== "text" ? "String" : `String @search(by: [${mode}])`;
  const place = row?.place ? `  place: Point${searched === "place" ? " @search" : ""}\n` : "";
  const area = row?.area ? `  area: Polygon${searched === "area" ? " @search" : ""}\n` : "";
  return `type Text {\n  id: ID!\n  text: ${text}\n  size: Int @search\n${place}${area}}`;
}

/** Loads the same rows into an empty store under each index. */
async function loads(rows: readonly Row[]): Promise<void> {
  const results: string[][] = [];
  let plain = 0;
  for (const mode of modes.filter((each) => searchedBy(each) === "text")) {
    const { kernel, path } = await fresh(schemaOf(mode, rows[0]));
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
  const [row] = rows;
  const loaded = await fresh(schemaOf("", row));
  const spent = await load(loaded.kernel, rows);
  console.log(`loaded without the index: ${whole(rows.length / (spent / 1_000))} nodes/s, ${megabytes(process.memoryUsage().rss)} resident\n`);
  await loaded.kernel.close();
  const before = await bytesOf(loaded.path);
  const built: string[][] = [];
  const asked: string[][] = [];
  for (const mode of modes.filter((each) => each !== "" && row?.[searchedBy(each)] !== undefined)) {
    const path = mkdtempSync(join(folder, "store-"));
    cpSync(loaded.path, path, { recursive: true });
    const kernel = await opened(path);
    const begin = performance.now();
    const used = processorSeconds();
    await kernel.deploy(schemaOf(mode, row));
    const took = performance.now() - begin;
    const micros = ((processorSeconds() - used) * 1e6) / rows.length;
    const own = questions.filter((question) => question.mode === mode);
    const inside: string[][] = [];
    for (const question of own) inside.push(await measure(kernel, question));
    await kernel.close();
    const served = options.skipHttp ? [] : await overHttp(path, own);
    asked.push(...inside.map((cells, index) => [...cells, ...(served[index] ?? [])]));
    built.push([
      mode,
      whole(rows.length / (took / 1_000)),
      micros.toFixed(1),
      whole(((await bytesOf(path)) - before) / rows.length),
      megabytes(process.memoryUsage().rss),
    ]);
    rmSync(path, { recursive: true });
  }
  printTable(["building over what is there", "nodes/s", "processor µs a node", "bytes a node", "resident"], built);
  const http = options.skipHttp ? [] : ["HTTP a second", "p50 ms", "processor µs", "of a core, /rival"];
  printTable(["question", "found", "p50 µs", "p99 µs", "processor µs", "of a core, /rival", ...http], asked);
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

/** How many answers one core has time for, by those that the best rival gave with two. */
function timesRival(processorMicros: number, rival: number | undefined): string {
  return rival === undefined ? "" : `${(1e6 / processorMicros / rival).toFixed(1)}x`;
}

async function measure(kernel: Kernel, { name, query, variables, rival }: SearchQuestion): Promise<string[]> {
  const [found] = Object.values(await answer(kernel, query, variables[0] ?? {}));
  await ask(kernel, { query, variables });
  const begin = processorSeconds();
  const times = await ask(kernel, { query, variables });
  const micros = ((processorSeconds() - begin) * 1e6) / times.length;
  times.sort((a, b) => a - b);
  const at = (share: number) => whole((times[Math.floor(times.length * share)] ?? 0) * 1_000);
  return [name, Array.isArray(found) ? String(found.length) : JSON.stringify(found), at(0.5), at(0.99), whole(micros), timesRival(micros, rival)];
}

/**
 * For so long by the processor's clock, which other work on the machine does not move, and with all variables at least once, so that the first
 * answer to each is among those of the warming up. @returns the milliseconds of each
 */
async function ask(kernel: Kernel, { query, variables }: Pick<SearchQuestion, "query" | "variables">): Promise<number[]> {
  const times: number[] = [];
  const end = processorSeconds() + seconds;
  for (let i = 0; times.length < Math.max(3, variables.length) || processorSeconds() < end; i++) {
    const begin = performance.now();
    await kernel.execute({ query, variables: variables[i % variables.length] ?? {} });
    times.push(performance.now() - begin);
  }
  return times;
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The same questions to a server on the same data, sixteen at a time. */
async function overHttp(path: string, questions: readonly SearchQuestion[]): Promise<readonly string[][]> {
  const server = runQuern(["start", "--data", path, "--port", "0"]);
  const rows: string[][] = [];
  try {
    const url = await firstLine(server);
    for (const question of questions) {
      // Warm is who has had so much of the processor, with two seconds after its start.
      const warm = Math.max(3, (cpuSeconds(server) ?? 0) + seconds);
      for (let round = 0; round < mostRounds && (cpuSeconds(server) ?? warm) < warm; round++) await served(server, url, question);
      rows.push(await served(server, url, question));
    }
  } finally {
    await stopped(server);
  }
  return rows;
}

async function served(server: ChildProcess, url: string, { query, variables, rival }: SearchQuestion): Promise<string[]> {
  const bodies = variables.map((each) => JSON.stringify({ query, variables: each }));
  const forSeconds = Math.max(1, Math.round(seconds));
  const begin = cpuSeconds(server) ?? Number.NaN;
  const { perSecond, p50Ms, failures } = await putLoad({ url, connections: 16, seconds: forSeconds, bodies, folder });
  const micros = (((cpuSeconds(server) ?? Number.NaN) - begin) * 1e6) / (perSecond * forSeconds);
  // wrk gives up on answers that take two seconds.
  if (failures > 0) return ["", "", "", ""];
  return [whole(perSecond), p50Ms.toFixed(2), whole(micros), timesRival(micros, rival)];
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
