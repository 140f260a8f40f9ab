// npm run bench: the questions of the speed table, asked of Quern on both transports, of a plan and a Yoga server written by hand, beside bare
// node:http; durable adds beside the disk; the load.

import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { syncedBatchRate } from "./disk.ts";
import { type DebianPackage, extract, type Graph, multiplied, ofCopy, readPackages, schemaText, wholeGraph } from "./graph.ts";
import { printGrowth } from "./growth.ts";
import { printHostile } from "./hostile.ts";
import { type Figures, generator, type Load, load } from "./load.ts";
import { mongodbStack } from "./mongodb-stack.ts";
import { printPeers } from "./peers.ts";
import { finished, firstLine, residentMiB, runFile, runQuern, stopped } from "./processes.ts";
import { add, addRivals, bareBody, type Question, questions, questionTexts } from "./questions.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
    only: { type: "string" },
    /** Nothing but the growth. */
    growth: { type: "boolean", default: false },
    /** Of the growth: how many nodes, with commas between. */
    nodes: { type: "string", default: "10000,100000,1000000" },
    /** Of the growth and of peers: with an index over two fields. The peer has one over section and size. */
    index: { type: "boolean", default: false },
    /** Of the growth: a folder that keeps the stores for the next run. */
    stores: { type: "string" },
    /** Nothing but the hostile callers. */
    hostile: { type: "boolean", default: false },
    /** Nothing but Quern beside a server written by hand, which lies in this folder. */
    peers: { type: "string" },
    /** Of peers: the graph so many times over; 16: a million packages. */
    times: { type: "string", default: "1" },
    /** For hostile callers: a store with the whole graph, which saves loading it. */
    store: { type: "string" },
    transport: { type: "string", default: "ws" },
    /** For hostile callers: `level` or `mongodb`. */
    storage: { type: "string", default: "level" },
    /** For hostile callers: the server's JavaScript heap, in MiB; Node's own choice without it. */
    heap: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

console.log(`Node ${process.version}, load by ${generator}, ${connections} connections, ${seconds} s a row\n`);
if (values.hostile) await printHostileCases(chosenGraph());
else if (values.peers !== undefined) await printBesidePeer(values.peers, chosenGraph());
else if (!values.growth) await printQuestions(chosenGraph());
if (!values.hostile && values.peers === undefined && values.only === undefined) {
  await printGrowth({
    folder: values.stores ?? folder,
    seconds,
    connections,
    sizes: values.nodes.split(",").map(Number),
    isIndexed: values.index,
    keeps: values.stores !== undefined,
  });
}

function chosenGraph(): Graph {
  const graph = wholeGraph();
  if (graph !== undefined) return graph;
  console.log("THE WHOLE GRAPH IS MISSING (set QUERN_GRAPH to its folder): these are figures of the example's small extract.\n");
  return extract();
}

async function printHostileCases(graph: Graph): Promise<void> {
  const packages = await readPackages(graph);
  const { store, only, transport, heap } = values;
  const mongodb = values.storage === "mongodb" ? await mongodbStack(folder) : undefined;
  try {
    const chosen = mongodb ? ["--config", mongodb.config] : ["--data", store ?? join(folder, "store")];
    if (mongodb !== undefined || store === undefined) await printLoading(graph, packages, chosen);
    await printHostile({ serving: [...chosen, "--transport", transport], heapMiB: heap, only, key: packages[0]?.name ?? "" });
  } finally {
    await mongodb?.stop();
  }
}

async function printBesidePeer(peer: string, graph: Graph): Promise<void> {
  const times = Number(values.times);
  const packages = (await readPackages(graph)).map((each, i) => ofCopy(each, i % times));
  const count = packages.length * times;
  const many = { ...(await multiplied(graph, times, folder)), schema: indexedFile(graph) };
  await printPeers({ peer: resolve(peer), graph: many, packages, count, schema: schemaFile(graph), folder, connections, seconds, only: values.only });
}

async function printQuestions(graph: Graph): Promise<void> {
  const data = join(folder, "store");
  const packages = await readPackages(graph);
  await printLoading(graph, packages, ["--data", data]);
  const asked = questions(packages).filter(({ name }) => values.only === undefined || name.includes(values.only));
  const bare = await served(runFile(new URL("bare-server.ts", import.meta.url), []), (url) => load({ ...loadOf(url), bodies: [bareBody] }));
  const plan = await served(runFile(new URL("rivals/hand-written-plan.ts", import.meta.url), []), (url) => askAll(url, asked));
  const yoga = await served(runFile(new URL("rivals/hand-written-yoga.ts", import.meta.url), []), (url) => askAll(url, asked));
  const quernYoga = await served(runQuern(["start", "--data", data, "--port", "0", "--transport", "yoga"]), (url) => askAll(url, asked));
  const server = runQuern(["start", "--data", data, "--port", "0"]);
  await served(server, async (url) => {
    printReads(asked, { bare, plan, yoga, quernYoga, quern: await askAll(url, asked) });
    await printAdds(url);
    console.log(`resident after the run: ${residentMiB(server, "VmRSS") ?? "?"} MiB, at most ${residentMiB(server, "VmHWM") ?? "?"} MiB`);
  });
}

