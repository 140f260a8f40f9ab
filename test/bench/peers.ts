// npm run bench -- --peers FOLDER: Quern beside a server that somebody wrote by hand for the package graph, both running, asked in turns. Prints tables
// for a document; progress goes to standard error.
//
// The folder holds `load.mjs DATABASE FILE`, which loads the packages, and `server.mjs DATABASE PORT`, which answers at `/graphql` to the questions below.

import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import type { DebianPackage, Graph } from "./graph.ts";
import { generator } from "./load.ts";
import { measuredOn } from "./machine.ts";
import { printPeerFeatures } from "./peer-features.ts";
import { costHeads, costRow, inTurns, type Pair, type Row, runPeer, started } from "./peer-servers.ts";
import { printFirstWrites, printOtherWrites } from "./peer-writes.ts";
import { finished, residentMiB, runQuern, stopped } from "./processes.ts";
import { add, type Question, questions } from "./questions.ts";
import { printMarkdown, whole } from "./table.ts";

export interface PeersOptions {
  readonly peer: string;
  readonly graph: Graph;
  /** Those that questions name. */
  readonly packages: readonly DebianPackage[];
  /** How many there are. */
  readonly count: number;
  /** A schema file for Quern. */
  readonly schema: string;
  /** For both databases. */
  readonly folder: string;
  readonly connections: number;
  readonly seconds: number;
  readonly only: string | undefined;
}

interface Stores {
  readonly quern: string;
  readonly other: string;
}

/** Clients of durable adds. */
const writers = [1, 32];
/** For `only`. */
const firstAdds = "first durable adds";
const otherWrites = "durable update, durable delete";
const addWarmUpSeconds = 10;

export async function printPeers(options: PeersOptions): Promise<void> {
  const { folder, only, connections, seconds } = options;
  const stores = { quern: join(folder, "peers-store"), other: join(folder, "peer.db") };
  console.log(`${measuredOn()}; load by ${generator}, ${connections} connections, ${seconds} s a round, median of three\n`);
  const facts = [await loaded(stores, options)];
  const key = keyOf(options);
  if (isAsked(firstAdds, only)) await printFirstWrites({ ...options, quernData: stores.quern, peerData: stores.other, key });
  const pair = await bothStarted(stores, options);
  try {
    facts.push(["start to the first answer", ...pair.map(({ startedMs }) => `${whole(startedMs)} ms`)]);
    const rows: string[][] = [];
    for (const row of rowsOf(options)) rows.push(costRow(row.name, await inTurns(row, pair, options)));
    facts.push(["resident afterwards", ...pair.map(({ child }) => `${residentMiB(child, "VmRSS") ?? "?"} MiB`)]);
    printMarkdown(costHeads, rows);
    if (isAsked(otherWrites, only)) await printOtherWrites(pair[0], options.packages);
  } finally {
    await Promise.all(pair.map(({ child }) => stopped(child)));
  }
  printMarkdown(["", "Quern", "by hand"], facts);
  await printPeerFeatures({ ...options, database: stores.other });
}

async function loaded({ quern, other }: Stores, { graph, peer, schema, count }: PeersOptions): Promise<string[]> {
  const quernLoad = await finished(runQuern(["import", graph.file, "--type", "Package", "--data", quern, "--schema", schema]));
  const otherLoad = await finished(runPeer(peer, "load.mjs", [other, graph.file]));
  const texts = [quernLoad, otherLoad].map(({ seconds, peakMiB }) => `${seconds.toFixed(1)} s, ${peakMiB ?? "?"} MiB`);
  return [`load of ${whole(count)} packages, with all indexes`, ...texts];
}

/** A question that both answer. */
function keyOf({ packages }: PeersOptions): string {
  return JSON.stringify({ query: "query ($name: String!) { getPackage(name: $name) { name } }", variables: { name: packages[0]?.name } });
}

async function bothStarted({ quern, other }: Stores, options: PeersOptions): Promise<Pair> {
  const key = keyOf(options);
  const first = await started(runQuern(["start", "--data", quern, "--port", String(await freePort())]), key);
  const port = await freePort();
  return [first, await started(runPeer(options.peer, "server.mjs", [other, String(port)]), key, `http://127.0.0.1:${port}/graphql`)];
}

function rowsOf({ packages, connections, only }: PeersOptions): readonly Row[] {
  const all = [...questions(packages).filter(({ variables }) => variables !== undefined), ...words(packages)];
  const reads = all.map(({ name, query, variables }) => ({
    name,
    connections,
    bodies: (variables ?? []).map((each) => JSON.stringify({ query, variables: each })),
  }));
  const adds = writers.map((clients) => ({
    name: `durable add, ${clients} clients, after ${addWarmUpSeconds} s`,
    connections: clients,
    bodies: [JSON.stringify(add)],
    warmUpSeconds: addWarmUpSeconds,
  }));
  return [...reads, ...adds].filter(({ name }) => isAsked(name, only));
}

function isAsked(name: string, only: string | undefined): boolean {
  return only === undefined || name.includes(only);
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
