// Writes of Quern beside those of a server written by hand: the first after a start, where nothing is compiled yet, on copies of the loaded databases; and
// updates and deletes of Quern alone, since the other server has none.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import type { DebianPackage } from "./graph.ts";
import { send } from "./lean-client.ts";
import { runPeer, type Server, started } from "./peer-servers.ts";
import { cpuSeconds, runQuern, stopped } from "./processes.ts";
import { add } from "./questions.ts";
import { printMarkdown, whole } from "./table.ts";

export interface FirstWritesOptions {
  readonly peer: string;
  /** For the copies. */
  readonly folder: string;
  /** Closed stores with the loaded graph. */
  readonly quernData: string;
  readonly peerData: string;
  /** A question that both answer. */
  readonly key: string;
}

interface Cost {
  readonly perSecond: number;
  /** Processor time of the server for each request. */
  readonly cpuUs: number;
}

const rounds = 3;
/** How many adds a server gets after its start, one lot after the other. */
const lots = [100, 1_900];
const clientCounts = [1, 32];

export async function printFirstWrites(options: FirstWritesOptions): Promise<void> {
  const rows: string[][] = [];
  for (const clients of clientCounts) {
    const [quern, other]: [Cost[][], Cost[][]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const name = `${clients}-${round}`;
      quern.push(await firstAdds(await startQuern(options, name), clients));
      other.push(await firstAdds(await startPeer(options, name), clients));
    }
    rows.push(...lots.map((count, lot) => rowText(`${lot === 0 ? "the first" : "the next"} ${whole(count)}, ${clients} clients`, quern, other, lot)));
  }
  printMarkdown(["adds after a start", "Quern adds/s", "us", "by hand adds/s", "us", "adds/s", "us"], rows);
}

async function startQuern({ folder, quernData, key }: FirstWritesOptions, name: string): Promise<Server> {
  const data = join(folder, `first-store-${name}`);
  cpSync(quernData, data, { recursive: true });
  return await started(runQuern(["start", "--data", data, "--port", String(await freePort())]), key);
}

async function startPeer({ peer, folder, peerData, key }: FirstWritesOptions, name: string): Promise<Server> {
  const data = join(folder, `first-${name}.db`);
  cpSync(peerData, data);
  const port = await freePort();
  return await started(runPeer(peer, "server.mjs", [data, String(port)]), key, `http://127.0.0.1:${port}/graphql`);
}

async function firstAdds(server: Server, clients: number): Promise<Cost[]> {
  try {
    const costs: Cost[] = [];
    for (const count of lots) costs.push(await costOf(server, clients, newAdds(count)));
    return costs;
  } finally {
    await stopped(server.child);
  }
}

let added = 0;

function newAdds(count: number): readonly string[] {
  const body = JSON.stringify(add);
  return Array.from({ length: count }, () => body.replace("[<id>]", `first-${added++}`));
}

async function costOf({ child, url }: Server, clients: number, bodies: readonly string[]): Promise<Cost> {
  const before = cpuSeconds(child) ?? Number.NaN;
  const times = await send({ url, clients, bodies });
  const seconds = (times.at(-1) ?? 0) / 1_000;
  return { perSecond: bodies.length / seconds, cpuUs: (((cpuSeconds(child) ?? Number.NaN) - before) / bodies.length) * 1e6 };
}

function rowText(name: string, quern: readonly (readonly Cost[])[], other: readonly (readonly Cost[])[], lot: number): string[] {
  const [own, peers] = [quern, other].map((each) => median(each.flatMap((costs) => costs[lot] ?? [])));
  if (own === undefined || peers === undefined) throw new Error("nothing was measured");
  const ratios = [own.perSecond / peers.perSecond, peers.cpuUs / own.cpuUs].map((ratio) => `${ratio.toFixed(2)}x`);
  return [name, ...[own, peers].flatMap(({ perSecond, cpuUs }) => [whole(perSecond), cpuUs.toFixed(0)]), ...ratios];
}

function median(costs: readonly Cost[]): Cost | undefined {
  return [...costs].sort((one, two) => one.perSecond - two.perSecond)[Math.floor(costs.length / 2)];
}

const update = "mutation ($name: String!, $set: PackagePatch) { updatePackage(input: { filter: { name: { eq: $name } }, set: $set }) { numUids } }";
const remove = "mutation ($name: String!) { deletePackage(filter: { name: { eq: $name } }) { numUids } }";

/** Deletes packages: nothing is measured on this server afterwards. The first of each kind warm up. */
export async function printOtherWrites(server: Server, packages: readonly DebianPackage[]): Promise<void> {
  const rows: string[][] = [];
  const count = Math.min(2_000, Math.floor(packages.length / 4));
  const updates = (lot: number) =>
    packages
      .slice(0, count)
      .map(({ name }, i) => body(update, { name, set: { section: lot % 2 === 0 ? "games" : "libs", installedSizeKiB: lot + i } }));
  const removals = (lot: number) => packages.slice(lot * count, (lot + 1) * count).map(({ name }) => body(remove, { name }));
  for (const [what, bodiesOf] of [["update", updates] as const, ["delete", removals] as const]) {
    await costOf(server, 1, bodiesOf(0));
    for (const [lot, clients] of clientCounts.entries()) {
      const { perSecond, cpuUs } = await costOf(server, clients, bodiesOf(lot + 1));
      rows.push([`${what}, ${clients} clients`, whole(perSecond), cpuUs.toFixed(0)]);
    }
  }
  printMarkdown(["other durable writes", "Quern writes/s", "us"], rows);
}

function body(query: string, variables: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ query, variables });
}
