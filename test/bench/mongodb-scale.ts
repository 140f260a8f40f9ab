// One to three servers on one database, a thousand subscribers on each: what requests and commits cost in processor time on each side, and what an idle server
// adds. The number of requests is fixed and the figures are those of the processes, so that other work of the machine changes them little.

import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { MongoClient } from "mongodb";
import { WebSocket } from "ws";
import { packages } from "./mongodb-packages.ts";
import { databaseSeconds } from "./mongodb-servers.ts";
import { cpuSeconds, firstLine, runFile, stopped } from "./processes.ts";
import { printTable } from "./table.ts";

const counts = [1, 2, 3];
const subscribers = 1_000;
const sockets = 10;
const idleSeconds = 10;
const lanes = 8;

export interface Kind {
  readonly what: string;
  readonly requests: number;
  readonly query: string;
  readonly variables: (i: number) => object;
  /** Each subscriber of the package is sent a result. */
  readonly isLive?: boolean;
}

const started = Date.now().toString(36);
const watched = (i: number) => `p${(i * 17) % packages}`;
let added = 0;

const kinds: readonly Kind[] = [
  {
    what: "by key",
    requests: 1_000,
    query: "query ($name: String!) { getPackage(name: $name) { name size } }",
    variables: (i) => ({ name: watched(i) }),
  },
  {
    what: "filter, order, first ten, nested",
    requests: 500,
    query: "query ($s: String) { queryPackage(filter: { section: { eq: $s } }, order: { desc: size }, first: 10) { name size maintainer { name } } }",
    variables: (i) => ({ s: `s${i % 40}` }),
  },
  {
    what: "add",
    requests: 300,
    query: "mutation ($name: String!) { addPackage(input: [{ name: $name, size: 1 }]) { numUids } }",
    variables: () => ({ name: `${started} ${added++}` }),
  },
  {
    what: "update that one subscriber of each server watches",
    requests: 300,
    query: "mutation ($name: String!, $size: Int!) { updatePackage(input: { filter: { name: { eq: $name } }, set: { size: $size } }) { numUids } }",
    variables: (i) => ({ name: watched(i), size: 1_000_000 + added++ }),
    isLive: true,
  },
];

/** Prints what each kind of request costs for each number of servers. */
export async function compareScale(uri: string, client: MongoClient): Promise<void> {
  const idle: string[][] = [];
  const rows: string[][] = [];
  for (const count of counts) {
    const servers = Array.from({ length: count }, () => runFile(new URL("./mongodb-server.ts", import.meta.url), [uri]));
    try {
      const urls = (await Promise.all(servers.map(firstLine))).map((url) => `${url}/graphql`);
      const live = await Promise.all(urls.map(subscribed));
      await pause(3_000);
      idle.push([String(count), ...(await idleCost(servers, client))]);
      for (const kind of kinds) rows.push([kind.what, String(count), ...(await costOf(kind, { servers, urls, live, client }))]);
      for (const each of live) each.close();
      console.log(`${count} servers measured: ${JSON.stringify([idle.at(-1), ...rows.slice(-kinds.length)])}`);
    } finally {
      await Promise.all(servers.map(stopped));
    }
  }
  printTable(["idle", "ms of a server/s", "ms of mongod/s", "commands/s", "getMores/s"], idle);
  printTable(["", "servers", "server ms each", "mongod ms each", "results"], rows);
}

interface Load {
  readonly servers: readonly ChildProcess[];
  readonly urls: readonly string[];
  readonly live: readonly Live[];
  readonly client: MongoClient;
}

async function costOf(kind: Kind, { servers, urls, live, client }: Load): Promise<string[]> {
  for (let i = 0; i < 50 * urls.length; i++) await send(kind, urls[i % urls.length] ?? "", i);
  await pause(500);
  const resultsOf = () => live.reduce((sum, each) => sum + each.results, 0);
  const before = { server: secondsOf(servers), database: await databaseSeconds(client), results: resultsOf() };
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < kind.requests; i = next++) await send(kind, urls[i % urls.length] ?? "", i);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const wanted = kind.isLive ? kind.requests * urls.length : 0;
  for (let tries = 0; resultsOf() - before.results < wanted && tries < 100; tries++) await pause(100);
  const each = (seconds: number) => ((seconds * 1_000) / kind.requests).toFixed(2);
  const server = each(secondsOf(servers) - before.server);
  return [server, each((await databaseSeconds(client)) - before.database), String(resultsOf() - before.results)];
}

export async function send({ query, variables }: Kind, url: string, i: number): Promise<void> {
  const body = JSON.stringify({ query, variables: variables(i) });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const text = await response.text();
  assert.ok(response.ok && !text.includes('"errors"'), text.slice(0, 300));
}

function secondsOf(servers: readonly ChildProcess[]): number {
  return servers.reduce((sum, server) => sum + (cpuSeconds(server) ?? Number.NaN), 0);
}

async function idleCost(servers: readonly ChildProcess[], client: MongoClient): Promise<string[]> {
  const countersOf = async () => (await client.db("admin").command({ serverStatus: 1 })).opcounters;
  const before = { server: secondsOf(servers), database: await databaseSeconds(client), counters: await countersOf() };
  await pause(idleSeconds * 1_000);
  const counters = await countersOf();
  const perSecond = (value: number) => (value / idleSeconds).toFixed(1);
  return [
    perSecond(((secondsOf(servers) - before.server) * 1_000) / servers.length),
    perSecond(((await databaseSeconds(client)) - before.database) * 1_000),
    perSecond(counters.command - before.counters.command),
    perSecond(counters.getmore - before.counters.getmore),
  ];
}

interface Live {
  readonly results: number;
  close(): void;
}

/** Subscribes to packages, each one to another, and waits for the first results. */
export async function subscribed(url: string): Promise<Live> {
  let results = 0;
  const open: WebSocket[] = [];
  for (let first = 0; first < subscribers; first += subscribers / sockets) {
    const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws", { perMessageDeflate: false });
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    await once(socket, "message");
    socket.on("message", (data) => {
      const text = String(data);
      if (text.includes('"next"')) results++;
      else if (text.includes('"ping"')) socket.send('{"type":"pong"}');
      else throw new Error(text);
    });
    for (let id = first; id < first + subscribers / sockets; id++) {
      const query = "subscription ($name: String!) { getPackage(name: $name) { name size } }";
      socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload: { query, variables: { name: watched(id) } } }));
    }
    open.push(socket);
  }
  for (let tries = 0; results < subscribers && tries < 3_000; tries++) await pause(100);
  assert.ok(results >= subscribers, `${results} of ${subscribers} subscribers have a result`);
  return {
    get results() {
      return results;
    },
    close: () => {
      for (const socket of open) socket.terminate();
    },
  };
}
