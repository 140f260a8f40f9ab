// Started by the spec: damages copies of a store while it serves them, one bit each, and says on standard output what came of it. In a process of its own, since
// garbage in a table may end it.

import { cp, mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { Random } from "../model/random.ts";
import { askAll, rounds, schema, writes } from "./fleet.ts";
import type { Flip, Seen, Told } from "./seen.ts";

const [base = "", seed = "0", from = "0", to = "0", died = "0"] = process.argv.slice(2);
const whole = join(base, "whole");

/** So little is kept in memory that most answers are read from the files. */
function kernelOn(path: string): Kernel {
  return createKernel({ storage: leveldbStorage({ path, cacheBytes: 64 << 10 }), plugins: standardPlugins(), log: { level: "silent" } });
}

async function onKernel(path: string, work: (kernel: Kernel) => Promise<void>): Promise<void> {
  const kernel = kernelOn(path);
  await kernel.open();
  try {
    await work(kernel);
  } finally {
    await kernel.close();
  }
}

async function makeWhole(): Promise<void> {
  await onKernel(whole, async (kernel) => void (await kernel.deploy(schema)));
  for (const round of rounds) {
    await onKernel(whole, async (kernel) => assertDone(await round(kernel)));
  }
}

function assertDone(answer: string): void {
  if (answer.includes('"errors"')) throw new Error(answer);
}

interface Truth {
  /** By the count of writes. */
  readonly answers: readonly (readonly string[])[];
  readonly written: readonly string[];
}

/** What a whole store says before the first write and after each. */
async function truth(): Promise<Truth> {
  const path = join(base, "truth");
  await cp(whole, path, { recursive: true });
  const answers: (readonly string[])[] = [];
  const written: string[] = [];
  await onKernel(path, async (kernel) => {
    answers.push(await askAll(kernel));
    for (const write of writes) {
      written.push(await write(kernel));
      answers.push(await askAll(kernel));
    }
  });
  await rm(path, { recursive: true });
  for (const answer of [...answers.flat(), ...written]) assertDone(answer);
  return { answers, written };
}

class Run {
  readonly #path: string;
  readonly #truth: Truth;
  readonly told = new Set<Told>();
  readonly wrong: string[] = [];
  done = 0;

  constructor(path: string, known: Truth) {
    this.#path = path;
    this.#truth = known;
  }

  /** Questions, writes and compactions in an order of its own. */
  async serve(random: Random, flip: (path: string) => Promise<void>): Promise<void> {
    await this.#opened(async (kernel) => {
      const flipBefore = random.below(writes.length);
      if (random.chance(30)) await this.#ask(kernel);
      for (let i = 0; i < writes.length; i++) {
        if (i === flipBefore) await this.#damaged(kernel, random, flip);
        await this.#write(kernel, i);
        if (random.chance(30)) await this.#compact();
      }
      if (random.chance(70)) await this.#compact();
      await this.#ask(kernel);
    });
  }

  async #damaged(kernel: Kernel, random: Random, flip: (path: string) => Promise<void>): Promise<void> {
    await flip(this.#path);
    if (random.chance(50)) await this.#ask(kernel);
    if (random.chance(50)) await this.#compact();
  }

  /** As the operator does: `quern check`, and then another start. */
  async lookAfter(): Promise<void> {
    const files = await leveldbStorage({ path: this.#path }).verifyFiles?.();
    if ((files?.faultCount ?? 0) > 0) {
      this.told.add("check of files");
      return;
    }
    await this.#opened(async (kernel) => {
      if ((await kernel.storage.verify()).faultCount > 0) this.told.add("check of entries");
      await this.#ask(kernel);
    });
  }

  async #opened(work: (kernel: Kernel) => Promise<void>): Promise<void> {
    try {
      await onKernel(this.#path, work);
    } catch (reason) {
      if (!isCorrupt(reason)) throw reason;
      this.told.add("opening");
    }
  }

  async #ask(kernel: Kernel): Promise<void> {
    const expected = this.#truth.answers[this.done] ?? [];
    for (const [i, answer] of (await askAll(kernel)).entries()) this.#judge(answer, expected[i] ?? "", `question ${i}`);
  }

  async #write(kernel: Kernel, i: number): Promise<void> {
    const write = writes[i];
    const expected = this.#truth.written[i];
    if (this.told.size > 0 || write === undefined || expected === undefined) return;
    const answer = await write(kernel);
    this.#judge(answer, expected, `write ${i}`);
    if (this.told.size > 0) return;
    this.done++;
    say({ step: this.done });
  }

  #judge(answer: string, expected: string, what: string): void {
    if (/"errors":\[/.test(answer)) this.told.add(/damaged|corrupt/.test(answer) ? "answer" : "other error");
    else if (answer !== expected) this.wrong.push(what);
  }

  /** The threads of one process may share an open LevelDB. */
  async #compact(): Promise<void> {
    const db = new Level(this.#path);
    await db.open({ multithreading: true, createIfMissing: false });
    if ("compactRange" in db && typeof db.compactRange === "function")
      await db.compactRange("", "\u{10ffff}").catch(() => this.told.add("other error"));
    await db.close();
  }
}

