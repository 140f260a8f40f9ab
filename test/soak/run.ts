// npm run soak: a server as people start it under a mixed load for minutes, hostile callers beside it if asked for; prints a curve and judges whether
// it is flat.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Probe } from "../bench/probe.ts";
import { firstLine, residentMiB, runQuern, stopped } from "../bench/processes.ts";
import { headings, judge, lineOf, percentile, type Sample } from "./curve.ts";
import { HostileCallers, loadPackages, packageSchema } from "./hostile.ts";
import { type Ask, nextAsk, schemas, shipOf, upsert } from "./mix.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    keys: { type: "string", default: "10000" },
    clients: { type: "string", default: "4" },
    /** Requests of all clients together; a machine that cannot keep up makes fewer. */
    perSecond: { type: "string", default: "300" },
    transport: { type: "string", default: "ws" },
    seed: { type: "string", default: "1" },
    /** With the cases of `npm run bench -- --hostile` beside the mixed load. */
    hostile: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const keys = Number(values.keys);
const clients = Number(values.clients);
const pauseMs = (1_000 * clients) / Number(values.perSecond);
const intervals = 40;
/** What the work of `pace` takes on an idle machine. */
const idleMs = 5;

let seed = Number(values.seed);
/** A number from 0 to below `below`, the same ones for the same seed. */
function pick(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

// Each deploy and each slow request would have a line.
process.env.QUERN_LOG ??= "error";
const folder = mkdtempSync(join(tmpdir(), "quern-soak-"));
const data = join(folder, "store");
const packages = values.hostile ? packageSchema() : "";
if (values.hostile) await loadPackages(data, folder);
const server = runQuern(["start", "--data", data, "--port", "0", "--admin-open", "--transport", values.transport]);
const url = await firstLine(server);
const { origin } = new URL(url);
const callers = values.hostile ? new HostileCallers() : undefined;
const probing = { url: origin, byKey: JSON.stringify({ query: "{ getFleet(key: 1) { name } }" }) };
let probe: Probe | undefined;
let reads: number[] = [];
let writes: number[] = [];
let retried = 0;
/** Of the probe. */
let failures = 0;

try {
  await deploy(schemas[0]);
  await fill();
  probe = await Probe.begin(probing);
  console.log(
    `Node ${process.version}, ${clients} clients, at most ${values.perSecond} requests a second, ${keys} keys, transport ${values.transport}${callers ? ", hostile callers" : ""}\n`,
  );
  const end = performance.now() + minutes * 60_000;
  const [samples] = await Promise.all([
    watched(end, probe),
    redeployed(end),
    callers?.attack(origin, end),
    ...Array.from({ length: clients }, () => worked(end)),
  ]);
  if (callers) console.log(`\n${callers.lines().join("\n")}`);
  const verdict = judge(samples, { hostile: values.hostile });
  const passed = verdict.flat && failures === 0;
  const counts = `${retried} writes met a deploy and were repeated, ${failures} requests of the probe failed`;
  console.log(`\n${verdict.lines.join("\n")}\n${counts}\n${passed ? "FLAT" : "NOT FLAT"}`);
  process.exitCode = passed ? 0 : 1;
} finally {
  await probe?.stop();
  await stopped(server);
  rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  for (let from = 0; from < keys; from += 500) {
    const input = Array.from({ length: Math.min(500, keys - from) }, (_, i) => shipOf(from + i, pick));
    await send({ kind: "write", query: upsert, variables: { input } });
  }
}

async function worked(end: number): Promise<void> {
  while (performance.now() < end) {
    const ask = nextAsk(keys, pick);
    const begin = performance.now();
    await send(ask);
    const took = performance.now() - begin;
    (ask.kind === "read" ? reads : writes).push(took);
    await sleep(Math.max(0, pauseMs - took));
  }
}

async function redeployed(end: number): Promise<void> {
  for (let round = 1; performance.now() < end; round++) {
    await sleep(Math.min(20_000, Math.max(0, end - performance.now())));
    await deploy(schemas[round % 2 === 0 ? 0 : 1]);
  }
  await deploy(schemas[0]);
}

async function watched(end: number, honest: Probe): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const begin = performance.now();
  let cpuBefore = processorMs();
  console.log(headings);
  while (performance.now() < end) {
    const paces: number[] = [];
    const residents: number[] = [];
    const until = Math.min(end, performance.now() + (minutes * 60_000) / intervals);
    while (performance.now() < until) {
      await sleep(Math.min(1_000, Math.max(1, until - performance.now())));
      paces.push(pace());
      residents.push(residentMiB(server, "VmRSS") ?? 0);
    }
    const nodes = await liveNodes();
    const cpu = processorMs();
    const used = (cpu - cpuBefore) / Math.max(1, reads.length + writes.length);
    cpuBefore = cpu;
    const { health, key } = await honest.report();
    failures += health.failures + key.failures;
    const minute = (performance.now() - begin) / 60_000;
    const sample = {
      minute,
      cpuMs: used,
      pace: percentile(paces, 0.5),
      residentMiB: Math.min(...residents),
      peakMiB: Math.max(...residents),
      health,
      readsMs: reads,
      writesMs: writes,
      storeMiB: folderMiB(),
      nodes,
      hostile: callers?.begun() ?? [],
    };
    [reads, writes] = [[], []];
    samples.push(sample);
    console.log(lineOf(sample));
  }
  return samples;
}

interface Failure {
  readonly message: string;
  readonly extensions?: { readonly retryable?: boolean };
}

/** The data of an answer without errors; a write that meets a deploy is sent again. */
async function send(ask: Ask): Promise<unknown> {
  for (;;) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: ask.query, variables: ask.variables }),
    });
    const { data: answer, errors = [] } = (await response.json()) as { data?: unknown; errors?: readonly Failure[] };
    if (response.status === 200 && errors.length === 0) return answer;
    // What a client may meet while another schema is deployed: it tries again.
    if (!errors.some(({ extensions }) => extensions?.retryable)) throw new Error(`${ask.query}: HTTP ${response.status} ${JSON.stringify(errors)}`);
    retried++;
  }
}

async function deploy(schema: string): Promise<void> {
  const response = await fetch(new URL("/admin/schema", url), { method: "POST", body: `${schema}\n${packages}` });
  const text = await response.text();
  if (!text.includes('"Success"')) throw new Error(`the deploy is refused: ${text}`);
}

async function liveNodes(): Promise<number> {
  const answer = await send({ kind: "read", query: "{ ships: aggregateShip { count } fleets: aggregateFleet { count } }", variables: {} });
  const { ships, fleets } = answer as Record<string, { count: number }>;
  return (ships?.count ?? 0) + (fleets?.count ?? 0);
}

/** Of the server so far; 0 where the system does not report it. */
function processorMs(): number {
  try {
    const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** Compared with what it took when this was written, on two idle cores. */
function pace(): number {
  const begin = performance.now();
  let sum = 0;
  for (let i = 0; i < 4_000_000; i++) sum = (sum * 31 + i) | 0;
  return sum === 0.5 ? 0 : (performance.now() - begin) / idleMs;
}

function folderMiB(): number {
  const bytes = readdirSync(data).reduce((sum, file) => sum + sizeOf(join(data, file)), 0);
  return bytes / 2 ** 20;
}

/** A file may be gone since it was listed. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
