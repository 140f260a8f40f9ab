// npx tsx test/bench/turns.ts [--only WORD]: in process, requests that could hold the event loop, with the longest turn of each; of turns over 20 ms the
// functions that ran in them. QUERN_STORE names a folder with the store that `relations.ts` has loaded; without it the cases over data are left out.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { printTable } from "./table.ts";
import { TurnMonitor, type Watched } from "./turn-monitor.ts";

const boundMs = 20;
const times = 3;
const { values: given } = parseArgs({ options: { only: { type: "string", default: "" } } });

const several = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i)).join(" ");

/** A text that no run has sent before, of a type `Mill { name, stones, next, all }`. */
type Document = (run: number) => string | Operation;

interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const documents: Readonly<Record<string, Document>> = {
  "one leaf, 3,300 times (10 KB)": (run) => `{ q${run}: queryMill { ${several(3_300, () => "id")} } }`,
  "one leaf, 24,000 times": (run) => `{ q${run}: queryMill { ${several(24_000, () => "id")} } }`,
  "one link, 1,000 times (10 KB)": (run) => `{ q${run}: queryMill { ${several(1_000, () => "next{id}")} } }`,
  "one link, 8,000 times": (run) => `{ q${run}: queryMill { ${several(8_000, () => "next{id}")} } }`,
  "fields that conflict": (run) => `{ q${run}: queryMill { ${several(8_000, (i) => `a: ${i % 2 ? "id" : "name"}`)} } }`,
  "fields with objects": (run) =>
    `{ ${several(700, () => `q${run}: queryMill(filter: {or: [${several(8, (i) => `{name: {eq: "${i}"}}`)}]}) { id }`)} }`,
  "1,500 fragments in one place": (run) =>
    `{ q${run}: queryMill { ${several(1_500, (i) => `...F${i}`)} } } ${several(1_500, (i) => `fragment F${i} on Mill { id name next { id } }`)}`,
  "a chain of 1,000 fragments": (run) =>
    `{ q${run}: queryMill { ...F0 id } } ${several(1_000, (i) => `fragment F${i} on Mill { id ...F${i + 1} }`)} fragment F1000 on Mill { id }`,
  "fragments in circles, 500,000 lines": (run) =>
    `${"\n".repeat(500_000)}{ q${run}: queryMill { ...F0 } } ${several(120, (i) => `fragment F${i} on Mill { id ${several(120, (k) => `...F${k}`)} }`)}`,
  "100 errors behind 40,000 lines": (run) => `${"\n".repeat(40_000)}query (${several(5_000, (i) => `$a${i}: String`)}) { q${run}: queryMill { id } }`,
  "100 errors behind 500,000 lines": (run) =>
    `${"\n".repeat(500_000)}query (${several(5_000, (i) => `$a${i}: String`)}) { q${run}: queryMill { id } }`,
  "a million comments": (run) => `${"#\n".repeat(1_000_000)}{ q${run}: queryMill { id } }`,
  "60 MiB of blanks": (run) => `${" ".repeat(60 * 2 ** 20)}{ q${run}: queryMill { id } }`,
  "50,000 tokens": (run) => `{ q${run}: queryMill { ${several(16_000, (i) => `a${i}: name`)} } }`,
  "50,000 tokens, then an error": (run) => `{ q${run}: queryMill { ${several(16_000, (i) => `a${i}: name`)} } ! }`,
  "48,000 texts in a list": (run) => `{ q${run}: queryMill(filter: {name: {in: [${several(48_000, (i) => `"n${i}"`)}]}}) { id } }`,
  "4,500 conditions": (run) => `{ q${run}: aggregateMill(filter: {or: [${several(4_500, (i) => `{stones: {eq: ${i}}}`)}]}) { count } }`,
  "1,000 root fields": (run) => `{ ${several(1_000, (i) => `q${run}_${i}: queryMill(first: 1) { name stones next { name } }`)} }`,
  "100,000 fields by fragments (5 KB)": (run) =>
    `{ q${run}: queryMill { ${several(9, (i) => `a${i}: next { ...A }`)} } } fragment A on Mill { ${several(9, (i) => `b${i}: next { ...B }`)} } fragment B on Mill { ${several(9, (i) => `c${i}: next { ...C }`)} } fragment C on Mill { ${several(120, (i) => `d${i}: name`)} }`,
  "3,000 operations": (run) => several(3_000, (i) => `query Q${run}_${i} { queryMill(first: 1) { id name } }`),
  "1,000 operations of 3,000 variables": (run) =>
    `${several(1_000, (i) => `query Q${run}_${i}($a: String) { queryMill { ...F } }`)} fragment F on Mill { ${several(3_000, (i) => `a${i}: name @include(if: $a)`)} }`,
  "the schema, 300 times": (run) =>
    `{ ${several(300, (i) => `s${run}_${i}: __schema { types { name fields { name args { name type { name kind } } type { name kind } } } }`)} }`,
  "a filter of 2,000 levels": (run) => `{ q${run}: queryMill(filter: ${"{not: ".repeat(2_000)}{name: {eq: "a"}}${"}".repeat(2_000)}) { id } }`,
  "40 levels of links": (run) => `{ q${run}: queryMill { ${"next { ".repeat(40)} id ${"} ".repeat(40)} } }`,
};

