// Verifies the tables of a store: the first before it opens, the rest while it serves, and all of them for `quern check`. LevelDB itself
// compares no checksum when it reads, answers as if nothing were missing where a block is zeros, and may end the process where it is garbage.

import { setTimeout } from "node:timers/promises";
import type { QuernError, VerifyOptions, VerifyReport } from "../../core/storage.ts";
import { VerifyReportBuilder } from "../storage-kit/index.ts";
import { type Damage, damageText } from "./files/damage.ts";
import { surveyFolder, type TableFile } from "./files/survey.ts";
import { verifyTables } from "./files/verify-tables.ts";
import { damageError } from "./store-error.ts";

/** Between two slices of 256 KiB beside requests: at most some 100 MB/s, a sixth of a core. */
const pauseMs = 2;

/** Damages that are kept: more are of no use to anybody. */
const maxDamages = 1_000;

/**
 * The tables of the store in `folder`.
 *
 * @throws QuernError `STORE_CORRUPT` when files are missing, cut off or damaged
 */
export async function surveyedTables(folder: string): Promise<readonly TableFile[]> {
  const { damages, tables } = await surveyFolder(folder);
  if (damages.length > 0) throw damageError(folder, damages);
  return tables;
}

export class TableVerifier {
  readonly #folder: string;
  readonly #onDamage: (damages: readonly Damage[]) => void;
  readonly #ending = new AbortController();
  #left: readonly TableFile[];
  #running: Promise<void> | undefined;

  constructor(folder: string, tables: readonly TableFile[], onDamage: (damages: readonly Damage[]) => void) {
    this.#folder = folder;
    this.#left = tables;
    this.#onDamage = onDamage;
  }

  /** Verifies tables up to `maxBytes`, low levels first: LevelDB merges those soonest, and gives what it merges new checksums. */
  async verifyFirst(maxBytes: number, errorOf: (damages: readonly Damage[]) => QuernError): Promise<void> {
    const count = countWithin(this.#left, maxBytes);
    const damages: Damage[] = [];
    await verifyTables(this.#folder, this.#left.slice(0, count), { onDamage: keepIn(damages) });
    if (damages.length > 0) throw errorOf(damages);
    this.#left = this.#left.slice(count);
  }

  /** Verifies the other tables beside requests. What keeps it from reading them, such as too many open files, is no damage. */
  start(): void {
    this.#running = this.#verifyLeft().catch(() => undefined);
  }

  async #verifyLeft(): Promise<void> {
    const { signal } = this.#ending;
    await verifyTables(this.#folder, this.#left, {
      signal,
      onDamage: (damage) => this.#onDamage([damage]),
      // The process may end meanwhile, and closing does not wait for the timer.
      onSlice: () => setTimeout(pauseMs, undefined, { ref: false, signal }),
    });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}

/** How many of the first tables have at most `maxBytes` together. */
function countWithin(tables: readonly TableFile[], maxBytes: number): number {
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
  const { damages, tables } = await surveyFolder(folder);
  for (const damage of damages) note(damage);
  const damaged = new Set(damages.map(({ file }) => file));
  const left = tables.filter(({ file }) => !damaged.has(file));
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
