// The options of the kit, and the kernels that the checks run on.

import assert from "node:assert/strict";
import { createKernel, type Logger } from "../../../core/index.ts";
import type { DirectivePlugin, Kernel } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";

/** The `test` function of Vitest, node:test, Mocha or a similar runner. */
export type Runner = (name: string, run: () => Promise<void>) => void;

/** What the kit tests a plugin with. */
export interface DirectiveConformanceOptions {
  readonly test: Runner;
  readonly plugin: () => DirectivePlugin;
  /** Plugins that the schemas need and that come before it, such as `identityPlugin()`. Default: none. */
  readonly before?: () => readonly DirectivePlugin[];
  /** Functions by name that create a new, empty storage, not yet open. After `close` it can be opened again with its data. */
  readonly storages: Readonly<Record<string, () => Promise<Storage>>>;
  /** A schema that uses the directive. */
  readonly schema: string;
  /** The same schema without the directive. */
  readonly plain: string;
  /** The lines that the directive adds to the generated API, and those that it removes; trimmed, in order. */
  readonly api: { readonly adds: readonly string[]; readonly removes: readonly string[] };
  /** Schemas that the plugin refuses, each with a part of the message and the line of its location. */
  readonly refusals: readonly Refused[];
  /** Requests that are executed in order, on an empty store. The last ones read what the others wrote. */
  readonly steps: readonly Step[];
  /** The selection of one root field that can be live: `queryArticle { title path }`. */
  readonly live: string;
  /** Root fields of the plugin that intentionally bypass access rules. */
  readonly unruled?: readonly string[];
}

/** A schema that the plugin refuses, with its message and line. */
export interface Refused {
  readonly schema: string;
  readonly message: string;
  readonly line: number;
}

/** One request of a scenario, with the answer or the error that it gets. */
export type Step =
  | { readonly ask: string; readonly headers?: Readonly<Record<string, string>>; readonly answer: unknown }
  | { readonly ask: string; readonly headers?: Readonly<Record<string, string>>; readonly refuses: string };

export interface Check {
  /** Stable across releases. */
  readonly id: string;
  readonly title: string;
  readonly run: (options: DirectiveConformanceOptions) => Promise<void>;
}

export interface StorageCheck extends Omit<Check, "run"> {
  readonly run: (options: DirectiveConformanceOptions, create: () => Promise<Storage>) => Promise<void>;
}

/** Runs `work` on a kernel with the plugin, followed by further plugins. */
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
    // Clients get one fixed text for all internal errors; the plugin's author needs the details.
    if (faults.length === 0) throw failure;
    throw new Error(`The log says:\n${faults.join("\n")}\n${failure instanceof Error ? failure.message : String(failure)}`, { cause: failure });
  } finally {
    await kernel.close();
  }
  assert.deepEqual(faults, [], "internal errors in the log");
}

export interface Answered {
  readonly data?: unknown;
  /** The messages, one on each line. */
  readonly refusal?: string;
}

export async function ask(kernel: Kernel, query: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
  const { body } = await kernel.execute({ query, headers });
  const { data, errors }: { data?: unknown; errors?: readonly { message: string }[] } = JSON.parse(body);
  return errors === undefined ? { data } : { data, refusal: errors.map(({ message }) => message).join("\n") };
}

/** Runs a step and compares its answer with the expected one. */
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

/** The steps that write nothing. */
export function reads(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ ask: text }) => !text.trimStart().startsWith("mutation"));
}

/** The reads after the last mutation: their answers must stay the same. */
export function lastReads(steps: readonly Step[]): readonly Step[] {
  return steps.slice(steps.findLastIndex(({ ask: text }) => text.trimStart().startsWith("mutation")) + 1);
}