const many = 20_000;
const mills = (run: number) => Array.from({ length: many }, (_, i) => ({ name: `r${run} n${i}`, stones: i % 300 }));

/** Each run begins with what the one before has left. */
const mutations: Readonly<Record<string, Document>> = {
  "add of 20,000 nodes": (run) => ({
    query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }",
    variables: { input: mills(run) },
  }),
  "add of 2,000 nodes that are shown": (run) => ({
    query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { mill { id name stones next { name } } } }",
    variables: { input: mills(run).slice(0, 2_000) },
  }),
  "add of one node with 20,000 links": (run) => ({
    query: "mutation ($input: [AddMillInput!]!) { addMill(input: $input) { numUids } }",
    variables: { input: [{ name: `hub ${run}`, all: mills(run + 10) }] },
  }),
  "update of all nodes": (run) => `mutation { updateMill(input: { filter: {stones: {ge: 0}}, set: { stones: ${run} } }) { numUids } }`,
  "update of a text of all nodes, shown": (run) =>
    `mutation { updateMill(input: { filter: {has: name}, set: { name: "all ${run}" } }) { mill(first: 10) { name } } }`,
  "delete of 20,000 nodes": (run) => `mutation { deleteMill(filter: {stones: {ge: 0}}) { msg numUids } } # ${run}`,
};

const types = 1_000;
const wide = several(
  types,
  (i) => `type Windmill${i} { id: ID! name: String! @id @search(by: [hash, term]) stones${i}: Int @search next: Windmill${(i + 1) % types} }`,
);
const large: Readonly<Record<string, Document>> = {
  "100 unknown types (3 KB)": (run) => `{ queryWindmill1 { ${several(100, (i) => `... on Windmil${run}${i}Filtr { id }`)} } }`,
  "100 unknown types of variables": (run) => `query (${several(100, (i) => `$a${i}: Windmil${run}${i}Filtr`)}) { queryWindmill1 { id } }`,
  "100 unknown fields": (run) => `{ ${several(100, (i) => `qeryWindmil${run}${i} { id }`)} }`,
  introspection: (run) =>
    `query I${run} { __schema { types { name kind description fields(includeDeprecated: true) { name args { name type { ...T } } type { ...T } } inputFields { name type { ...T } } enumValues { name } possibleTypes { name } } } } fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { name } } } }`,
};

