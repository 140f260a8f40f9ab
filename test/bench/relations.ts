// npx tsx test/bench/relations.ts: questions about relations on the Debian graph, in process, with the longest time that the event loop was held;
// beside them the same by hand, as loops over maps in memory. QUERN_STORE names a folder that keeps the loaded store.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { type DebianPackage, extract, readPackages, wholeGraph } from "./graph.ts";
import { groupByEach, type Memory, readMemory, sortedBySize } from "./rivals/memory.ts";
import { printTable } from "./table.ts";

const schema = `
  type Package @paged @groupBy(fields: ["section", "maintainer", "installedSizeKiB"]) {
    name: String! @id @search(by: [exact])
    section: String @search(by: [hash])
    installedSizeKiB: Int @search
    summary: String @search(by: [term])
    maintainer: Maintainer @search
    dependsOn: [Package] @hasInverse(field: requiredBy) @search
    requiredBy: [Package] @search
  }
  type Maintainer { email: String! @id  name: String @search(by: [exact, term])  packages: [Package] @hasInverse(field: maintainer) @search }
`;

const questions: readonly (readonly [string, string])[] = [
  [
    "ten largest of a section by a maintainer's word",
    `{ queryPackage(filter: {section: {eq: "libs"}, maintainer: {name: {anyofterms: "gnome"}}}, order: {desc: installedSizeKiB}, first: 10) { name } }`,
  ],
  ["maintainers of more than fifty", "{ queryMaintainer(filter: {packages: {count: {gt: 50}}}) { email } }"],
  ["every, over the whole graph", "{ aggregatePackage(filter: {dependsOn: {every: {installedSizeKiB: {gt: 100}}}}) { count } }"],
  ["none, over the whole graph", `{ aggregatePackage(filter: {dependsOn: {none: {section: {eq: "libs"}}}}) { count } }`],
  [
    "five links deep",
    "{ aggregatePackage(filter: {dependsOn: {some: {dependsOn: {some: {dependsOn: {every: {requiredBy: {some: {maintainer: {packages: {count: {lt: 9}}}}}}}}}}}}) { count } }",
  ],
  ["groups by section, count and average", "{ groupPackage(by: [{field: section}]) { key { section } count installedSizeKiBAvg } }"],
  [
    "ten groups by maintainer, most first",
    "{ groupPackage(by: [{field: maintainer}], order: {desc: count}, first: 10) { key { maintainer { name } } count installedSizeKiBSum } }",
  ],
  [
    "groups by section of what a filter leaves",
    `{ groupPackage(by: [{field: section}], filter: {summary: {anyofterms: "library"}}) { key { section } count installedSizeKiBAvg } }`,
  ],
  ["ten packages by their maintainers", "{ queryPackage(order: {maintainer: {asc: name}}, first: 10) { name } }"],
  [
    "maintainers of more than fifty by their number",
    "{ queryMaintainer(filter: {packages: {count: {gt: 50}}}, order: {packages: {desc: count}}) { email } }",
  ],
];

const runs = Number(process.env.QUERN_RUNS ?? 41);
const folder = process.env.QUERN_STORE ?? mkdtempSync(join(tmpdir(), "quern-bench-"));
if (!process.env.QUERN_STORE) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(folder, { recursive: true });
const isLoaded = existsSync(join(folder, "store"));
const kernel = createKernel({ storage: leveldbStorage({ path: join(folder, "store") }), plugins: standardPlugins(), log: { level: "silent" } });
await kernel.open();
await kernel.deploy(schema);
if (!isLoaded) await load(kernel);
const memory = await readMemory();
const byHand = handWritten(memory);
const rows: string[][] = [];
for (const [label, text] of questions) rows.push([label, ...(await measure(text)), handTime(byHand[label])]);
printTable(["ms in process", "first", "median", "p95", "loop held", "by hand"], rows);
const pageRows: string[][] = [];
for (const order of ["{asc: installedSizeKiB}", "{asc: name}", "{desc: installedSizeKiB, then: {asc: name}}", "{asc: summary}", ""])
  pageRows.push(await pages(order));
printTable(["ms of processor time", "first page", "hundredth", "ratio", "totalCount of a section"], pageRows);
await kernel.close();

async function load(into: Kernel): Promise<void> {
  const packages = await readPackages(wholeGraph() ?? extract());
  const send = async (query: string, input: readonly unknown[]) => {
    for (let i = 0; i < input.length; i += 1_000) {
      const { errors } = JSON.parse((await into.execute({ query, variables: { input: input.slice(i, i + 1_000) } })).body);
      if (errors) throw new Error(JSON.stringify(errors).slice(0, 500));
    }
  };
  const maintainers = new Map(packages.map(({ maintainer }) => [maintainer.email, maintainer]));
  await send("mutation($input: [AddMaintainerInput!]!) { addMaintainer(input: $input) { numUids } }", [...maintainers.values()]);
  const plain = packages.map(({ name, section, installedSizeKiB, summary, maintainer }) => ({
    name,
    section,
    installedSizeKiB,
    summary,
    maintainer: { email: maintainer.email },
  }));
  await send("mutation($input: [AddPackageInput!]!) { addPackage(input: $input) { numUids } }", plain);
  const names = new Set(packages.map(({ name }) => name));
  const linked = packages.map(({ name, dependsOn }) => ({
    name,
    dependsOn: dependsOn.filter((each) => names.has(each)).map((each) => ({ name: each })),
  }));
  await send("mutation($input: [AddPackageInput!]!) { addPackage(input: $input, upsert: true) { numUids } }", linked);
}

