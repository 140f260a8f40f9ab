// Copies of what plugins keep outside the database, such as files: beside exports and backups, and back with a restore.

import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Kernel, kernelAccess, type OutsideCopy, type OutsideData, QuernError } from "../../../core/plugin.ts";
import { codeOf } from "../../transfer/index.ts";

/** What a plugin keeps. */
interface Outside {
  readonly plugin: string;
  readonly outside: OutsideData;
}

/** One way over all that plugins keep, by what they call it. */
type Pass = ReadonlyMap<string, Copied>;

interface Copied extends OutsideCopy {
  /** Why nothing can be: the schema does not say what belongs to it. */
  readonly refused?: string;
}

/** Missing ones that a message names. */
const maxNamed = 20;

/** @throws `CONFIG_INVALID` when no plugin keeps anything */
export function assertOutside(kernel: Kernel): void {
  if (outsideOf(kernel).length > 0) return;
  throw new QuernError("CONFIG_INVALID", "There are no files to copy: no plugin of the configuration keeps any; add filesPlugin().");
}

/**
 * Copies it beside what `write` writes into `folder`: before, so that nothing is missing that goes meanwhile, and after, for what comes.
 *
 * @param draft where the first copies wait for the folder, which `write` makes; default: the folder is there
 * @returns what `write` returns, and what was copied. Errors: `OPERATION_FAILED` when something is missing, with both
 */
export async function withCopies(kernel: Kernel, { folder, draft = folder, signal }: CopyPlace, write: () => Promise<string>): Promise<string> {
  try {
    const before = await copyTo(kernel, draft, signal);
    const done = await write();
    if (draft !== folder) await moveInto(folder, draft, before);
    return sentence(done, [before, await copyTo(kernel, folder, signal)]);
  } finally {
    if (draft !== folder) await rm(draft, { recursive: true, force: true });
  }
}

export interface CopyPlace {
  readonly folder: string;
  readonly draft?: string;
  /** Of the task. */
  readonly signal: AbortSignal;
}

/**
 * Copies it back from such a folder, after a restore. That has closed the store for a moment, which ended the signal of its task: the copying ends where the store
 * is closed again. Errors: `OPERATION_FAILED` when something is missing, with `done`
 */
export async function copiedBack(kernel: Kernel, folder: string, done: string): Promise<string> {
  return sentence(done, [await copies(kernel, (outside, access) => outside.copyFrom(join(folder, outside.name), access))]);
}

function copyTo(kernel: Kernel, folder: string, signal: AbortSignal): Promise<Pass> {
  return copies(kernel, (outside, access) => outside.copyTo(join(folder, outside.name), access, { signal }));
}

async function copies(kernel: Kernel, copy: (outside: OutsideData, access: ReturnType<typeof kernelAccess>) => Promise<OutsideCopy>): Promise<Pass> {
  const pass = new Map<string, Copied>();
  for (const { plugin, outside } of outsideOf(kernel)) {
    pass.set(outside.name, await copy(outside, kernelAccess(kernel, plugin)).catch(nothing));
  }
  return pass;
}

/** Of several namespaces some have a schema without files. */
function nothing(thrown: unknown): Copied {
  if (!(thrown instanceof QuernError) || thrown.code !== "REQUEST_REFUSED") throw thrown;
  return { count: 0, bytes: 0, missing: [], refused: thrown.message };
}

function outsideOf({ config }: Kernel): readonly Outside[] {
  return (config.plugins ?? []).flatMap(({ name, outside }) => (outside === undefined ? [] : [{ plugin: name, outside }]));
}

async function moveInto(folder: string, draft: string, pass: Pass): Promise<void> {
  for (const name of pass.keys()) {
    await rename(join(draft, name), join(folder, name)).catch((thrown: unknown) => {
      // Nothing was copied.
      if (codeOf(thrown) !== "ENOENT") throw thrown;
    });
  }
}

/** The last pass knows what is missing. */
function sentence(done: string, passes: readonly Pass[]): string {
  const names = [...(passes[0]?.keys() ?? [])];
  const text = [done, ...names.map((name) => copiedText(name, passes))].join("; ");
  const missing = [...(passes.at(-1)?.values() ?? [])].flatMap((each) => each.missing);
  if (missing.length === 0) return text;
  const more = missing.length > maxNamed ? `, and ${missing.length - maxNamed} more` : "";
  throw new QuernError("OPERATION_FAILED", `${text}; missing: ${missing.slice(0, maxNamed).join(", ")}${more}`);
}

function copiedText(name: string, passes: readonly Pass[]): string {
  const refused = passes.at(-1)?.get(name)?.refused;
  if (refused !== undefined) return `${name}: none. ${refused}`;
  const sum = (of: "count" | "bytes") => passes.reduce((total, pass) => total + (pass.get(name)?.[of] ?? 0), 0);
  return `${name}: ${sum("count")} copied, ${(sum("bytes") / 2 ** 20).toFixed(1)} MB`;
}
