// Live queries on 100 connections: 10,000 subscriptions that all differ; commits that touch one of them, one that touches all; beside it
// what polling once a second costs. Run: `npx tsx test/bench/live.ts`.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { WebSocket } from "ws";
import { builtProgram } from "../support/built-program.ts";
import { type Ask, type Commits, connections, liveQuery, tasks, type Usage } from "./live-parts.ts";

const commits = Number(process.env.QUERN_COMMITS ?? 300);
const rounds = Number(process.env.QUERN_ROUNDS ?? 5);

const server = fork(builtProgram(new URL("./live-server.ts", import.meta.url)), [], {
  execArgv: ["--expose-gc"],
});
const [{ url }] = (await once(server, "message")) as [{ readonly url: string }];

async function ask<T>(what: Ask, of: ChildProcess = server): Promise<T> {
  const answer = once(of, "message");
  of.send(what);
  const [value] = await answer;
  return value as T;
}

/** By subscription: when its newest result came. */
const arrived = new Float64Array(tasks);
let results = 0;
let whenAll: () => void = () => undefined;
let awaited = 0;

function onResult(id: number): void {
  arrived[id] = performance.now();
  if (++results === awaited) whenAll();
}
function afterResults(count: number): Promise<void> {
  results = 0;
  awaited = count;
  return new Promise((resolve) => (whenAll = resolve));
}

async function connect(first: number): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { perMessageDeflate: false });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  socket.on("message", (data) => {
    const text = String(data);
    if (text.includes('"next"')) onResult(Number(/"id":"(\d+)"/.exec(text)?.[1]));
    else if (text.includes('"ping"')) socket.send('{"type":"pong"}');
    else throw new Error(text);
  });
  for (let id = first; id < first + tasks / connections; id++) {
    const payload = { query: liveQuery, variables: { id: uidOf(id) } };
    socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload }));
  }
  return socket;
}

async function mutate(query: string, variables: Readonly<Record<string, unknown>>): Promise<void> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { errors } = (await response.json()) as { readonly errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
}

let boardUid = 0;
/** The board came first among the nodes of the first mutation, or last: found out by asking. */
function uidOf(task: number): string {
  return `0x${(task + 1 + (task + 1 >= boardUid ? 1 : 0)).toString(16)}`;
}

function quantile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}
function line(name: string, ms: readonly number[], before: Usage, after: Usage): void {
  const sorted = [...ms].sort((a, b) => a - b);
  const runs = (after.gauges.liveRunsTotal ?? 0) - (before.gauges.liveRunsTotal ?? 0);
  console.info(
    `${name}: p50 ${quantile(sorted, 0.5)} ms, p99 ${quantile(sorted, 0.99)} ms; server ${(after.cpuMs - before.cpuMs).toFixed(0)} ms CPU, ${runs} runs`,
  );
}

async function findBoard(): Promise<number> {
  const body = JSON.stringify({ query: "{ queryTask(order: {asc: title}, first: 100000) { id } }" });
  const response = await fetch(`${url}/graphql`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { data } = (await response.json()) as { readonly data: { readonly queryTask: readonly { readonly id: string }[] } };
  const uids = new Set(data.queryTask.map(({ id }) => Number(id)));
  for (let uid = 1; ; uid++) if (!uids.has(uid)) return uid;
}

boardUid = await findBoard();
const idle = await ask<Usage>("usage");
const started = performance.now();
const first = afterResults(tasks);
const sockets = await Promise.all(Array.from({ length: connections }, (_, i) => connect((i * tasks) / connections)));
await first;
console.info(`${tasks} subscriptions on ${connections} connections: first results after ${(performance.now() - started).toFixed(0)} ms`);
await new Promise((resolve) => setTimeout(resolve, 3_000));
const full = await ask<Usage>("usage");
const kib = (mib: number) => ((mib * 1024) / tasks).toFixed(1);
console.info(
  `memory: ${kib(full.heapMiB - idle.heapMiB)} KiB of heap, ${kib(full.rssMiB - idle.rssMiB)} KiB resident per idle subscription (${full.gauges.liveQueries} queries)`,
);

/** When the results of commits came, in milliseconds since 1970. */
const shown: number[] = [];
async function commitToShown(): Promise<readonly number[]> {
  const { since } = await ask<Commits>("commits");
  return shown.splice(0).map((at, i) => at - (since[i] ?? Number.NaN));
}

const retitle = "mutation ($id: ID!, $title: String!) { updateTask(input: {filter: {id: [$id]}, set: {title: $title}}) { numUids } }";
const retitleBoard = 'mutation ($title: String!) { updateBoard(input: {filter: {name: {eq: "home"}}, set: {title: $title}}) { numUids } }';
await ask("commits");
const one: number[] = [];
for (let i = 0; i < commits; i++) {
  const task = (i * 7_919) % tasks;
  const told = afterResults(1);
  const begin = performance.now();
  await Promise.all([mutate(retitle, { id: uidOf(task), title: `now ${i}` }), told]);
  one.push((arrived[task] ?? 0) - begin);
  shown.push(performance.timeOrigin + (arrived[task] ?? 0));
}
const afterOne = await ask<Usage>("usage");
line(`${commits} commits that touch one of them, from the request to the client`, one, full, afterOne);
const since = [...(await commitToShown())].sort((a, b) => a - b);
console.info(`  from the commit to the client: p50 ${quantile(since, 0.5)} ms, p99 ${quantile(since, 0.99)} ms`);

const all: number[] = [];
const last: number[] = [];
for (let round = 1; round <= rounds; round++) {
  const told = afterResults(tasks);
  const begin = performance.now();
  await Promise.all([mutate(retitleBoard, { title: String(round) }), told]);
  for (const at of arrived) all.push(at - begin);
  last.push(Math.max(...arrived) - begin);
}
const afterAll = await ask<Usage>("usage");
line(`${rounds} commits that touch all of them`, all, afterOne, afterAll);
console.info(`  the last of them after ${last.map((ms) => ms.toFixed(0)).join(", ")} ms`);

const quiet = await ask<Usage>("usage");
await new Promise((resolve) => setTimeout(resolve, 3_000));
const later = await ask<Usage>("usage");
console.info(`idle: ${((later.cpuMs - quiet.cpuMs) / 3).toFixed(1)} ms CPU a second`);
const { cpuMs } = await ask<Usage>("poll");
console.info(`polling the same ${tasks} queries once: ${cpuMs.toFixed(0)} ms CPU, each second, whether anything changes or not`);
for (const socket of sockets) socket.terminate();
await new Promise((resolve) => setTimeout(resolve, 1_000));
const empty = await ask<Usage>("usage");
await ask("embed");
await new Promise((resolve) => setTimeout(resolve, 6_000));
const embedded = await ask<Usage>("usage");
console.info(`embedded, without sockets: ${kib(embedded.heapMiB - empty.heapMiB)} KiB of heap per idle subscription`);
server.disconnect();