function isCorrupt(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "STORE_CORRUPT";
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const kinds = {
  table: /^\d+\.ldb$/,
  log: /^\d+\.log$/,
  manifest: /^MANIFEST-/,
  current: /^CURRENT$/,
  other: /^(?!.*LOCK$)(LOG|guard|least-uid)/,
} as const;

function pickKind(random: Random): keyof typeof kinds {
  return random.pick(["table", "table", "table", "table", "table", "table", "log", "manifest", "current", "other"] as const);
}

/** Opening a lock in the process that holds it would end the lock. */
async function flipSomewhere(path: string, random: Random): Promise<Flip | undefined> {
  const kind = pickKind(random);
  const names = (await readdir(path, { recursive: true })).filter((name) => kinds[kind].test(name) && !name.endsWith("LOCK")).sort();
  const files: [string, number][] = [];
  for (const name of names) {
    const { size } = await stat(join(path, name));
    if (size > 0 && !(await stat(join(path, name))).isDirectory()) files.push([name, size]);
  }
  if (files.length === 0) return undefined;
  const [file, size] = random.pick(files);
  const bit = random.below(size * 8);
  await flipBit(join(path, file), bit);
  return { kind, file, bit };
}

async function flipBit(path: string, bit: number): Promise<void> {
  const file = await open(path, "r+");
  const byte = new Uint8Array(1);
  const at = Math.floor(bit / 8);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ (1 << (bit % 8));
  await file.write(byte, 0, 1, at);
  await file.close();
}

async function example(i: number, known: Truth): Promise<void> {
  const path = await mkdtemp(join(base, "flip-"));
  await cp(whole, path, { recursive: true });
  const random = new Random(Number(seed) * 100_003 + i);
  const run = new Run(path, known);
  say({ begun: i, path });
  await run.serve(random, async () => {
    say({ flip: await flipSomewhere(path, random) });
  });
  await run.lookAfter();
  ended(run);
  await rm(path, { recursive: true });
}

function ended(run: Run): void {
  const seen: Seen = { told: [...run.told], wrong: run.wrong };
  say({ seen });
}

/** After a process that died with so many writes done, of which the last may be there or not: wrong is what neither state has. */
async function afterDeath(path: string, done: number, { answers, written }: Truth): Promise<void> {
  const both = [done, done + 1].map((count) => new Run(path, { answers: [answers[count] ?? answers[done] ?? []], written }));
  for (const run of both) await run.lookAfter();
  const best = both.find(({ wrong }) => wrong.length === 0) ?? both[0];
  if (best !== undefined) ended(best);
  await rm(path, { recursive: true });
}

if (!(await readdir(base)).includes("whole")) await makeWhole();
const known = await truth();
if (died !== "0") await afterDeath(from, Number(to), known);
else for (let i = Number(from); i < Number(to); i++) await example(i, known);
