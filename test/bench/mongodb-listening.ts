// What a server pays for the commits of another one: one server writes, another one only hears of it. Its processor time is measured apart from the writer's,
// for one that nobody watches and for one with a thousand subscribers, and that of `mongod` with and without it.

import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { MongoClient } from "mongodb";
import { packages } from "./mongodb-packages.ts";
import { type Kind, send, subscribed } from "./mongodb-scale.ts";
import { databaseSeconds } from "./mongodb-servers.ts";
import { cpuSeconds, firstLine, runFile, stopped } from "./processes.ts";
import { printTable } from "./table.ts";

const commits = 2_000;
const lanes = 8;

const started = Date.now().toString(36);
let added = 0;

const kinds: readonly Kind[] = [
  {
    what: "add",
    requests: commits,
    query: "mutation ($name: String!) { addPackage(input: [{ name: $name, size: 1 }]) { numUids } }",
    variables: () => ({ name: `l${started} ${added++}` }),
  },
  {
    what: "update that nobody watches",
    requests: commits,
    query: "mutation ($name: String!, $size: Int!) { updatePackage(input: { filter: { name: { eq: $name } }, set: { size: $size } }) { numUids } }",
    // Each seventeenth is watched, up to 17,000.
    variables: (i) => ({ name: `p${(1 + i * 17) % packages}`, size: 1_000_000 + added++ }),
  },
];

/** Prints what each kind of commit costs a server that hears of it. */
export async function compareListening(uri: string, client: MongoClient): Promise<void> {
  const rows: string[][] = [];
  for (const listener of ["none", "without subscribers", "with 1,000 subscribers"] as const) {
    const servers = Array.from({ length: listener === "none" ? 1 : 2 }, () => runFile(new URL("./mongodb-server.ts", import.meta.url), [uri]));
    try {
      const [url = "", second] = (await Promise.all(servers.map(firstLine))).map((each) => `${each}/graphql`);
      const live = second !== undefined && listener === "with 1,000 subscribers" ? await subscribed(second) : undefined;
      await pause(2_000);
      for (const kind of kinds) rows.push([listener, kind.what, ...(await costOf(kind, { url, servers, client }))]);
      live?.close();
    } finally {
      await Promise.all(servers.map(stopped));
    }
  }
  printTable(["another server", "commit", "its ms", "writer's ms", "mongod's ms"], rows);
}

interface Site {
  readonly url: string;
  /** The writer, and the one that listens. */
  readonly servers: readonly ChildProcess[];
  readonly client: MongoClient;
}

async function costOf(kind: Kind, { url, servers, client }: Site): Promise<string[]> {
  for (let i = 0; i < 300; i++) await send(kind, url, i);
  const used = () => servers.map((server) => cpuSeconds(server) ?? Number.NaN);
  const before = { servers: used(), database: await databaseSeconds(client) };
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < kind.requests; i = next++) await send(kind, url, i);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await pause(500);
  const each = (seconds: number) => ((seconds * 1_000) / kind.requests).toFixed(2);
  const [writer = Number.NaN, listener] = used().map((seconds, i) => seconds - (before.servers[i] ?? 0));
  return [listener === undefined ? "" : each(listener), each(writer), each((await databaseSeconds(client)) - before.database)];
}
