// Processes that run programs for specs, each many of them: to start a process and to load the package takes ten times as long as most programs.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { builtProgram } from "./built-program.ts";
import type { ProgramEnded, ProgramRun } from "./program-host.ts";
import { whenFileEnds } from "./when-file-ends.ts";

/** How a process has ended, with all that it has written. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Output {
  out: string;
  err: string;
}

/** A program that runs in a host. */
export interface HostedProgram {
  /** What it has written so far. A spec may empty it. */
  readonly output: Output;
  readonly ended: Promise<Ended>;
  /** Nothing happens if it has ended. */
  kill(signal: NodeJS.Signals): void;
}

/** They wait for the programs of this file and of the next ones, and end with this process. */
const idle: ProgramHost[] = [];

/**
 * Runs a JavaScript module in `cwd` until it would end as a process. Programs that run at the same time have processes of their own. For programs
 * whose start, signals or death a spec is not about.
 */
export function runInHost(program: string, cwd: string, ...args: readonly string[]): Promise<Ended> {
  return startInHost(program, cwd, ...args).ended;
}

/** The same, for a program that a signal ends, such as a server. One that a test leaves behind ends with the spec file. */
export function startInHost(program: string, cwd: string, ...args: readonly string[]): HostedProgram {
  const host = idleHost() ?? new ProgramHost();
  const output: Output = { out: "", err: "" };
  let isRunning = true;
  const kill = (signal: NodeJS.Signals) => {
    if (isRunning) host.kill(signal);
  };
  whenFileEnds(() => kill("SIGKILL"));
  const ended = host.run(program, cwd, args, output).finally(() => {
    isRunning = false;
    if (host.isAlive) idle.push(host);
  });
  return { output, ended, kill };
}

/** A signal may have come when its program had ended. */
function idleHost(): ProgramHost | undefined {
  const host = idle.pop();
  return host === undefined || host.isAlive ? host : idleHost();
}

class ProgramHost {
  readonly #child: ChildProcess;
  /** Its exit code, when it has ended. */
  readonly #closed: Promise<number | null>;
  #output: Output = { out: "", err: "" };
  /** Called when there is more output. */
  #more: () => void = () => {};

  constructor() {
    this.#child = spawn(process.execPath, [builtProgram(new URL("./program-host.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#closed = once(this.#child, "close").then(([code]) => code);
    this.#collect("out", this.#child.stdout);
    this.#collect("err", this.#child.stderr);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #collect(name: "out" | "err", stream: NodeJS.ReadableStream | null): void {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#output[name] += chunk;
      this.#more();
    });
  }

  /** @param output what the program writes is added to it */
  async run(program: string, cwd: string, args: readonly string[], output: Output): Promise<Ended> {
    const end = `\0${randomUUID()}\0`;
    this.#output = output;
    const written = new Promise<void>((resolve) => {
      this.#more = () => output.out.endsWith(end) && output.err.endsWith(end) && resolve();
    });
    const answered = once(this.#child, "message").then(([ended]: readonly ProgramEnded[]) => ended?.code ?? null);
    const run: ProgramRun = { program, cwd, args, env: { ...process.env }, end };
    this.#child.send(run);
    const code = await Promise.race([Promise.all([answered, written]).then(([code]) => code), this.#closed]);
    return { code, out: output.out.replace(end, ""), err: output.err.replace(end, "") };
  }
}
