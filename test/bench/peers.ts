// npm run bench -- --peers FOLDER: Quern beside a server that somebody wrote by hand for the package graph, both running, asked in turns.
//
// The folder holds `load.mjs DATABASE FILE`, which loads the packages, and `server.mjs DATABASE PORT`, which answers at `/graphql` to the questions below.

import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import type { DebianPackage, Graph } from "./graph.ts";
import { type Figures, load } from "./load.ts";
import { runPeer, type Server, started } from "./peer-servers.ts";
import { printFirstWrites, printOtherWrites } from "./peer-writes.ts";
import { cpuSeconds, finished, residentMiB, runQuern, stopped } from "./processes.ts";
import { add, type Question, questions } from "./questions.ts";
import { printTable, whole } from "./table.ts";

export interface PeersOptions {
  readonly peer: string;
  readonly graph: Graph;
  readonly packages: readonly DebianPackage[];
  /** A schema file for Quern. */
  readonly schema: string;
  /** For both databases. */
  readonly folder: string;
  readonly connections: number;
  readonly seconds: number;
  readonly only: string | undefined;
}

/** What one server did with one question. */
interface Cost extends Figures {
  /** Processor time of the server for each request. */
  readonly cpuUs: number;
}

interface Row {
  readonly name: string;
  readonly bodies: readonly string[];
  readonly connections: number;
  /** How long each server is asked before it is measured; by default as long as it is measured. */
  readonly warmUpSeconds?: number;
}

const rounds = 3;
/** Clients of durable adds. */
const writers = [1, 32];
/** An add enters several times as many functions as a read: they are compiled and optimized before it is measured. */
const writersWarmUpSeconds = 10;
/** For `only`. */
const firstAdds = "first durable adds";
const otherWrites = "durable update, durable delete";

export async function printPeers(options: PeersOptions): Promise<void> {
  const { folder, graph, peer, schema, packages } = options;
  const quernData = join(folder, "peers-store");
  const peerData = join(folder, "peer.db");
  const quernLoad = await finished(runQuern(["import", graph.file, "--type", "Package", "--data", quernData, "--schema", schema]));
  const peerLoad = await finished(runPeer(peer, "load.mjs", [peerData, graph.file]));
  const loads = [quernLoad, peerLoad].map(({ seconds, peakMiB }) => `${seconds.toFixed(1)} s, ${peakMiB ?? "?"} MiB`);
  printTable(["loading", "Quern", "by hand"], [[`${whole(packages.length)} packages`, ...loads]]);
  const key = JSON.stringify({ query: "query ($name: String!) { getPackage(name: $name) { name } }", variables: { name: packages[0]?.name } });
  if (options.only === undefined || firstAdds.includes(options.only)) await printFirstWrites({ peer, folder, quernData, peerData, key });
  const quern = await started(runQuern(["start", "--data", quernData, "--port", String(await freePort())]), key);
  const port = await freePort();
  const other = await started(runPeer(peer, "server.mjs", [peerData, String(port)]), key, `http://127.0.0.1:${port}/graphql`);
  try {
    const starts = [quern, other].map(({ startedMs }) => `${whole(startedMs)} ms`);
    printTable(["start to first answer", "Quern", "by hand"], [["the loaded graph", ...starts]]);
    const rows: string[][] = [];
    for (const row of rowsOf(options)) rows.push(rowText(row.name, await inTurns(row, quern, other, options)));
    const heads = ["req/s", "us", "p50 ms", "p99 ms"];
    printTable(["question", ...heads.map((head) => `Quern ${head}`), ...heads.map((head) => `by hand ${head}`), "req/s", "us"], rows);
    const resident = [quern, other].map(({ child }) => `${residentMiB(child, "VmRSS") ?? "?"} MiB`);
    printTable(["resident afterwards", "Quern", "by hand"], [["", ...resident]]);
    if (options.only === undefined || otherWrites.includes(options.only)) await printOtherWrites(quern, packages);
  } finally {
    await Promise.all([quern, other].map(({ child }) => stopped(child)));
  }
}

function rowsOf({ packages, connections, only }: PeersOptions): readonly Row[] {
  const asked = [...questions(packages).filter(({ variables }) => variables !== undefined), ...words(packages)];
  const reads = asked.map(({ name, query, variables }) => ({
    name,
    connections,
    bodies: (variables ?? []).map((each) => JSON.stringify({ query, variables: each })),
  }));
  const bodies = [JSON.stringify(add)];
  const adds = writers.map((connections) => ({
    name: `durable add, ${connections} clients`,
    connections,
    bodies,
    warmUpSeconds: writersWarmUpSeconds,
  }));
  return [...reads, ...adds].filter(({ name }) => only === undefined || name.includes(only));
}

/** Two words of a summary, and what begins with a word. */
function words(packages: readonly DebianPackage[]): readonly Pick<Question, "name" | "query" | "variables">[] {
  const texts = packages.filter((_, index) => index % 37 === 0).flatMap(({ summary }) => summary?.match(/\b[A-Za-z]{5,}\b/g)?.slice(0, 2) ?? []);
  const pairs = texts.slice(1).map((word, index) => `${texts[index] ?? ""} ${word}`);
  const query = (filter: string) => `query ($text: String!) { queryPackage(filter: { summary: { ${filter}: $text } }, first: 10) { name summary } }`;
  return [
    { name: "one of two words, first ten", query: query("anyofterms"), variables: pairs.map((text) => ({ text })) },
    { name: "both of two words, first ten", query: query("allofterms"), variables: pairs.map((text) => ({ text })) },
    { name: "regular expression, first ten", query: query("regexp"), variables: texts.map((text) => ({ text: `/${text.slice(0, 5)}.*s$/` })) },
  ];
}

async function inTurns(
  { bodies, connections, warmUpSeconds }: Row,
  quern: Server,
  other: Server,
  { seconds: measuredSeconds, folder }: PeersOptions,
): Promise<readonly [Cost, Cost]> {
  const costs: [Cost[], Cost[]] = [[], []];
  const servers = [quern, other] as const;
  for (let round = 0; round <= rounds; round++) {
    for (const which of [0, 1] as const) {
      const { url, child } = servers[which];
      const seconds = round === 0 ? (warmUpSeconds ?? measuredSeconds) : measuredSeconds;
      const before = cpuSeconds(child) ?? Number.NaN;
      const figures = await load({ url, connections, seconds, bodies, folder });
      if (figures.failures > 0) throw new Error(`${url}: ${figures.failures} requests failed`);
      const cpuUs = (((cpuSeconds(child) ?? Number.NaN) - before) / (figures.perSecond * seconds)) * 1e6;
      // The first round warms up.
      if (round > 0) costs[which].push({ ...figures, cpuUs });
    }
  }
  return [median(costs[0]), median(costs[1])];
}

function median(costs: readonly Cost[]): Cost {
  const middle = [...costs].sort((one, other) => one.perSecond - other.perSecond)[Math.floor(costs.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}

function rowText(name: string, [quern, other]: readonly [Cost, Cost]): string[] {
  const figures = ({ perSecond, cpuUs, p50Ms, p99Ms }: Cost) => [whole(perSecond), cpuUs.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2)];
  const ratios = [quern.perSecond / other.perSecond, other.cpuUs / quern.cpuUs].map((ratio) => `${ratio.toFixed(2)}x`);
  const row = [name, ...figures(quern), ...figures(other), ...ratios];
  console.log(row.join(" | "));
  return row;
}
