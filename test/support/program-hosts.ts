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

let idle: ProgramHost[] = [];

/**
 * Runs a JavaScript module in `cwd` until it would end as a process. Programs that run at the same time have processes of their own. For programs
 * whose start, signals or death a spec is not about.
 */
export async function runInHost(program: string, cwd: string, ...args: readonly string[]): Promise<Ended> {
  const host = idle.pop() ?? new ProgramHost();
  const ended = await host.run(program, cwd, args);
  if (host.isAlive) idle.push(host);
  return ended;
}

class ProgramHost {
  readonly #child: ChildProcess;
  /** Its exit code, when it has ended. */
  readonly #closed: Promise<number | null>;
  readonly #output = { out: "", err: "" };
  /** Called when there is more output. */
  #more: () => void = () => {};

  constructor() {
    this.#child = spawn(process.execPath, [builtProgram(new URL("./program-host.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#closed = once(this.#child, "close").then(([code]) => code);
    this.#collect("out", this.#child.stdout);
    this.#collect("err", this.#child.stderr);
    whenFileEnds(() => {
      idle = idle.filter((each) => each !== this);
      this.#child.kill("SIGKILL");
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #collect(name: "out" | "err", stream: NodeJS.ReadableStream | null): void {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#output[name] += chunk;
      this.#more();
    });
  }

  async run(program: string, cwd: string, args: readonly string[]): Promise<Ended> {
    const end = `\0${randomUUID()}\0`;
    Object.assign(this.#output, { out: "", err: "" });
    const written = new Promise<void>((resolve) => {
      this.#more = () => this.#output.out.endsWith(end) && this.#output.err.endsWith(end) && resolve();
    });
    const answered = once(this.#child, "message").then(([ended]: readonly ProgramEnded[]) => ended?.code ?? null);
    const run: ProgramRun = { program, cwd, args, env: { ...process.env }, end };
    this.#child.send(run);
    const code = await Promise.race([Promise.all([answered, written]).then(([code]) => code), this.#closed]);
    return { code, out: this.#output.out.replace(end, ""), err: this.#output.err.replace(end, "") };
  }
}