const packages: Readonly<Record<string, Document>> = {
  everything: () => "{queryPackage{name section summary installedSizeKiB dependsOn{name summary}}}",
  "100 aliases of all rows": () => `{queryPackage{${several(100, (i) => `a${i}:name`)}}}`,
  "all, ordered by text": () => "{queryPackage(order: {asc: summary}) {name}}",
  "all, ordered by number, offset": () => "{queryPackage(order: {desc: installedSizeKiB}, offset: 10000, first: 1000) {name}}",
  "ordered by the maintainer's name": () => "{queryPackage(order: {maintainer: {asc: name}}) {name}}",
  "ordered by the number of links": () => "{queryMaintainer(order: {packages: {desc: count}}) { email packagesAggregate { count } }}",
  "aggregates of all links": () => "{queryPackage { name requiredByAggregate { count installedSizeKiBMax summaryMin } } }",
  "aggregates of all": () => "{aggregatePackage { count nameMin nameMax installedSizeKiBSum installedSizeKiBAvg summaryMin summaryMax } }",
  every: () => "{aggregatePackage(filter: {dependsOn: {every: {installedSizeKiB: {gt: 100}}}}) { count } }",
  none: () => `{aggregatePackage(filter: {dependsOn: {none: {section: {eq: "libs"}}}}) { count } }`,
  "five levels of some": () =>
    "{aggregatePackage(filter: {dependsOn: {some: {dependsOn: {some: {dependsOn: {every: {requiredBy: {some: {maintainer: {packages: {count: {lt: 9}}}}}}}}}}}}) { count } }",
  "groups by maintainer": () =>
    "{ groupPackage(by: [{field: maintainer}], order: {desc: count}) { key { maintainer { name } } count installedSizeKiBSum installedSizeKiBAvg } }",
  "groups by size": () => "{ groupPackage(by: [{field: installedSizeKiB}]) { key { installedSizeKiB } count } }",
  "4,500 ranges": () =>
    `{aggregatePackage(filter:{or:[${several(4_500, (i) => `{installedSizeKiB:{between:{min:${i * 20},max:${i * 20 + 9}}}}`)}]}){count}}`,
  words: () => `{queryPackage(filter: {summary: {anyofterms: "library for the a and of development files"}}, order: {asc: name}) {name}}`,
  "not words": () => `{queryPackage(filter: {not: {summary: {anyofterms: "library"}}}, order: {asc: summary}, first: 10) {name}}`,
  "a page by its cursor": () =>
    "{ queryPackageConnection(order: {asc: summary}, first: 50000) { edges { cursor } totalCount pageInfo { endCursor } } }",
  "three levels, cascade": () => "{queryPackage @cascade {name dependsOn {name dependsOn(first: 2) {name maintainer { name }}}}}",
};

const monitor = new TurnMonitor(boundMs);
await monitor.open();
const rows: string[][] = [];
const folder = mkdtempSync(join(tmpdir(), "quern-turns-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const small = await opened(join(folder, "small"));
await deploy(
  "deploy of a small type",
  small,
  "type Mill { id: ID!  name: String @search(by: [hash])  stones: Int @search  next: Mill  all: [Mill] }",
);
await runAll(small, documents);
await runAll(small, mutations);
await small.close();
const wideKernel = await opened(join(folder, "wide"));
await deploy("deploy of 1,000 types", wideKernel, wide);
await deploy("deploy of 1,000 types again", wideKernel, `${wide} type Extra { name: String }`);
await runAll(wideKernel, large);
await wideKernel.close();
const store = process.env.QUERN_STORE && join(process.env.QUERN_STORE, "store");
if (store && existsSync(store)) {
  const graph = await opened(store);
  await runAll(graph, packages);
  await graph.close();
}
printTable(["ms", "turns", "longest turn", "of later runs", "answer"], rows);
monitor.close();

async function opened(path: string): Promise<Kernel> {
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  return kernel;
}

async function deploy(name: string, kernel: Kernel, schema: string): Promise<void> {
  if (!name.includes(given.only)) return void (await kernel.deploy(schema));
  show(name, [await monitor.watch(() => kernel.deploy(schema))], "");
}

async function runAll(kernel: Kernel, cases: Readonly<Record<string, Document>>): Promise<void> {
  for (const [name, document] of Object.entries(cases)) {
    if (!name.includes(given.only)) continue;
    const watched: Watched[] = [];
    let answer = "";
    for (let run = 0; run < times; run++) {
      const given = document(run);
      const operation = typeof given === "string" ? { query: given } : given;
      watched.push(
        await monitor.watch(async () => {
          const { pieces, body } = await kernel.execute(operation);
          answer = pieces ? `${pieces.length} pieces` : body.slice(0, 70);
        }),
      );
    }
    show(name, watched, answer);
  }
}

function show(name: string, watched: readonly Watched[], answer: string): void {
  const [first, ...later] = watched;
  const longestLater = Math.max(0, ...later.map(({ longestMs }) => longestMs));
  rows.push([name, `${first?.turns ?? 0}`, (first?.longestMs ?? 0).toFixed(1), longestLater.toFixed(1), answer]);
  console.log(rows.at(-1)?.join(" | "));
  const [longest] = watched.flatMap(({ long }) => long).sort((a, b) => b.ms - a.ms);
  if (longest) for (const stack of longest.stacks) console.log(`      ${stack}`);
}
