// Bits that flip in the files of a store that serves, while it is written and LevelDB merges its tables: no wrong answer goes unnamed.
//
// A full run has 500 flips: QUERN_TEST_EXAMPLES=20; QUERN_TEST_SEED chooses others.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { builtProgram } from "../../support/built-program.ts";
import { examples, testSeed } from "../../support/properties.ts";
import type { Flip, Seen } from "./seen.ts";

const program = new URL("./flips-program.ts", import.meta.url);

/** What the program said about one flip before it ended or began the next. */
interface Example {
  readonly i: number;
  readonly path: string;
  flip?: Flip;
  writes: number;
  seen?: Seen;
  /** The process has died in it. */
  died?: string;
}

type Line = { readonly begun: number; readonly path: string } | { readonly flip?: Flip } | { readonly step: number } | { readonly seen: Seen };

async function runProgram(args: readonly (string | number)[], hear: (line: Line) => void): Promise<string | undefined> {
  const child = spawn(process.execPath, [builtProgram(program), ...args.map(String)], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-2_000);
  });
  for await (const line of createInterface({ input: child.stdout })) hear(JSON.parse(line));
  const [code, signal]: readonly unknown[] = await closed;
  if (code === 0) return undefined;
  // An error of the program itself is a fault of this spec, or an error that no damage may cause.
  assert.ok(signal !== null || code === 134, `${args.join(" ")} ended with ${code}: ${errors}`);
  return signal === null ? `exit ${code}` : String(signal);
}

/** Runs examples until the process dies, or to the end. */
async function runFrom(base: string, first: number, count: number): Promise<readonly Example[]> {
  const run: Example[] = [];
  const died = await runProgram([base, testSeed, first, count], (line) => {
    const current = run.at(-1);
    if ("begun" in line) run.push({ i: line.begun, path: line.path, writes: 0 });
    else if (current !== undefined && "step" in line) current.writes = line.step;
    else if (current !== undefined) Object.assign(current, line);
  });
  const last = run.at(-1);
  if (died !== undefined && last !== undefined) Object.assign(last, { died, seen: await looked(base, last) });
  return run;
}

async function looked(base: string, { path, writes }: Example): Promise<Seen | undefined> {
  let seen: Seen | undefined;
  await runProgram([base, testSeed, path, writes, "died"], (line) => {
    if ("seen" in line) seen = line.seen;
  });
  return seen;
}

function outcomeOf({ flip, seen, died }: Example): string {
  if (flip === undefined) return "no file of this kind";
  const told = [...(died === undefined ? [] : ["the process ended"]), ...(seen?.told ?? []).filter((how) => how !== "other error")];
  const how = told.length === 0 ? "not named" : `named by ${told[0]}`;
  return `${how}, ${(seen?.wrong.length ?? 0) > 0 ? "wrong answers" : "right answers"}`;
}

function table(run: readonly Example[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const each of run) {
    const row = `${each.flip?.kind ?? "-"}: ${outcomeOf(each)}`;
    counts[row] = (counts[row] ?? 0) + 1;
  }
  return counts;
}

it(
  "names each wrong answer after a bit has flipped in any file of a store that serves",
  async () => {
    const base = mkdtempSync(join(tmpdir(), "quern-flips-"));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const count = examples(25);
    const run: Example[] = [];
    while (run.length < count) run.push(...(await runFrom(base, run.length, count)));
    console.info(table(run));
    expect(run.filter(({ seen }) => seen === undefined)).toEqual([]);
    expect(run.filter(({ seen }) => (seen?.wrong.length ?? 0) > 0 && !seen?.told.some((how) => how !== "other error"))).toEqual([]);
    // The flips are worth the while: some were met.
    expect(run.some(({ seen }) => (seen?.told.length ?? 0) > 0)).toBe(true);
  },
  examples(25) * 60_000,
);
