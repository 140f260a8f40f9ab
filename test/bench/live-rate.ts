// Commits at a steady rate beside a thousand live queries, of which each commit concerns one in a hundred: how many are made, and how long each takes
// to the clients. Run: `npx tsx test/bench/live-rate.ts --rate 1000 --seconds 10`.

import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { builtProgram } from "../support/built-program.ts";
import type { Ask, Usage } from "./live-parts.ts";

const { values } = parseArgs({
  options: {
    queries: { type: "string", default: "1000" },
    /** How many of the queries one commit concerns. */
    concerned: { type: "string", default: "10" },
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "10" },
    connections: { type: "string", default: "100" },
    profile: { type: "boolean", default: false },
  },
});
const queries = Number(values.queries);
const concerned = Number(values.concerned);
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const rooms = queries / concerned;
const warmUpSeconds = 5;

const live =
  "subscription ($room: String!, $first: Int) { queryMessage(filter: {room: {eq: $room}}, order: {desc: number}, first: $first) { number text } }";
const add = "mutation ($input: [AddMessageInput!]!) { addMessage(input: $input) { numUids } }";

const server = fork(builtProgram(new URL("./live-server.ts", import.meta.url)), ["0"], {
  execArgv: ["--expose-gc", ...(values.profile ? ["--cpu-prof", "--cpu-prof-dir=/tmp"] : [])],
});
const [{ url }] = (await once(server, "message")) as [{ readonly url: string }];

async function ask<T>(what: Ask): Promise<T> {
  const answer = once(server, "message");
  server.send(what);
  const [value] = await answer;
  return value as T;
}

/** By number of the message: when it was sent. */
const sentAt: number[] = [];
/** By query: the newest message that it has shown. */
const seen = new Int32Array(queries).fill(-1);
let latencies: number[] = [];
let firstResults = 0;

/** Every message of its room that is newer than what it has shown before counts, from when it was sent. */
function onResult(query: number, newest: number): void {
  const now = performance.now();
  const room = query % rooms;
  const before = seen[query] ?? -1;
  for (let number = newest; number > before && number >= 0; number -= rooms) latencies.push(now - (sentAt[number] ?? now));
  seen[query] = Math.max(before, newest - ((((newest - room) % rooms) + rooms) % rooms));
}

async function connect(first: number): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { perMessageDeflate: false });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  socket.on("message", (data) => {
    const text = String(data);
    if (text.includes('"ping"')) return socket.send('{"type":"pong"}');
    if (!text.includes('"next"')) throw new Error(text);
    const newest = /"number":(\d+)/.exec(text)?.[1];
    if (newest === undefined) firstResults++;
    else onResult(Number(/"id":"(\d+)"/.exec(text)?.[1]), Number(newest));
  });
  for (let id = first; id < first + queries / connections; id++) {
    const payload = { query: live, variables: { room: `room ${id % rooms}`, first: 1 + Math.floor(id / rooms) } };
    socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload }));
  }
  return socket;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let answered = 0;

function send(): void {
  const number = sentAt.push(performance.now()) - 1;
  const input = [{ room: `room ${number % rooms}`, number, text: "a message" }];
  const headers = { "content-type": "application/json" };
  const sending = request(`${url}/graphql`, { method: "POST", agent, headers }, (response) => {
    response.resume();
    response.on("end", () => answered++);
  });
  sending.end(JSON.stringify({ query: add, variables: { input } }));
}

async function commit(forSeconds: number): Promise<void> {
  const began = performance.now();
  const before = sentAt.length;
  const all = rate * forSeconds;
  while (sentAt.length - before < all) {
    const due = Math.min(all, ((performance.now() - began) / 1_000) * rate);
    while (sentAt.length - before < due) send();
    await pause(1);
  }
  for (let waits = 0; (answered < sentAt.length || latencies.length < (sentAt.length - before) * concerned) && waits < 10_000; waits++)
    await pause(1);
}

const quantile = (sorted: readonly number[], share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);

const sockets = await Promise.all(Array.from({ length: connections }, (_, i) => connect((i * queries) / connections)));
while (firstResults < queries) await pause(5);
await commit(warmUpSeconds);
latencies = [];
const before = await ask<Usage>("usage");
const begun = performance.now();
const sentBefore = sentAt.length;
await commit(seconds);
const took = (performance.now() - begun) / 1_000;
const after = await ask<Usage>("usage");
const commits = sentAt.length - sentBefore;
const sorted = [...latencies].sort((a, b) => a - b);
const gained = (name: string) => (after.gauges[name] ?? Number.NaN) - (before.gauges[name] ?? Number.NaN);
console.info(`${queries} live queries on ${connections} connections, ${concerned} concerned by each commit; ${rate} commits a second asked for`);
console.info(
  `${(commits / took).toFixed(0)} commits a second were made and shown; from the request to the client p50 ${quantile(sorted, 0.5)} ms, p99 ${quantile(sorted, 0.99)} ms`,
);
console.info(
  `a commit: ${((after.cpuMs - before.cpuMs) / commits).toFixed(3)} ms of the server's processor, ${(gained("liveTestsTotal") / commits).toFixed(1)} tests, ${(gained("liveRunsTotal") / commits).toFixed(1)} runs, ${(gained("liveResultsTotal") / commits).toFixed(1)} results; ${after.rssMiB.toFixed(0)} MiB resident`,
);
for (const socket of sockets) socket.terminate();
agent.destroy();
server.disconnect();