/** Asks a child that prints its URL, and stops it. */
async function served<T>(child: ChildProcess, ask: (url: string) => Promise<T>): Promise<T> {
  try {
    return await ask(await firstLine(child));
  } finally {
    await stopped(child);
  }
}

async function printLoading(graph: Graph, packages: readonly DebianPackage[], store: readonly string[]): Promise<void> {
  const links = packages.reduce((sum, each) => sum + each.dependsOn.length + each.recommends.length, 0);
  const schema = schemaFile(graph);
  const { seconds: took, peakMiB } = await finished(runQuern(["import", graph.file, "--type", "Package", ...store, "--schema", schema]));
  const rows = [
    [`${whole(packages.length)} packages, ${whole(links)} links`, took.toFixed(1), whole(packages.length / took), String(peakMiB ?? "?")],
  ];
  printTable(["loading", "seconds", "nodes/s", "peak MiB"], rows);
}

/** With ids, which one question asks for. */
function schemaFile(graph: Graph): string {
  return written("schema.graphql", indexed(schemaText(graph)).replace(/type Package[^{]*\{/, "$&\n  id: ID!"));
}

/** With the index over two fields if the run asks for it. */
function indexedFile(graph: Graph): string {
  return written("indexed.graphql", indexed(schemaText(graph)));
}

function indexed(schema: string): string {
  return values.index ? schema.replace("type Package {", 'type Package @index(fields: ["section", "installedSizeKiB"]) {') : schema;
}

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function askAll(url: string, asked: readonly Question[]): Promise<readonly Figures[]> {
  const figures: Figures[] = [];
  for (const question of asked) {
    const asks = question.variables ?? (await idsOf(url));
    const bodies = asks.map((variables) => JSON.stringify({ query: question.query, variables }));
    await assertAnswered(url, question.name, bodies[0] ?? "");
    await load({ ...loadOf(url), bodies, seconds: 1 });
    const each = await load({ ...loadOf(url), bodies });
    if (each.failures > 0) throw new Error(`${question.name}: ${each.failures} requests failed`);
    figures.push(each);
  }
  return figures;
}

async function idsOf(url: string): Promise<readonly { readonly id: string }[]> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query: questionTexts.ids }) });
  const answer: { data: { queryPackage: { id: string }[] } } = await response.json();
  return answer.data.queryPackage.map(({ id }) => ({ id }));
}

interface Measured {
  readonly bare: Figures;
  readonly plan: readonly Figures[];
  readonly yoga: readonly Figures[];
  readonly quernYoga: readonly Figures[];
  readonly quern: readonly Figures[];
}

function printReads(asked: readonly Question[], { bare, plan, yoga, quernYoga, quern }: Measured): void {
  console.log(
    `bare node:http with a fixed answer: ${whole(bare.perSecond)} requests/s, p50 ${bare.p50Ms.toFixed(2)} ms, p99 ${bare.p99Ms.toFixed(2)} ms\n`,
  );
  const times = (a: number, b: number | undefined) => `${(a / (b ?? Number.NaN)).toFixed(1)}x`;
  const share = (a: number, b: number | undefined) => `${Math.round((a / (b ?? Number.NaN)) * 100)} %`;
  const rows = asked.map(({ name, rival }, index) => {
    const { perSecond = 0, p50Ms = 0, p99Ms = 0 } = quern[index] ?? {};
    const byHand = yoga[index]?.perSecond;
    return [
      name,
      whole(perSecond),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      share(perSecond, bare.perSecond),
      share(perSecond, plan[index]?.perSecond),
      times(perSecond, byHand),
      rival === undefined ? "" : times(perSecond, rival),
      whole(quernYoga[index]?.perSecond ?? 0),
      (quernYoga[index]?.p50Ms ?? 0).toFixed(2),
      (quernYoga[index]?.p99Ms ?? 0).toFixed(2),
      times(quernYoga[index]?.perSecond ?? 0, byHand),
      whole(plan[index]?.perSecond ?? 0),
      whole(byHand ?? 0),
      rival === undefined ? "" : whole(rival),
    ];
  });
  const ours = ["ws req/s", "p50 ms", "p99 ms", "of bare", "of plan", "/Yoga by hand", "/best rival"];
  const onYoga = ["yoga req/s", "p50 ms", "p99 ms", "/Yoga by hand"];
  printTable(["question", ...ours, ...onYoga, "plan by hand", "Yoga by hand", "best rival"], rows);
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
