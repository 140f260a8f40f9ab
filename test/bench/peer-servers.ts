// Two servers that answer the same questions, both running and asked in turns.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Figures, load } from "./load.ts";
import { cpuSeconds, firstLine } from "./processes.ts";
import { whole } from "./table.ts";

export interface Server {
  readonly child: ChildProcess;
  /** Of its GraphQL endpoint. */
  readonly url: string;
  readonly startedMs: number;
}

/** Quern, and the server written by hand. */
export type Pair = readonly [quern: Server, other: Server];

/** What one server did with one question. */
export interface Cost extends Figures {
  /** Processor time of the server for each request. */
  readonly cpuUs: number;
}

export interface Row {
  readonly name: string;
  readonly bodies: readonly string[];
  /** For the server written by hand, where it is asked otherwise. */
  readonly otherBodies?: readonly string[];
  readonly connections: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Before the first round that counts. Default: as long as a round. */
  readonly warmUpSeconds?: number;
}

export interface TurnOptions {
  readonly seconds: number;
  readonly folder: string;
}

const rounds = 3;

export const costHeads: readonly string[] = [
  "question",
  "Quern /s",
  "by hand /s",
  "of by hand",
  "Quern us",
  "by hand us",
  "Quern p50 ms",
  "p99 ms",
  "by hand p50 ms",
  "p99 ms",
];

/** The median of three rounds of each, after one that warms up. */
export async function inTurns(row: Row, pair: Pair, options: TurnOptions): Promise<readonly [Cost, Cost]> {
  const costs: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const seconds = round === 0 ? (row.warmUpSeconds ?? options.seconds) : options.seconds;
    for (const which of [0, 1] as const) {
      const cost = await costOf(row, pair[which], {
        bodies: which === 0 ? row.bodies : (row.otherBodies ?? row.bodies),
        seconds,
        folder: options.folder,
      });
      if (round > 0) costs[which].push(cost);
    }
  }
  return [median(costs[0]), median(costs[1])];
}

interface Turn extends TurnOptions {
  readonly bodies: readonly string[];
}

async function costOf({ connections, headers = {} }: Row, { url, child }: Server, { bodies, seconds, folder }: Turn): Promise<Cost> {
  const before = cpuSeconds(child) ?? Number.NaN;
  const figures = await load({ url, connections, seconds, bodies, folder, headers });
  if (figures.failures > 0) throw new Error(`${url}: ${figures.failures} requests failed`);
  return { ...figures, cpuUs: (((cpuSeconds(child) ?? Number.NaN) - before) / (figures.perSecond * seconds)) * 1e6 };
}

function median(costs: readonly Cost[]): Cost {
  const middle = [...costs].sort((one, other) => one.perSecond - other.perSecond)[Math.floor(costs.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}

export function costRow(name: string, [quern, other]: readonly [Cost, Cost]): string[] {
  const times = ({ p50Ms, p99Ms }: Cost) => [p50Ms.toFixed(2), p99Ms.toFixed(2)];
  const share = `${(quern.perSecond / other.perSecond).toFixed(2)}x`;
  const row = [
    name,
    whole(quern.perSecond),
    whole(other.perSecond),
    share,
    quern.cpuUs.toFixed(0),
    other.cpuUs.toFixed(0),
    ...times(quern),
    ...times(other),
  ];
  console.error(row.join(" | "));
  return row;
}

/** A program of the peer's folder. */
export function runPeer(folder: string, program: string, args: readonly string[]): ChildProcess {
  // The best that it offers with adds that outlive a power cut.
  const env = { ...process.env, STYLE: "sync", SYNC: "FULL" };
  return spawn(process.execPath, [join(folder, program), ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
}

/** @param url where the child does not print it */
export async function started(child: ChildProcess, body: string, url?: string): Promise<Server> {
  const began = performance.now();
  const endpoint = url ?? (await firstLine(child));
  while (!(await answers(endpoint, body))) await pause(5);
  return { child, url: endpoint, startedMs: performance.now() - began };
}

/** The data of an answer without errors. */
export async function asked(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  const text = await response.text();
  const answer: { readonly data?: Readonly<Record<string, unknown>> | null; readonly errors?: unknown } = JSON.parse(text);
  if (answer.errors !== undefined || !answer.data) throw new Error(`${url}: ${text.slice(0, 500)}`);
  return answer.data;
}

async function answers(url: string, body: string): Promise<boolean> {
  try {
    await asked(url, body);
    return true;
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}
