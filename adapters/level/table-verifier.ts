// Verifies the tables of a store: the first before it opens, the rest while it serves, all of them again and again, and all for `quern check`. LevelDB
// itself compares no checksum when it reads, answers as if nothing were missing where a block is zeros, and may end the process where it is garbage.

import { setTimeout } from "node:timers/promises";
import type { QuernError, VerifyOptions, VerifyReport } from "../../core/storage.ts";
import { VerifyReportBuilder } from "../storage-kit/index.ts";
import { type Damage, damageText } from "./files/damage.ts";
import { readVersion } from "./files/manifest.ts";
import { type StoredTable, type Survey, surveyFolder, tableFilesIn } from "./files/survey.ts";
import { verifyTables } from "./files/verify-tables.ts";
import { damageError } from "./store-error.ts";

/** Between two slices of 256 KiB beside requests: at most some 100 MB/s, a sixth of a core. */
const pauseMs = 2;

/** Damages that are kept: more are of no use to anybody. */
const maxDamages = 1_000;

/** How often all tables are verified while the store serves. */
export interface Passes {
  /** Between the end of one pass and the beginning of the next. */
  readonly betweenMs: number;
  /** At most; 0: none are verified again. */
  readonly bytesPerSecond: number;
}

/**
 * What the store in `folder` consists of.
 *
 * @throws QuernError `STORE_CORRUPT` when files are missing, cut off or damaged
 */
export async function surveyed(folder: string): Promise<Survey> {
  const survey = await surveyFolder(folder);
  if (survey.damages.length > 0) throw damageError(folder, survey.damages);
  return survey;
}

export interface VerifierOptions {
  readonly passes: Passes;
  readonly onDamage: (damages: readonly Damage[]) => void;
}

export class TableVerifier {
  readonly #folder: string;
  readonly #passes: Passes;
  readonly #onDamage: (damages: readonly Damage[]) => void;
  readonly #ending = new AbortController();
  #left: readonly StoredTable[];
  #running: Promise<void> | undefined;
  #verifiedBytes = 0;
  #passesDone = 0;

  constructor(folder: string, tables: readonly StoredTable[], { passes, onDamage }: VerifierOptions) {
    this.#folder = folder;
    this.#left = tables;
    this.#passes = passes;
    this.#onDamage = onDamage;
  }

  /** What was verified since the opening. */
  get verified(): { readonly bytes: number; readonly passes: number } {
    return { bytes: this.#verifiedBytes, passes: this.#passesDone };
  }

  /** Verifies `merged` tables, and others up to `maxBytes`, low levels first: LevelDB merges those soonest. */
  async verifyFirst(merged: readonly StoredTable[], maxBytes: number, errorOf: (damages: readonly Damage[]) => QuernError): Promise<void> {
    const count = countWithin(this.#left, maxBytes);
    const damages: Damage[] = [];
    await verifyTables(this.#folder, [...merged, ...this.#left.slice(0, count)], { onDamage: keepIn(damages) });
    if (damages.length > 0) throw errorOf(damages);
    this.#left = this.#left.slice(count);
  }

  /** Verifies the other tables beside requests, and then all again and again. What keeps it from reading them, such as too many open files, is no damage. */
  start(): void {
    this.#running = this.#verifyLeft().catch(() => undefined);
  }

  async #verifyLeft(): Promise<void> {
    await this.#verify(this.#left, () => this.#wait(pauseMs)).catch(() => undefined);
    if (this.#passes.bytesPerSecond === 0) return;
    for (;;) {
      await this.#wait(this.#passes.betweenMs);
      await this.#pass().catch(() => undefined);
    }
  }

  /** What the manifest names now. One that cannot be read is found at the next opening: LevelDB does not need it while the store is open. */
  async #pass(): Promise<void> {
    const version = await readVersion(this.#folder);
    if (!("manifest" in version)) return;
    const msPerByte = 1_000 / this.#passes.bytesPerSecond;
    await this.#verify(await tableFilesIn(this.#folder, version), (bytes) => this.#wait(bytes * msPerByte));
    this.#passesDone++;
  }

  async #verify(tables: readonly StoredTable[], pause: (bytes: number) => Promise<void>): Promise<void> {
    await verifyTables(this.#folder, tables, {
      signal: this.#ending.signal,
      onDamage: (damage) => this.#onDamage([damage]),
      onSlice: (bytes) => {
        this.#verifiedBytes += bytes;
        return pause(bytes);
      },
    });
  }

  /** The process may end meanwhile, and closing does not wait for the timer. */
  async #wait(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { ref: false, signal: this.#ending.signal });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}

/** How many of the first tables have at most `maxBytes` together. */
function countWithin(tables: readonly StoredTable[], maxBytes: number): number {
  let bytes = 0;
  const beyond = tables.findIndex((table) => {
    bytes += table.bytes;
    return bytes > maxBytes;
  });
  return beyond < 0 ? tables.length : beyond;
}

function keepIn(damages: Damage[]): (damage: Damage) => void {
  return (damage) => {
    if (damages.length < maxDamages) damages.push(damage);
  };
}

/** Every damage of every file, as `quern check` reports it. */
export async function verifyFiles(folder: string, progress: VerifyOptions["progress"]): Promise<VerifyReport> {
  const findings = new VerifyReportBuilder({ repairs: false });
  const note = (damage: Damage) => void findings.fault("file", damageText(damage));
  const { damages, tables, merged } = await surveyFolder(folder);
  for (const damage of damages) note(damage);
  const damaged = new Set(damages.map(({ file }) => file));
  const left = [...merged, ...tables].filter(({ file }) => !damaged.has(file));
  const total = left.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  await verifyTables(folder, left, {
    onDamage: note,
    onSlice: (bytes) => {
      done += bytes;
      progress?.({ what: "bytes of files", done: Math.min(done, total), total });
    },
  });
  return findings.report();
}
