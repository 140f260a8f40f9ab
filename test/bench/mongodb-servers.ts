// One to four servers on one database: requests a second, and what a request costs in processor time on each side. On a machine with
// few cores the load, the servers and the database get in each other's way; the costs show whether another server makes work of its own.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { MongoClient } from "mongodb";
import { load } from "./load.ts";
import { cpuSeconds, firstLine, runFile, stopped } from "./processes.ts";
import { printTable, whole } from "./table.ts";

const seconds = 8;
/** How many servers share the load. */
const counts = [1, 2, 3, 4];
const connections = 32;

const works = [
  {
    what: "key",
    bodies: Array.from({ length: 1_000 }, (_, i) =>
      JSON.stringify({ query: "query ($name: String!) { getPackage(name: $name) { name size } }", variables: { name: `p${i * 17}` } }),
    ),
  },
  {
    what: "first ten, nested",
    bodies: Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({
        query:
          "query ($s: String) { queryPackage(filter: { section: { eq: $s } }, order: { desc: size }, first: 10) { name size maintainer { name } } }",
        variables: { s: `s${i}` },
      }),
    ),
  },
  {
    what: "add",
    bodies: [
      JSON.stringify({
        query: "mutation ($name: String!) { addPackage(input: [{ name: $name, size: 1 }]) { numUids } }",
        variables: { name: "[<id>]" },
      }),
    ],
  },
];

/** Prints a row for each kind of request and number of servers. */
export async function compareServers(uri: string, client: MongoClient, folder: string): Promise<void> {
  const servers = Array.from({ length: Math.max(...counts) }).map(() => runFile(new URL("./mongodb-server.ts", import.meta.url), [uri]));
  try {
    const urls = (await Promise.all(servers.map(firstLine))).map((url) => `${url}/graphql`);
    const rows: string[][] = [];
    for (const { what, bodies } of works) {
      for (const count of counts) {
        const used = () => servers.slice(0, count).reduce((sum, server) => sum + (cpuSeconds(server) ?? Number.NaN), 0);
        await load({ url: urls[0] ?? "", connections: 4, seconds: 1, bodies, folder });
        const [before, databaseBefore] = [used(), await databaseSeconds(client)];
        const figures = await Promise.all(
          urls.slice(0, count).map(async (url, i) => {
            // Names that are added must differ between the two.
            await pause(i * 20);
            return await load({ url, connections: connections / count, seconds, bodies, folder: mkdtempSync(join(folder, "load-")) });
          }),
        );
        const perSecond = figures.reduce((sum, each) => sum + each.perSecond, 0);
        const perRequest = (spent: number) => `${((spent / (perSecond * seconds)) * 1e6).toFixed(0)} us`;
        rows.push([
          what,
          String(count),
          whole(perSecond),
          Math.max(...figures.map((each) => each.p99Ms)).toFixed(1),
          perRequest(used() - before),
          perRequest((await databaseSeconds(client)) - databaseBefore),
          String(figures.reduce((sum, each) => sum + each.failures, 0)),
        ]);
      }
    }
    printTable(["", "servers", "requests/s", "p99 ms", "server CPU", "mongod CPU", "failed"], rows);
  } finally {
    await Promise.all(servers.map(stopped));
  }
}

/** Processor time that the database has used so far. */
export async function databaseSeconds(client: MongoClient): Promise<number> {
  const { extra_info: info } = await client.db("admin").command({ serverStatus: 1 });
  return (Number(info.user_time_us) + Number(info.system_time_us)) / 1e6;
}
