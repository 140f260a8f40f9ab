// npm run bench -- --hostile: what one hostile caller costs the others. Each case runs against a server of its own over the whole graph,
// while an honest client asks `/health` and a package by its key from another process.

import type { ChildProcess } from "node:child_process";
import { setTimeout as after } from "node:timers/promises";
import { cases, everything } from "./hostile-cases.ts";
import type { Latencies, Probed } from "./hostile-probe.ts";
import { Probe } from "./probe.ts";
import { firstLine, residentMiB, runFile, runQuern, stopped } from "./processes.ts";
import { printTable, whole } from "./table.ts";

export interface HostileOptions {
  /** Arguments of `quern start` for a store that holds the graph, and for the transport. */
  readonly serving: readonly string[];
  readonly only: string | undefined;
  /** The most that the server's JavaScript heap may take; undefined: what Node chooses. */
  readonly heapMiB: string | undefined;
  /** The name of a package, for reads by key. */
  readonly key: string;
}

const aims = { latencyMs: 250, peakMiB: 1_024, leftMiB: 100 };
const settleMs = 10_000;
/** The first starts a worker. */
const warmUpReads = 4;

export async function printHostile({ only, ...options }: HostileOptions): Promise<void> {
  const chosen = Object.keys(cases).filter((name) => only === undefined || name.includes(only));
  const rows: string[][] = [];
  for (const name of chosen) {
    const row = await measure(name, options);
    console.log(row.join(" | "));
    rows.push(row);
  }
  const aim = ["aim", `${aims.latencyMs}`, "", `${aims.latencyMs}`, "", "0", "", "", `${aims.peakMiB}`, `${aims.leftMiB}`, "", ""];
  const heads = ["health p99 ms", "max", "by key p99 ms", "max", "failed", "started MiB", "warm MiB", "peak MiB", "left MiB", "s", "answers"];
  printTable(["hostile", ...heads], [aim, ...rows]);
}

async function measure(name: string, { serving, heapMiB, key }: Omit<HostileOptions, "only">): Promise<string[]> {
  const server = runQuern(["start", ...serving, "--port", "0"], heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`]);
  let probe: Probe | undefined;
  try {
    const url = new URL(await firstLine(server)).origin;
    const started = residentMiB(server, "VmRSS") ?? 0;
    await warmUp(url);
    await after(settleMs);
    const before = residentMiB(server, "VmRSS") ?? 0;
    probe = await Probe.begin({ url, byKey: byKey(key) });
    await after(2_000);
    const attack: Attack = JSON.parse(await firstLine(attacker(name, url)));
    await after(1_000);
    const probed = await probe.report();
    await probe.stop();
    await after(settleMs);
    return rowOf(name, { probed, attack, started, before, server });
  } finally {
    await probe?.stop();
    // One that is stuck would not end by itself.
    const late = setTimeout(() => server.kill("SIGKILL"), settleMs);
    await stopped(server);
    clearTimeout(late);
  }
}

/** Fills the caches of the store, in the main thread and in a read worker: they are not what an attack leaves behind. */
async function warmUp(url: string): Promise<void> {
  for (let i = 0; i < warmUpReads; i++) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query: everything }) });
    await answer.arrayBuffer();
  }
}

function byKey(name: string): string {
  return JSON.stringify({ query: "query ($name: String!) { getPackage(name: $name) { name version section } }", variables: { name } });
}

export interface Attack {
  readonly seconds: number;
  /** What came back, and how often. */
  readonly outcome: string;
}

/** Sends one of `cases` from a process of its own, which prints the `Attack` when it is over. */
export function attacker(name: string, url: string): ChildProcess {
  return runFile(new URL("hostile-cases.ts", import.meta.url), [url, name]);
}

interface Measured {
  readonly probed: Probed;
  readonly attack: Attack;
  readonly started: number;
  readonly before: number;
  readonly server: ChildProcess;
}

function rowOf(name: string, { probed: { health, key }, attack, started, before, server }: Measured): string[] {
  const latencies = ({ p99Ms, maxMs }: Latencies) => [whole(p99Ms), whole(maxMs)];
  const now = residentMiB(server, "VmRSS");
  const left = now === undefined ? "died" : whole(now - before);
  const peak = residentMiB(server, "VmHWM");
  const failed = String(health.failures + key.failures);
  return [
    name,
    ...latencies(health),
    ...latencies(key),
    failed,
    whole(started),
    whole(before),
    peak === undefined ? "died" : whole(peak),
    left,
    attack.seconds.toFixed(1),
    attack.outcome,
  ];
}
