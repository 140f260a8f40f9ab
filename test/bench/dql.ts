// npx tsx test/bench/dql.ts [--data DIR] [--seconds 1]: what DQL costs inside the process, beside the same question through the generated API, on the
// Debian graph.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel } from "../../core/index.ts";
import { queryDql } from "../../plugins/dql/index.ts";
import { extract, readPackages, schemaText, wholeGraph } from "./graph.ts";
import { printTable, whole } from "./table.ts";

const { values: options } = parseArgs({ options: { data: { type: "string" }, seconds: { type: "string", default: "1" } } });
const folder = options.data ?? mkdtempSync(join(tmpdir(), "quern-bench-"));
const isKept = options.data !== undefined && existsSync(join(folder, "CURRENT"));
process.on("exit", () => options.data ?? rmSync(folder, { recursive: true, force: true }));

const graph = wholeGraph() ?? extract();
const packages = await readPackages(graph);
const kernel = createKernel({
  storage: leveldbStorage({ path: folder }),
  plugins: standardPlugins(),
  log: { level: "silent" },
  limits: { maxTimeMs: 60_000, maxTouchedNodes: 50_000_000 },
});
await kernel.open();
if (!isKept) await fill();

async function fill(): Promise<void> {
  await kernel.deploy(schemaText(graph));
  const store = async (type: string, input: readonly unknown[]) => {
    const query = `mutation ($input: [Add${type}Input!]!) { add${type}(input: $input, upsert: true) { numUids } }`;
    for (let at = 0; at < input.length; at += 1_000) {
      const { errors } = JSON.parse((await kernel.execute({ query, variables: { input: input.slice(at, at + 1_000) } })).body);
      if (errors) throw new Error(JSON.stringify(errors).slice(0, 500));
    }
  };
  await store("Maintainer", [...new Map(packages.map(({ maintainer }) => [maintainer.email, maintainer])).values()]);
  await store(
    "Package",
    packages.map(({ dependsOn: _dependsOn, recommends: _recommends, ...values }) => ({ ...values, maintainer: { email: values.maintainer.email } })),
  );
  const links = packages.map(({ name, version, dependsOn }) => ({ name, version, dependsOn: dependsOn.map((each) => ({ name: each })) }));
  await store("Package", links);
}

const many = packages.find(({ dependsOn }) => dependsOn.length >= 40) ?? packages[0];
const [from, to] = [packages.find(({ name }) => name === "gnome") ?? packages[0], packages.find(({ name }) => name === "libc6") ?? packages[1]];
const name = many?.name ?? "";

interface Question {
  readonly what: string;
  readonly dql: string;
  readonly graphql?: string;
}

const questions: readonly Question[] = [
  {
    what: "by key",
    dql: `{ q(func: eq(Package.name, "${name}")) { Package.name Package.version Package.section Package.installedSizeKiB Package.summary } }`,
    graphql: `{ getPackage(name: "${name}") { name version section installedSizeKiB summary } }`,
  },
  {
    what: "filter, order, ten",
    dql: '{ q(func: eq(Package.section, "libs"), orderdesc: Package.installedSizeKiB, first: 10) { Package.name Package.installedSizeKiB Package.maintainer { Maintainer.email } } }',
    graphql:
      '{ queryPackage(filter: { section: { eq: "libs" } }, order: { desc: installedSizeKiB }, first: 10) { name installedSizeKiB maintainer { email } } }',
  },
  {
    what: "count",
    dql: '{ q(func: eq(Package.section, "libs")) { count(uid) } }',
    graphql: '{ aggregatePackage(filter: { section: { eq: "libs" } }) { count } }',
  },
  {
    what: "three levels",
    dql: `{ q(func: eq(Package.name, "${name}")) { Package.name Package.dependsOn { Package.name Package.dependsOn { Package.name Package.dependsOn { Package.name } } } } }`,
    graphql: `{ getPackage(name: "${name}") { name dependsOn { name dependsOn { name dependsOn { name } } } } }`,
  },
  {
    what: "shortest, depth 6",
    dql: `{ a as var(func: eq(Package.name, "${from?.name}")) b as var(func: eq(Package.name, "${to?.name}")) p as shortest(from: uid(a), to: uid(b), depth: 6) { Package.dependsOn } q(func: uid(p)) { Package.name } }`,
  },
  { what: "recurse, depth 5", dql: `{ q(func: eq(Package.name, "${name}")) @recurse(depth: 5) { Package.name Package.dependsOn } }` },
  { what: "groupby section over all", dql: "{ q(func: type(Package)) @groupby(Package.section) { count(uid) } }" },
  { what: "a var of all feeds another", dql: "{ v as var(func: type(Package)) q(func: uid(v), first: 10) { Package.name } }" },
];

interface Cost {
  /** The median. */
  readonly wallMs: number;
  /** The mean, garbage collection included. */
  readonly processorMs: number;
}

const wholeRun = Number(options.seconds) * 1_000;

/** Measures the questions in turns, so that what else the machine does falls on all of them. */
async function costsOf(asks: readonly (() => unknown)[]): Promise<readonly Cost[]> {
  for (const ask of asks) for (let i = 0; i < 3; i++) await ask();
  const walls: number[][] = asks.map(() => []);
  const processors = asks.map(() => 0);
  const end = performance.now() + wholeRun * asks.length;
  for (let round = 0; performance.now() < end || round < 5; round++) {
    for (const [i, ask] of asks.entries()) {
      const begun = performance.now();
      const used = process.cpuUsage();
      await ask();
      const { user, system } = process.cpuUsage(used);
      walls[i]?.push(performance.now() - begun);
      processors[i] = (processors[i] ?? 0) + (user + system) / 1_000;
    }
  }
  return walls.map((times, i) => ({
    wallMs: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0,
    processorMs: (processors[i] ?? 0) / times.length,
  }));
}

console.log(
  `${whole(packages.length)} packages of ${graph.whole ? "the whole graph" : "the extract: the whole graph is not here"}; wall: median milliseconds, processor: mean milliseconds\n`,
);
const rows: string[][] = [];
for (const { what, dql, graphql } of questions) {
  const [own, other] = await costsOf([() => queryDql(kernel, dql), ...(graphql === undefined ? [] : [() => kernel.execute({ query: graphql })])]);
  const texts = (cost: Cost | undefined) => (cost ? [cost.wallMs.toFixed(2), cost.processorMs.toFixed(2)] : ["", ""]);
  const ratio = own && other ? [(own.wallMs / other.wallMs).toFixed(2), (own.processorMs / other.processorMs).toFixed(2)] : ["", ""];
  rows.push([what, ...texts(own), ...texts(other), ...ratio]);
}
printTable(["question", "DQL wall", "processor", "GraphQL wall", "processor", "ratio of wall", "of processor"], rows);
await kernel.close();
