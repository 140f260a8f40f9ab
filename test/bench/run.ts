// npm run bench: the questions of the speed table, asked of Quern over HTTP beside bare node:http; durable adds beside the disk; the load.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { syncedBatchRate } from "./disk.ts";
import { type DebianPackage, extract, type Graph, readPackages, wholeGraph } from "./graph.ts";
import { printGrowth } from "./growth.ts";
import { type Figures, generator, type Load, load } from "./load.ts";
import { finished, firstLine, residentMiB, runFile, runQuern, stopped } from "./processes.ts";
import { add, addRivals, bareBody, type Question, questions } from "./questions.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
    only: { type: "string" },
    growth: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

console.log(`Node ${process.version}, load by ${generator}, ${connections} connections, ${seconds} s a row\n`);
if (values.growth) await printGrowth({ folder, seconds, connections });
else await printQuestions(chosenGraph());

function chosenGraph(): Graph {
  const graph = wholeGraph();
  if (graph !== undefined) return graph;
  console.log("THE WHOLE GRAPH IS NOT AT HAND (set QUERN_DATA to its folder): these are figures of the example's small extract.\n");
  return extract();
}

async function printQuestions(graph: Graph): Promise<void> {
  const data = join(folder, "store");
  const packages = await readPackages(graph);
  await printLoading(graph, packages, data);
  const bare = await bareRate();
  const server = runQuern(["start", "--data", data, "--port", "0"]);
  try {
    const url = await firstLine(server);
    await printReads(url, questions(packages), bare);
    await printAdds(url);
    console.log(`resident after the run: ${residentMiB(server, "VmRSS") ?? "?"} MiB, at most ${residentMiB(server, "VmHWM") ?? "?"} MiB`);
  } finally {
    await stopped(server);
  }
}

async function printLoading(graph: Graph, packages: readonly DebianPackage[], data: string): Promise<void> {
  const links = packages.reduce((sum, each) => sum + each.dependsOn.length + each.recommends.length, 0);
  const { seconds: took, peakMiB } = await finished(runQuern(["import", graph.file, "--type", "Package", "--data", data, "--schema", graph.schema]));
  const rows = [
    [`${whole(packages.length)} packages, ${whole(links)} links`, took.toFixed(1), whole(packages.length / took), String(peakMiB ?? "?")],
  ];
  printTable(["loading", "seconds", "nodes/s", "peak MiB"], rows);
}

async function bareRate(): Promise<Figures> {
  const server = runFile(new URL("bare-server.ts", import.meta.url), []);
  try {
    return await load({ ...loadOf(await firstLine(server)), bodies: [bareBody] });
  } finally {
    await stopped(server);
  }
}

async function printReads(url: string, asked: readonly Question[], bare: Figures): Promise<void> {
  const rows = [["bare node:http", whole(bare.perSecond), bare.p50Ms.toFixed(2), bare.p99Ms.toFixed(2), "100 %", "", ""]];
  for (const question of asked.filter(({ name }) => values.only === undefined || name.includes(values.only))) {
    const bodies = question.variables.map((variables) => JSON.stringify({ query: question.query, variables }));
    await assertAnswered(url, question.name, bodies[0] ?? "");
    await load({ ...loadOf(url), bodies, seconds: 1 });
    const { perSecond, p50Ms, p99Ms, failures } = await load({ ...loadOf(url), bodies });
    if (failures > 0) throw new Error(`${question.name}: ${failures} requests failed`);
    const share = `${Math.round((perSecond / bare.perSecond) * 100)} %`;
    rows.push([
      question.name,
      whole(perSecond),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      share,
      whole(question.rival),
      `${(perSecond / question.rival).toFixed(1)}x`,
    ]);
  }
  printTable(["question", "req/s", "p50 ms", "p99 ms", "of bare", "best rival", "Quern/rival"], rows);
}

async function printAdds(url: string): Promise<void> {
  const disk = await syncedBatchRate(folder, seconds);
  const body = JSON.stringify(add);
  await assertAnswered(url, "durable add", body.replace("[<id>]", "first"));
  const rows = [["synced one-put batches of the disk", whole(disk), "", "", "100 %", "", ""]];
  for (const [clients, rival] of addRivals) {
    const { perSecond, p50Ms, p99Ms, failures } = await load({ ...loadOf(url), connections: clients, bodies: [body] });
    if (failures > 0) throw new Error(`durable add: ${failures} requests failed`);
    const share = `${Math.round((perSecond / disk) * 100)} %`;
    rows.push([
      `durable add, ${clients} clients`,
      whole(perSecond),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      share,
      whole(rival),
      `${(perSecond / rival).toFixed(1)}x`,
    ]);
  }
  printTable(["writes", "per s", "p50 ms", "p99 ms", "of disk", "best rival", "Quern/rival"], rows);
}

function loadOf(url: string): Omit<Load, "bodies"> {
  return { url, connections, seconds, folder };
}

/** A fast wrong answer is no figure. */
async function assertAnswered(url: string, name: string, body: string): Promise<void> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const text = await response.text();
  const answer: { data?: unknown; errors?: unknown } = JSON.parse(text);
  if (answer.errors !== undefined || answer.data === undefined) throw new Error(`${name}: ${text.slice(0, 500)}`);
}
