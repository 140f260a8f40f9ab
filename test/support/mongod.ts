// Real mongods: started as a replica set in a temporary folder, gone with the process that started them, however that ends.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Document, MongoClient } from "mongodb";
import { findMongod, howToGetMongod } from "./find-mongod.ts";
import { freePort } from "./free-port.ts";
import { roomyFolder } from "./roomy-folder.ts";

export interface ReplicaSet {
  readonly uri: string;
  readonly nodes: readonly Mongod[];
  /** Holds the data and logs of all. */
  readonly folder: string;
  /** Kills all and removes their data. */
  stop(): Promise<void>;
}

/** One server of a replica set. */
export interface Mongod {
  readonly port: number;
  /** SIGKILL: as when the power fails. */
  kill(): Promise<void>;
  /** Starts it again on its data. */
  start(): Promise<void>;
}

export interface ReplicaSetOptions {
  /** 1 by default. */
  readonly nodes?: number;
  /** How much of its history each keeps; 200 by default. */
  readonly oplogMb?: number;
  /** Less than mongod takes by itself: 256 MB. */
  readonly cacheMb?: number | undefined;
  /** More arguments of mongod. */
  readonly args?: readonly string[];
}

const startTimeoutMs = 60_000;

/** False where a server is given: specs that need one of their own are left out, and this says so. */
export const startsMongods = findMongod()?.kind !== "uri";
if (!startsMongods) console.info("A MongoDB is given by its address: specs that break one, or need one with a login, are left out.");

/** A replica set that has a primary. */
export async function startReplicaSet({ nodes: count = 1, oplogMb = 200, cacheMb, args = [] }: ReplicaSetOptions = {}): Promise<ReplicaSet> {
  const binary = await mongodBinary();
  const folder = await mkdtemp(join(roomyFolder(), "quern-mongod-"));
  const nodes: RunningMongod[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const options = { cacheMb, args: ["--oplogSize", String(oplogMb), ...args] };
    for (let i = 0; i < count; i++) nodes.push(new RunningMongod(binary, folder, await freePort(), options));
    await Promise.all(nodes.map((node) => node.start()));
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
    await initiate(hosts);
    return { uri: `mongodb://${hosts.join(",")}/?replicaSet=${setName}`, nodes, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const setName = "quern";

export async function mongodBinary(): Promise<string> {
  const source = findMongod();
  if (source?.kind === "binary") return source.path;
  if (source?.kind !== "download")
    throw new Error(source ? "A server that is given cannot be started; name a binary by QUERN_TEST_MONGOD." : `No mongod. ${howToGetMongod}`);
  const { MongoBinary } = await import("mongodb-memory-server-core");
  return MongoBinary.getPath({ version: source.version });
}

/**
 * Kills mongod ($1) and removes the data ($2) as soon as its input ends: that is when the process that started it is gone.
 * A removal fails while a dying mongod still writes.
 */
const keeper = 'cat >/dev/null; kill -9 "$1"; until rm -rf "$2"; do sleep 0.1; done';

class RunningMongod implements Mongod {
  readonly port: number;
  readonly #command: readonly [string, ...string[]];
  readonly #folder: string;
  readonly #data: string;
  #process: ChildProcess | undefined;

  constructor(
    binary: string,
    folder: string,
    port: number,
    { cacheMb, args }: Pick<ReplicaSetOptions, "cacheMb"> & { readonly args: readonly string[] },
  ) {
    this.port = port;
    this.#folder = folder;
    this.#data = join(folder, String(port));
    const place = ["--dbpath", this.#data, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket", "--replSet", setName];
    const small = ["--wiredTigerCacheSizeGB", "0.5", "--setParameter", "diagnosticDataCollectionEnabled=false"];
    // Files stay open for ten minutes by default, those of dropped databases too: thousands of specs then have more than a process may.
    const tidy = "file_manager=(close_idle_time=5,close_scan_interval=2,close_handle_minimum=250)";
    const engine = ["--wiredTigerEngineConfigString", cacheMb === undefined ? tidy : `${tidy},cache_size=${cacheMb}M`];
    // What waits for the journal waits 100 ms by default: each drop of a database does.
    const quick = ["--journalCommitInterval", "2"];
    this.#command = [binary, ...place, ...small, ...engine, ...quick, "--logpath", `${this.#data}.log`, "--logappend", ...args];
  }

  async start(): Promise<void> {
    await mkdir(this.#data, { recursive: true });
    const [binary, ...args] = this.#command;
    // A group of its own: Ctrl-C is for the run, which then ends it.
    const mongod = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#process = mongod;
    let said = "";
    for (const output of [mongod.stdout, mongod.stderr]) output.on("data", (chunk) => (said += chunk));
    const ended = once(mongod, "exit").then(([code, signal]) => {
      throw new Error(`${binary} ended (${code ?? signal}) before it answered. ${said}`);
    });
    ended.catch(() => {});
    await Promise.race([ended, once(mongod, "spawn")]);
    this.#guard(mongod);
    await Promise.race([ended, answersAt(this.port)]);
  }

  #guard(mongod: ChildProcess): void {
    const guard = spawn("sh", ["-c", keeper, "keeper", String(mongod.pid), this.#folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
    mongod.once("exit", () => guard.kill("SIGKILL"));
  }

  async kill(): Promise<void> {
    const mongod = this.#process;
    if (mongod === undefined || mongod.exitCode !== null || mongod.signalCode !== null) return;
    const ended = once(mongod, "exit");
    mongod.kill("SIGKILL");
    await ended;
  }
}

async function answersAt(port: number): Promise<void> {
  const until = Date.now() + startTimeoutMs;
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(20);
    } finally {
      socket.destroy();
    }
  }
}

async function initiate(hosts: readonly string[]): Promise<void> {
  const client = new MongoClient(`mongodb://${hosts[0]}/?directConnection=true`);
  try {
    const admin = client.db("admin");
    const members = hosts.map((host, _id) => ({ _id, host }));
    await admin.command({ replSetInitiate: { _id: setName, members, settings: { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 } } });
    const until = Date.now() + startTimeoutMs;
    while (!(await hasPrimary(admin.command({ hello: 1 })))) {
      if (Date.now() > until) throw new Error(`no primary among ${hosts} within ${startTimeoutMs} ms`);
      await delay(20);
    }
  } finally {
    await client.close();
  }
}

async function hasPrimary(hello: Promise<Document>): Promise<boolean> {
  return (await hello).primary !== undefined;
}
