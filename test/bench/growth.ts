// npm run bench -- --growth: the same questions on 10,000, 100,000 and 1,000,000 nodes; how much slower a decade makes them.

import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figures, load } from "./load.ts";
import { finished, firstLine, residentMiB, runQuern, stopped } from "./processes.ts";
import { printTable, whole } from "./table.ts";

export interface GrowthOptions {
  readonly folder: string;
  readonly seconds: number;
  readonly connections: number;
  /** How many nodes, one store each. */
  readonly sizes: readonly number[];
  /** With an index over the group and the size. */
  readonly isIndexed: boolean;
  /** The stores stay, and the next run reads them. */
  readonly keeps: boolean;
}

const schemaWith = (directives: string) => `
type Item ${directives} {
  name: String! @id
  group: String @search(by: [hash])
  size: Int @search
  next: [Item]
}
`;

/** Groups hold 100 items at every size, so that a question's answer costs the same to write. */
const groupSize = 100;

interface GrowthQuestion {
  readonly name: string;
  readonly query: string;
  readonly variables: (index: number, nodes: number) => Readonly<Record<string, unknown>>;
}

const asked: readonly GrowthQuestion[] = [
  {
    name: "by key",
    query: "query ($name: String!) { getItem(name: $name) { name size } }",
    variables: (index, nodes) => ({ name: itemName((index * 7_919) % nodes) }),
  },
  {
    name: "group by size desc, first ten, nested",
    query:
      "query ($group: String!) { queryItem(filter: { group: { eq: $group } }, order: { desc: size }, first: 10) { name size next(first: 3) { name } } }",
    variables: (index, nodes) => ({ group: groupName((index * 7_919) % (nodes / groupSize)) }),
  },
  {
    name: "all by size desc, first ten",
    query: "query ($offset: Int) { queryItem(order: { desc: size }, first: 10, offset: $offset) { name size } }",
    variables: (index) => ({ offset: index % 97 }),
  },
  {
    name: "count, max, avg of a group",
    query: "query ($group: String!) { aggregateItem(filter: { group: { eq: $group } }) { count sizeMax sizeAvg } }",
    variables: (index, nodes) => ({ group: groupName((index * 7_919) % (nodes / groupSize)) }),
  },
];

export async function printGrowth(options: GrowthOptions): Promise<void> {
  const columns: { readonly nodes: number; readonly figures: readonly Figures[] }[] = [];
  const { sizes } = options;
  for (const nodes of sizes) columns.push({ nodes, figures: await measure(nodes, options) });
  const rows = asked.map(({ name }, index) => {
    const rates = columns.map(({ figures }) => figures[index]?.perSecond ?? 0);
    const decades = rates.slice(1).map((rate, decade) => `${((rates[decade] ?? 0) / rate).toFixed(2)}x`);
    return [name, ...rates.map(whole), ...decades];
  });
  const decadeHeadings = sizes.slice(1).map((nodes, index) => `${whole(sizes[index] ?? 0)} / ${whole(nodes)}`);
  printTable(["req/s by nodes", ...sizes.map(whole), ...decadeHeadings], rows);
  const latencies = asked.map(({ name }, index) => [
    name,
    ...columns.map(({ figures }) => `${(figures[index]?.p50Ms ?? 0).toFixed(1)} / ${(figures[index]?.p99Ms ?? 0).toFixed(1)}`),
  ]);
  printTable(["p50 / p99 in ms by nodes", ...sizes.map(whole)], latencies);
}

async function measure(nodes: number, options: GrowthOptions): Promise<readonly Figures[]> {
  const place = join(options.folder, `${nodes}${options.isIndexed ? "-indexed" : ""}`);
  const data = join(place, "store");
  const loaded = existsSync(data) ? "was loaded before" : await loadItems(nodes, { ...options, place, data });
  const server = runQuern(["start", "--data", data, "--port", "0"]);
  try {
    const figures = await askAll(await firstLine(server), nodes, { ...options, place });
    console.log(`${whole(nodes)} nodes: ${loaded}; serving takes ${residentMiB(server, "VmRSS") ?? "?"} MiB`);
    return figures;
  } finally {
    await stopped(server);
    if (!options.keeps) rmSync(place, { recursive: true, force: true });
  }
}

interface Loading extends GrowthOptions {
  readonly place: string;
  readonly data: string;
}

/** What it took, in words. */
async function loadItems(nodes: number, { place, data, isIndexed }: Loading): Promise<string> {
  const files = { schema: join(place, "schema.graphql"), items: join(place, "items.ndjson") };
  mkdirSync(place, { recursive: true });
  writeFileSync(files.schema, schemaWith(isIndexed ? '@index(fields: ["group", "size"])' : ""));
  await writeItems(files.items, nodes);
  // Under another name until it is whole: a run that is cut off leaves no store behind that looks loaded.
  const part = `${data}.part`;
  rmSync(part, { recursive: true, force: true });
  const { seconds, peakMiB } = await finished(runQuern(["import", files.items, "--type", "Item", "--data", part, "--schema", files.schema]));
  rmSync(files.items);
  renameSync(part, data);
  return `loaded in ${seconds.toFixed(1)} s with at most ${peakMiB ?? "?"} MiB`;
}

async function askAll(
  url: string,
  nodes: number,
  { seconds, connections, place }: GrowthOptions & { readonly place: string },
): Promise<readonly Figures[]> {
  const figures: Figures[] = [];
  for (const { query, variables } of asked) {
    const bodies = Array.from({ length: 2_000 }, (_, index) => JSON.stringify({ query, variables: variables(index, nodes) }));
    await load({ url, connections, seconds: 1, bodies, folder: place });
    figures.push(await load({ url, connections, seconds, bodies, folder: place }));
  }
  return figures;
}

async function writeItems(file: string, nodes: number): Promise<void> {
  const out = createWriteStream(file);
  for (let index = 0; index < nodes; index++) {
    const next = [1, 2, 3].map((step) => itemName((index + step * 37) % nodes));
    const item = { name: itemName(index), group: groupName(index % (nodes / groupSize)), size: (index * 7_919) % 1_000_003, next };
    if (!out.write(`${JSON.stringify(item)}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

function itemName(index: number): string {
  return `item-${index}`;
}

function groupName(index: number): string {
  return `group-${index}`;
}
