// Child processes of the benchmarks: the command line as users run it, and how much memory it takes.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const tsx = import.meta.resolve("tsx");

/** Runs a TypeScript file of the project. */
export function runFile(file: URL, args: readonly string[], input: "ignore" | "pipe" = "ignore"): ChildProcess {
  return spawn(process.execPath, ["--import", tsx, fileURLToPath(file), ...args], { stdio: [input, "pipe", "inherit"] });
}

/**
 * Runs the built command line, as users do: `npm run build` comes first.
 *
 * @param nodeOptions of Node itself
 */
export function runQuern(args: readonly string[], nodeOptions: readonly string[] = []): ChildProcess {
  const program = fileURLToPath(new URL("../../dist/adapters/cli/main.js", import.meta.url));
  return spawn(process.execPath, [...nodeOptions, program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The first line that a child prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new TypeError("the child's output is not piped");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the child ended without a word");
}

export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

export interface Finished {
  readonly seconds: number;
  readonly peakMiB: number | undefined;
}

/** Waits for the end of a child that must succeed. */
export async function finished(child: ChildProcess): Promise<Finished> {
  const begin = performance.now();
  let peakMiB: number | undefined;
  const watch = setInterval(() => {
    peakMiB = residentMiB(child, "VmHWM") ?? peakMiB;
  }, 50);
  child.stdout?.resume();
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`the child ended with exit code ${code}`);
  return { seconds: (performance.now() - begin) / 1_000, peakMiB };
}

/** Resident memory now (`VmRSS`) or at its highest (`VmHWM`); undefined where the system does not report it. */
export function residentMiB({ pid }: ChildProcess, which: "VmRSS" | "VmHWM"): number | undefined {
  try {
    const [, kib] = new RegExp(`^${which}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? undefined : Math.round(Number(kib) / 1_024);
  } catch {
    return undefined;
  }
}

/** Processor time that a child has used so far; undefined where the system does not report it. */
export function cpuSeconds({ pid }: ChildProcess): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}
