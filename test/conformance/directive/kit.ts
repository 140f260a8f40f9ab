// What an author of a directive says of it, and kernels to try it on.

import assert from "node:assert/strict";
import { createKernel, type DirectivePlugin, type Kernel, type Logger, type Storage } from "../../../core/index.ts";

/** Anything like `test` of vitest, node:test or mocha. */
export type Runner = (name: string, run: () => Promise<void>) => void;

export interface DirectiveConformanceOptions {
  readonly test: Runner;
  readonly plugin: () => DirectivePlugin;
  /** Plugins that stand before it and that the schemas need, `identityPlugin()` perhaps. None by default. */
  readonly before?: () => readonly DirectivePlugin[];
  /** New, empty storages that are not open yet, by name. After `close` each can be opened again with its data. */
  readonly storages: Readonly<Record<string, () => Promise<Storage>>>;
  /** A schema that uses the directive. */
  readonly schema: string;
  /** The same without a use of it. */
  readonly plain: string;
  /** Lines of the generated API that are there because of the uses, and lines that are gone, trimmed, in order. */
  readonly api: { readonly adds: readonly string[]; readonly removes: readonly string[] };
  /** Schemas that the plugin refuses, each with a part of the message and the line it points at. */
  readonly refusals: readonly Refused[];
  /** Asked one after the other, from an empty store on. The last ones read what the others wrote. */
  readonly steps: readonly Step[];
  /** The selection of one root field that can be live: `queryArticle { title path }`. */
  readonly live: string;
  /** Root fields of the plugin that show nodes' data to everybody on purpose, whatever rules say. */
  readonly unruled?: readonly string[];
}

export interface Refused {
  readonly schema: string;
  readonly message: string;
  readonly line: number;
}

export type Step =
  | { readonly ask: string; readonly headers?: Readonly<Record<string, string>>; readonly answer: unknown }
  | { readonly ask: string; readonly headers?: Readonly<Record<string, string>>; readonly refuses: string };

export interface Check {
  /** Stays the same for good. */
  readonly id: string;
  readonly title: string;
  readonly run: (options: DirectiveConformanceOptions) => Promise<void>;
}

export interface StorageCheck extends Omit<Check, "run"> {
  readonly run: (options: DirectiveConformanceOptions, create: () => Promise<Storage>) => Promise<void>;
}

/** Runs `work` on a kernel with the plugin in it, and further ones behind. */
export async function onKernel(
  { plugin, before }: DirectiveConformanceOptions,
  create: () => Promise<Storage>,
  behind: readonly DirectivePlugin[],
  work: (kernel: Kernel) => Promise<void>,
): Promise<void> {
  const faults: string[] = [];
  const log: Logger = { write: ({ event, message }) => void ((event === "fault" || event === "plugin") && faults.push(message)) };
  const plugins = [...(before?.() ?? []), plugin(), ...behind];
  const kernel = createKernel({ storage: await create(), plugins, log: { level: "warn", to: log } });
  await kernel.open();
  try {
    await work(kernel);
  } catch (failure) {
    // A client hears one text of all faults; the author has to know which it was.
    if (faults.length === 0) throw failure;
    throw new Error(`The log says:\n${faults.join("\n")}\n${failure instanceof Error ? failure.message : String(failure)}`, { cause: failure });
  } finally {
    await kernel.close();
  }
  assert.deepEqual(faults, [], "what the log says of faults");
}

export interface Answered {
  readonly data?: unknown;
  /** The messages, one a line. */
  readonly refusal?: string;
}

export async function ask(kernel: Kernel, query: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
  const { body } = await kernel.execute({ query, headers });
  const { data, errors }: { data?: unknown; errors?: readonly { message: string }[] } = JSON.parse(body);
  return errors === undefined ? { data } : { data, refusal: errors.map(({ message }) => message).join("\n") };
}

/** Runs a step and holds its answer against what its author expects. */
export async function take(kernel: Kernel, step: Step): Promise<void> {
  const { data, refusal } = await ask(kernel, step.ask, step.headers);
  if ("refuses" in step) {
    assert.ok(
      refusal?.includes(step.refuses),
      `expected a refusal with "${step.refuses}" of\n${step.ask}\nand got ${refusal ?? JSON.stringify(data)}`,
    );
  } else {
    assert.equal(refusal, undefined, `expected an answer to\n${step.ask}`);
    assert.deepEqual(data, step.answer, `the answer to\n${step.ask}`);
  }
}

/** Steps that change nothing. */
export function reads(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ ask: text }) => !text.trimStart().startsWith("mutation"));
}

/** The reads after the last mutation: what they show lasts. */
export function lastReads(steps: readonly Step[]): readonly Step[] {
  return steps.slice(steps.findLastIndex(({ ask: text }) => text.trimStart().startsWith("mutation")) + 1);
}
