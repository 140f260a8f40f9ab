// Notes the number of the last write that is known to survive the loss of power. A log that lost its end, or all of it, looks like one that was
// never written: after a kill only this note knows better. LevelDB numbers each put and each delete.

import { close, open, writeSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import type { Damage } from "./damage.ts";

/** Where the note is, in the folder of the store. */
const noteFile = join("guard", "durable");

/** As long as any other, so that each overwrites the one before as a whole. */
function noteText(manifest: string, sequence: number): string {
  const text = `${manifest} ${String(sequence).padStart(16, "0")}`;
  return `${text} ${crc32(text).toString(16).padStart(8, "0")}\n`;
}

export interface DurableNote {
  /** The manifest of the time: each opening begins a new one, and a note of another one says nothing. */
  readonly manifest: string;
  readonly sequence: number;
}

/** Undefined when there is none, or only half of one. */
export async function readDurableNote(folder: string): Promise<DurableNote | undefined> {
  const text = await readFile(join(folder, noteFile), "latin1").catch(() => "");
  const [, manifest, sequence] = /^(MANIFEST-\d+) (\d{16}) [0-9a-f]{8}\n$/.exec(text) ?? [];
  if (manifest === undefined || sequence === undefined) return undefined;
  return text === noteText(manifest, Number(sequence)) ? { manifest, sequence: Number(sequence) } : undefined;
}

/** @param found the last write that manifest and logs hold. `note` was read before these: a process that has the store open writes on */
export function lostWrites(
  note: DurableNote | undefined,
  found: { readonly manifest: string; readonly log: string; readonly sequence: number },
): readonly Damage[] {
  if (note?.manifest !== found.manifest || note.sequence <= found.sequence) return [];
  return [{ file: found.log, found: `ends at write ${found.sequence}, and ${note.sequence} were durable when the process ended` }];
}

/** The files will be others. */
export async function forgetDurableNote(folder: string): Promise<void> {
  await rm(join(folder, noteFile), { force: true });
}

/** Keeps the note of an open store. One that cannot be written is left out: it only helps to find damage. */
export class DurableNotes {
  readonly #file: number;
  readonly #manifest: string;

  private constructor(file: number, manifest: string) {
    this.#file = file;
    this.#manifest = manifest;
  }

  static async begin(folder: string, manifest: string): Promise<DurableNotes | undefined> {
    try {
      return new DurableNotes(await promisify(open)(join(folder, noteFile), "w", 0o600), manifest);
    } catch {
      return undefined;
    }
  }

  /**
   * Before the clients of the batch are answered. At once: some 50 bytes into memory of the system take a tenth of the processor time that it takes to hand
   * them to another thread and to hear of it.
   *
   * @param sequence the last write that is durable
   */
  note(sequence: number): void {
    try {
      writeSync(this.#file, noteText(this.#manifest, sequence), 0, "latin1");
    } catch {
      // The next batch has a note of its own.
    }
  }

  async end(): Promise<void> {
    await promisify(close)(this.#file);
  }
}
