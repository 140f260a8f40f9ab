// Starts Quern and the server written by hand, and says when they answer.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { firstLine } from "./processes.ts";

export interface Server {
  readonly child: ChildProcess;
  /** Of its GraphQL endpoint. */
  readonly url: string;
  readonly startedMs: number;
}

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

async function answers(url: string, body: string): Promise<boolean> {
  try {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await response.text();
    if (text.includes('"errors"')) throw new Error(`${url}: ${text.slice(0, 500)}`);
    return true;
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}