/** The first page, the hundredth and a count. */
async function pages(order: string): Promise<string[]> {
  const by = order === "" ? "" : `order: ${order}, `;
  const shown = "{ edges { cursor } nodes { name } pageInfo { hasNextPage endCursor } }";
  const { data } = JSON.parse((await kernel.execute({ query: `{ queryPackageConnection(${by}first: 990) { pageInfo { endCursor } } }` })).body);
  const [first = [], hundredth = [], total = []] = await processorTimes([
    `{ queryPackageConnection(${by}first: 10) ${shown} }`,
    `{ queryPackageConnection(${by}first: 10, after: "${data.queryPackageConnection.pageInfo.endCursor}") ${shown} }`,
    `{ queryPackageConnection(${by}first: 10, filter: {section: {eq: "libs"}}) { totalCount } }`,
  ]);
  const ratios = first.map((each, round) => (hundredth[round] ?? Number.NaN) / each);
  const [firstMs, hundredthMs, ratio, totalMs] = [first, hundredth, ratios, total].map((each) => quantile(each, 0.5));
  return [order || "by uid", ...[firstMs, hundredthMs, ratio, totalMs].map((each = Number.NaN) => each.toFixed(3))];
}

/** Milliseconds of each request, of each round: rounds of one query and the next alternate, so that both meet the same machine. */
async function processorTimes(queries: readonly string[]): Promise<readonly (readonly number[])[]> {
  const times = queries.map((): number[] => []);
  for (let round = -2; round < runs; round++) {
    for (const [i, query] of queries.entries()) {
      const start = process.cpuUsage();
      let asked = 0;
      for (const until = performance.now() + 20; asked === 0 || performance.now() < until; asked++) await kernel.execute({ query });
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times[i]?.push((user + system) / asked / 1_000);
    }
  }
  return times;
}

async function measure(query: string): Promise<readonly string[]> {
  const [only = []] = await measureInTurn([query]);
  return only;
}

/** One run of each after the other, again and again: what disturbs the machine disturbs all of them. */
async function measureInTurn(queries: readonly string[]): Promise<readonly (readonly string[])[]> {
  const measured = queries.map((query) => ({ query, times: [] as number[], delay: monitorEventLoopDelay({ resolution: 1 }) }));
  for (let i = 0; i <= runs; i++) {
    for (const { query, times, delay } of measured) {
      if (i > 0) delay.enable();
      const start = performance.now();
      const { body } = await kernel.execute({ query });
      times.push(performance.now() - start);
      if (i === 0 && (body.startsWith('{"errors') || process.env.QUERN_SHOW)) console.log(body.slice(0, 300));
      await new Promise((resolve) => setImmediate(resolve));
      delay.disable();
    }
  }
  return measured.map(({ times: [first = 0, ...rest], delay }) => [
    ...[first, quantile(rest, 0.5), quantile(rest, 0.95)].map((each) => each.toFixed(2)),
    (delay.max / 1e6).toFixed(1),
  ]);
}

function quantile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN;
}

function handTime(work: (() => unknown) | undefined): string {
  if (!work) return "";
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    JSON.stringify(work());
    return performance.now() - start;
  });
  return quantile(times, 0.5).toFixed(2);
}

/** As somebody would write it who has all packages in maps, with the indexes that the schema asks for. */
function handWritten({ all, byName, bySection }: Memory): Readonly<Record<string, () => unknown>> {
  const maintained = groupByEach(all, ({ maintainer }) => [maintainer.email]);
  const libs = sortedBySize(bySection.get("libs") ?? []);
  const hasWord = ({ maintainer }: DebianPackage) => /(^|[^a-z0-9])gnome([^a-z0-9]|$)/i.test(maintainer.name);
  const over = (least: number) => [...maintained].filter(([, packages]) => packages.length > least);
  const depends = ({ dependsOn }: DebianPackage) => dependsOn.flatMap((name) => byName.get(name) ?? []);
  const mean = (packages: readonly DebianPackage[]) => packages.reduce((sum, each) => sum + each.installedSizeKiB, 0) / packages.length;
  return {
    "ten largest of a section by a maintainer's word": () =>
      libs
        .filter(hasWord)
        .slice(0, 10)
        .map(({ name }) => name),
    "maintainers of more than fifty": () => over(50).map(([email]) => email),
    "every, over the whole graph": () => all.filter((each) => depends(each).every(({ installedSizeKiB }) => installedSizeKiB > 100)).length,
    "none, over the whole graph": () => all.filter((each) => !depends(each).some(({ section }) => section === "libs")).length,
    "groups by section, count and average": () =>
      [...groupByEach(all, ({ section }) => [section])].map(([section, packages]) => [section, packages.length, mean(packages)]),
    "ten packages by their maintainers": () =>
      [...all]
        .sort((a, b) => (a.maintainer.name < b.maintainer.name ? -1 : 1))
        .slice(0, 10)
        .map(({ name }) => name),
    "maintainers of more than fifty by their number": () =>
      over(50)
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([email]) => email),
  };
}
