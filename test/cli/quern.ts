// Runs the command line as a child process in a folder of its own: the built one, which starts four times as fast as the sources do.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Ended, type HostedProgram, runInHost, startInHost } from "../support/program-hosts.ts";
import { whenFileEnds } from "../support/when-file-ends.ts";

// What a configuration imports is compiled once, not in every process: these are all the sources, and take seven seconds.
process.env.JITI_FS_CACHE = fileURLToPath(new URL("../../node_modules/.cache/jiti", import.meta.url));
process.env.XDG_CACHE_HOME = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

// What servers leave for the commands of their user stays away from the user who runs the specs.
const state = join(tmpdir(), `quern-state-${process.pid}`);
process.env.XDG_STATE_HOME = state;

export type { Ended, HostedProgram };

export const main = fileURLToPath(new URL("../../dist/adapters/cli/main.js", import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  /** Lines of standard output, one at each call; undefined at its end. */
  line(): Promise<string | undefined>;
  readonly ended: Promise<Ended>;
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "quern-cli-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function quern(cwd: string, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [main, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  // A test that timed out leaves its server.
  whenFileEnds(() => {
    child.kill("SIGKILL");
    rmSync(state, { recursive: true, force: true });
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => (await lines.next()).value,
    ended: once(child, "close").then(([code]) => ({ code, out, err })),
  };
}

/** Runs a command to its end, in a process that runs many. */
export function run(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return runInHost(main, cwd, ...args);
}

/** A server on a free port, once it answers. */
export async function started(cwd: string, ...args: readonly string[]): Promise<Running & { readonly url: string }> {
  const running = quern(cwd, "start", "--port", "0", ...args);
  const url = await running.line();
  if (url === undefined) throw new Error(`quern start ended: ${(await running.ended).err}`);
  return { ...running, url };
}

/** A command that a signal ends, in a process that runs many: for specs that are not about its process. */
export function hosted(cwd: string, ...args: readonly string[]): HostedProgram {
  return startInHost(main, cwd, ...args);
}

/** A server on a free port, once it answers, in a process that runs many. */
export async function served(cwd: string, ...args: readonly string[]): Promise<Served> {
  const program = hosted(cwd, "start", "--port", "0", ...args);
  const url = await firstLine(program);
  if (url === undefined) throw new Error(`quern start ended: ${(await program.ended).err}`);
  const stop = (signal: NodeJS.Signals = "SIGINT") => {
    program.kill(signal);
    return program.ended;
  };
  return { url, stop };
}

export interface Served {
  readonly url: string;
  /** Resolves when the server has ended. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Undefined if it ends without one. */
async function firstLine({ output, ended }: HostedProgram): Promise<string | undefined> {
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  while (isRunning && !output.out.includes("\n")) await pause(5);
  return isRunning ? output.out.split("\n")[0] : undefined;
}

export async function ask(url: string, query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return await response.json();
}
