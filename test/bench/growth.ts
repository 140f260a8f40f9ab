// npm run bench -- --growth: the same questions on 10,000, 100,000 and 1,000,000 nodes; how much slower a decade makes them.

import { once } from "node:events";
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from "node:fs";
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
}

async function measure(nodes: number, { folder, seconds, connections, isIndexed }: GrowthOptions): Promise<readonly Figures[]> {
  const place = join(folder, String(nodes));
  mkdirSync(place);
  const files = { schema: join(place, "schema.graphql"), items: join(place, "items.ndjson"), data: join(place, "store") };
  writeFileSync(files.schema, schemaWith(isIndexed ? '@index(fields: ["group", "size"])' : ""));
  await writeItems(files.items, nodes);
  const { seconds: took, peakMiB } = await finished(
    runQuern(["import", files.items, "--type", "Item", "--data", files.data, "--schema", files.schema]),
  );
  const server = runQuern(["start", "--data", files.data, "--port", "0"]);
  const figures: Figures[] = [];
  try {
    const url = await firstLine(server);
    for (const { query, variables } of asked) {
      const bodies = Array.from({ length: 2_000 }, (_, index) => JSON.stringify({ query, variables: variables(index, nodes) }));
      await load({ url, connections, seconds: 1, bodies, folder: place });
      figures.push(await load({ url, connections, seconds, bodies, folder: place }));
    }
    console.log(
      `${whole(nodes)} nodes: loaded in ${took.toFixed(1)} s with at most ${peakMiB ?? "?"} MiB; serving takes ${residentMiB(server, "VmRSS") ?? "?"} MiB`,
    );
  } finally {
    await stopped(server);
    rmSync(place, { recursive: true, force: true });
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
