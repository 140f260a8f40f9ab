// An honest client beside a benchmark, in a process of its own.

import type { ChildProcess } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Probed } from "./hostile-probe.ts";
import { runFile, stopped } from "./processes.ts";

export interface ProbeOptions {
  /** The origin of the server. */
  readonly url: string;
  /** The body of a request that reads one node by its key. */
  readonly byKey: string;
}

/** Asks `/health` and reads one node by its key, each twenty times a second. */
export class Probe {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor({ url, byKey }: ProbeOptions) {
    this.#child = runFile(new URL("hostile-probe.ts", import.meta.url), [url, byKey], "pipe");
    this.#lines = linesOf(this.#child)[Symbol.asyncIterator]();
  }

  /** Resolves when it asks. */
  static async begin(options: ProbeOptions): Promise<Probe> {
    const probe = new Probe(options);
    await probe.report();
    return probe;
  }

  /** Latencies of all requests since the last report. It waits for the answers that are due. */
  async report(): Promise<Probed> {
    this.#child.stdin?.write("\n");
    const line = await this.#lines.next();
    if (line.done === true) throw new Error("the probe ended without a report");
    return JSON.parse(line.value);
  }

  async stop(): Promise<void> {
    await stopped(this.#child);
  }
}

function linesOf({ stdout }: ChildProcess): Interface {
  if (stdout === null) throw new TypeError("the probe's output is not piped");
  return createInterface({ input: stdout });
}
