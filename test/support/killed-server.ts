// A server in a process of its own, which can be killed and started again over its data.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { builtProgram } from "./built-program.ts";

const program = new URL("server-program.ts", import.meta.url);

export class KilledServer {
  readonly #folder: string;
  readonly #transport: string;
  #child: ChildProcess | undefined;

  constructor(folder: string, transport: string) {
    this.#folder = folder;
    this.#transport = transport;
  }

  /** Starts it with one boat more. @returns its URL, once it listens */
  async start(port: number, boat: string): Promise<string> {
    const args = [builtProgram(program), this.#folder, this.#transport, String(port), boat];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    for await (const url of createInterface({ input: child.stdout })) return url;
    throw new Error("The server ended before it listened.");
  }

  /** With SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}
