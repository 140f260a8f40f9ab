// What read workers are worth: long questions over the Debian graph, asked in turns of a server without workers and of one with them. Then reads by key
// while other connections scan the whole graph.
//
//     npx tsx test/bench/workers.ts --workers 2 --store FOLDER

import type { ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { extract, type Graph, readPackages, schemaText, wholeGraph } from "./graph.ts";
import { generator, load } from "./load.ts";
import { cpuSeconds, finished, firstLine, residentMiB, runQuern, stopped } from "./processes.ts";
import { questions } from "./questions.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({
  options: {
    /** Threads of the second server. */
    workers: { type: "string", default: "2" },
    /** A store that holds the graph, which saves loading it. */
    store: { type: "string" },
    seconds: { type: "string", default: "3" },
    /** Windows of each server. The best one counts: other work on the machine slows the rest. */
    rounds: { type: "string", default: "3" },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = 8;
/** Windows in which reads by key meet most packages once. */
const warmUps = 4;

interface Asked {
  readonly name: string;
  readonly bodies: readonly string[];
}

interface Server {
  readonly process: ChildProcess;
  readonly url: string;
}

interface Window {
  readonly perSecond: number;
  /** Cores that the server kept busy. */
  readonly cores: number;
}

const none: Window = { perSecond: 0, cores: 0 };
const graph = wholeGraph() ?? extract();
const folder = mkdtempSync(join(tmpdir(), "quern-workers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const data = graph.whole ? "the whole graph" : "the small extract of the example";
console.log(`Node ${process.version}, load by ${generator}, ${connections} connections, best of ${rounds} windows of ${seconds} s, ${data}\n`);

const packages = await readPackages(graph);
const store = values.store ?? (await loaded(graph));
// One process alone can open a store.
const without = await start("without", "0");
const withWorkers = await start("with", values.workers);
try {
  await printLong();
  await printByKey();
  const resident = ({ process: child }: Server) => `${residentMiB(child, "VmRSS") ?? "?"} MiB`;
  console.log(`resident: ${resident(without)} without workers, ${resident(withWorkers)} with ${values.workers}`);
} finally {
  await Promise.all([stopped(without.process), stopped(withWorkers.process)]);
}

async function loaded({ file }: Graph): Promise<string> {
  const schema = join(folder, "schema.graphql");
  writeFileSync(schema, schemaText(graph));
  await finished(runQuern(["import", file, "--type", "Package", "--data", join(folder, "store"), "--schema", schema]));
  return join(folder, "store");
}

async function start(name: string, workers: string): Promise<Server> {
  cpSync(store, join(folder, name), { recursive: true });
  const child = runQuern(["start", "--data", join(folder, name), "--port", "0", "--workers", workers]);
  return { process: child, url: await firstLine(child) };
}

function longQuestions(): readonly Asked[] {
  const numbers = Array.from({ length: 97 }, (_, index) => index);
  const sections = [...new Set(packages.map(({ section }) => section))];
  const threeLevels = questions(packages).find(({ name }) => name.startsWith("three levels, 20"));
  return [
    { name: "three levels, 20 and more dependencies", bodies: bodiesOf(threeLevels?.query ?? "", threeLevels?.variables ?? []) },
    {
      name: "aggregate of all but a section, without an index",
      bodies: bodiesOf(
        "query ($section: String!) { aggregatePackage(filter: { not: { section: { eq: $section } } }) { count installedSizeKiBMax downloadSizeAvg } }",
        sections.map((section) => ({ section })),
      ),
    },
    {
      name: "regexp without three letters in a row",
      bodies: bodiesOf(
        "query ($text: String!) { aggregatePackage(filter: { summary: { regexp: $text } }) { count } }",
        numbers.map((n) => ({ text: `/[${String.fromCharCode(97 + (n % 26))}][0-9]x?[a-z]$/` })),
      ),
    },
    {
      name: "all by version, ten from 10,000 on",
      bodies: bodiesOf(
        "query ($offset: Int) { queryPackage(order: { asc: version, then: { asc: name } }, first: 10, offset: $offset) { name version } }",
        numbers.map((n) => ({ offset: 10_000 + n })),
      ),
    },
  ];
}

function bodiesOf(query: string, variables: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return variables.map((each) => JSON.stringify({ query, variables: each }));
}

function byKey(): Asked {
  const question = questions(packages).find(({ name }) => name === "package by key");
  return { name: "by key", bodies: bodiesOf(question?.query ?? "", question?.variables ?? []) };
}

async function printLong(): Promise<void> {
  const rows: string[][] = [];
  for (const asked of longQuestions()) {
    const [before, after] = await inTurns(asked);
    rows.push([
      asked.name,
      whole(before.perSecond),
      whole(after.perSecond),
      (after.perSecond / before.perSecond).toFixed(2),
      before.cores.toFixed(2),
      after.cores.toFixed(2),
    ]);
  }
  printTable(["requests a second", "without", `with ${values.workers}`, "ratio", "cores without", "cores with"], rows);
}

async function inTurns(asked: Asked): Promise<readonly [Window, Window]> {
  const best: [Window, Window] = [none, none];
  for (let round = 0; round < rounds; round++) {
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const measured = await windowOf(at === 0 ? without : withWorkers, asked);
      if (measured.perSecond > best[at].perSecond) best[at] = measured;
    }
  }
  return best;
}

async function windowOf({ process: child, url }: Server, { name, bodies }: Asked): Promise<Window> {
  const before = cpuSeconds(child) ?? 0;
  const { perSecond, failures } = await load({ url, bodies, connections, seconds, folder });
  if (failures > 0) throw new Error(`${name}: ${failures} requests failed`);
  return { perSecond, cores: ((cpuSeconds(child) ?? 0) - before) / seconds };
}

/** The rate by key of one client, alone and beside connections that scan without a pause. */
async function printByKey(): Promise<void> {
  const asked = byKey();
  const [scan] = longQuestions().filter(({ name }) => name.startsWith("aggregate"));
  const rows: string[][] = [];
  for (const [name, server] of [
    ["without workers", without],
    [`with ${values.workers}`, withWorkers],
  ] as const) {
    // The long questions have filled the cache of the kernel without workers, and not that of the other one.
    for (let i = 0; i < warmUps; i++) await windowOf(server, asked);
    const quiet = await bestOf(() => windowOf(server, asked));
    const beside = await bestOf(async () => {
      const [window] = await Promise.all([windowOf(server, asked), scan && windowOf(server, scan)]);
      return window;
    });
    rows.push([name, whole(quiet), whole(beside), `${Math.round((100 * beside) / quiet)} %`]);
  }
  printTable([`by key a second`, "alone", `beside ${connections} scans`, "kept"], rows);
}

async function bestOf(measure: () => Promise<Window>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) rates.push((await measure()).perSecond);
  return Math.max(...rates);
}
