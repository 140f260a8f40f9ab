// npx tsx test/bench/dql.ts [--data DIR] [--seconds 1]: what DQL costs inside the process, beside the same question through the generated API, on the
// Debian graph.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
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

async function msOf(ask: () => unknown): Promise<number> {
  for (let i = 0; i < 3; i++) await ask();
  const times: number[] = [];
  const end = performance.now() + Number(options.seconds) * 1_000;
  while (performance.now() < end || times.length < 5) {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
}

console.log(
  `${whole(packages.length)} packages of ${graph.whole ? "the whole graph" : "the extract: the whole graph is not here"}; median milliseconds\n`,
);
const rows: string[][] = [];
for (const { what, dql, graphql } of questions) {
  const own = await msOf(() => queryDql(kernel, dql));
  const other = graphql === undefined ? undefined : await msOf(() => kernel.execute({ query: graphql }));
  rows.push([what, own.toFixed(2), other?.toFixed(2) ?? "", other === undefined ? "" : (own / other).toFixed(2)]);
}
printTable(["question", "DQL", "GraphQL", "ratio"], rows);
await kernel.close();
