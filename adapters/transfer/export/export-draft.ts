// The folder in which an export grows, beside the one that it becomes. It notes how far the export is, so that a repeated one goes on there.

import { readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isObject, QuernError } from "../../../core/plugin.ts";
import { makeFolder, syncFolder, writeDurably } from "../../storage-kit/index.ts";
import { type FileOwner, isOtherAlive, thisProcess } from "../files/file-owner.ts";
import type { ReadPosition } from "./read-nodes.ts";

/** What an export is of. An interrupted one goes on only where all of it is the same. */
export interface ExportFacts {
  /** The store: its adapter and folder. */
  readonly store: string;
  /** The commit of the snapshot, and the nodes in it. */
  readonly commit: string;
  readonly total: number;
  readonly document: string;
  readonly format: string;
  readonly gzip: boolean;
  readonly types: readonly string[];
}

/** How far an export is. */
export interface ExportMark {
  readonly position: ReadPosition;
  /** Nodes by type. */
  readonly nodes: Readonly<Record<string, number>>;
  readonly files: readonly MarkedFile[];
}

export interface MarkedFile {
  /** Without `.gz`. */
  readonly name: string;
  /** On the disk. What is behind them is not part of the export. */
  readonly bytes: number;
  readonly isEmpty: boolean;
}

interface Note {
  readonly version: 1;
  readonly owner: FileOwner;
  readonly facts: ExportFacts;
  readonly mark?: ExportMark;
}

const noteFile = "export-state.json";

/** Drafts that this process writes. */
const own = new Set<string>();

/** Why an export begins again: a sentence. */
export type Discarded = string | undefined;

export class ExportDraft {
  readonly path: string;
  readonly #facts: ExportFacts;

  private constructor(path: string, facts: ExportFacts) {
    this.path = path;
    this.#facts = facts;
  }

  /**
   * The draft of the export `folder`, and where it goes on; without a mark it begins.
   *
   * @throws QuernError `CONFIG_INVALID` when another process or call writes it
   */
  static async open(
    folder: string,
    facts: ExportFacts,
  ): Promise<{ readonly draft: ExportDraft; readonly mark: ExportMark | undefined; readonly discarded: Discarded }> {
    const path = draftOf(folder);
    const found = await readNote(path);
    if (isBusy(path, found)) {
      const by = found === undefined || found.owner.pid === process.pid ? "is being written" : `is being written by the process ${found.owner.pid}`;
      throw new QuernError("CONFIG_INVALID", `The export ${folder} ${by}. If that process writes no export, remove ${path}.`);
    }
    own.add(path);
    const draft = new ExportDraft(path, facts);
    try {
      const mark = found !== undefined && isDeepStrictEqual(found.facts, facts) ? found.mark : undefined;
      if (mark === undefined) await draft.#begin();
      else await draft.#goOn(mark);
      return { draft, mark, discarded: found?.mark === undefined || mark !== undefined ? undefined : whyDiscarded(found.facts, facts) };
    } catch (reason) {
      draft.leave();
      throw reason;
    }
  }

  async #begin(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    await makeFolder(this.path);
    // It says only who writes here: nothing is lost with it.
    await writeFile(join(this.path, noteFile), this.#noteText(undefined));
  }

  async #goOn(mark: ExportMark): Promise<void> {
    const known = new Set([noteFile, ...mark.files.map(({ name }) => this.#fileName(name))]);
    for (const name of await readdir(this.path)) if (!known.has(name)) await rm(join(this.path, name), { recursive: true });
    for (const { name, bytes } of mark.files) await truncate(join(this.path, this.#fileName(name)), bytes);
    await this.mark(mark);
  }

  #fileName(name: string): string {
    return this.#facts.gzip ? `${name}.gz` : name;
  }

  /** All that the mark names is on the disk by now. */
  async mark(mark: ExportMark): Promise<void> {
    await writeDurably(join(this.path, noteFile), this.#noteText(mark));
  }

  #noteText(mark: ExportMark | undefined): string {
    const note: Note = { version: 1, owner: thisProcess(), facts: this.#facts, ...(mark && { mark }) };
    return JSON.stringify(note);
  }

  /** The export is complete: the folder appears. */
  async finish(folder: string): Promise<void> {
    await rm(join(this.path, noteFile));
    await syncFolder(this.path);
    await rm(folder, { recursive: true, force: true });
    await rename(this.path, folder);
    this.leave();
  }

  /** Leaves the draft to a later export. */
  leave(): void {
    own.delete(this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true }).catch(() => undefined);
    this.leave();
  }
}

function draftOf(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}.partial`);
}

/** Exports in `parent` that interrupted processes have left: the folders that they would have become. */
export async function interruptedExports(parent: string): Promise<readonly { readonly folder: string; readonly facts: ExportFacts }[]> {
  const names = (await readdir(parent)).flatMap((name) => /^\.(.+)\.partial$/.exec(name)?.[1] ?? []);
  const left = [];
  for (const name of names) {
    const folder = join(parent, name);
    const note = await readNote(draftOf(folder));
    if (note !== undefined && !isBusy(draftOf(folder), note)) left.push({ folder, facts: note.facts });
  }
  return left;
}

/** Removes what `interruptedExports` has listed. */
export async function removeInterrupted(folder: string): Promise<void> {
  await rm(draftOf(folder), { recursive: true, force: true });
}

function isBusy(path: string, note: Note | undefined): boolean {
  return own.has(path) || (note !== undefined && isOtherAlive(note.owner));
}

/** What this class has written before; undefined: nothing that can be read. */
async function readNote(path: string): Promise<Note | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(path, noteFile), "utf8"));
    return isNote(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNote(value: unknown): value is Note {
  return isObject(value) && value.version === 1 && isObject(value.owner) && isObject(value.facts);
}

function whyDiscarded(before: ExportFacts, now: ExportFacts): string {
  const what = "The part that an interrupted export has written is discarded, and the export begins again:";
  if (before.store !== now.store) return `${what} it is of another store.`;
  if (before.commit !== now.commit || before.document !== now.document || before.total !== now.total)
    return `${what} the store may have changed since, and an export is one snapshot.`;
  return `${what} it has another format or other types.`;
}
