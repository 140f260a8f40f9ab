// Verifies each table of an open store after LevelDB has merged it. A bit that flips stays flipped: a table that is whole when nobody reads it
// any more was whole whenever it was read.

import { type FSWatcher, linkSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Damage } from "./files/damage.ts";
import { parseFileName } from "./files/file-names.ts";
import { dropFolder, dropTable, heldNames, heldTable, holdTables, isThere, tableNames } from "./files/held-tables.ts";
import { readVersion } from "./files/manifest.ts";
import { sizeOf } from "./files/survey.ts";
import { verifyTables } from "./files/verify-tables.ts";

/** Between two slices of 256 KiB: at most some 100 MB/s. */
const pauseMs = 2;
/** With more bytes than these to verify there are no pauses: until then the merged tables take room on the disk. */
const maxWaitingBytes = 256 << 20;
/** LevelDB deletes merged tables after it has written to the manifest that they are. */
const deletedWithinMs = 100;
/** The system may drop news of files, or have none. */
const betweenLooksMs = { watched: 10_000, unwatched: 500 };

export class MergedTables {
  readonly #folder: string;
  readonly #onDamage: (damages: readonly Damage[]) => void;
  readonly #queue = new Map<string, number>();
  /** Tables with a hard link that are still of the store; undefined: nothing is held. */
  #held: Set<string> | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosing = false;
  #waiting = 0;
  #verified = 0;

  constructor(folder: string, onDamage: (damages: readonly Damage[]) => void) {
    this.#folder = folder;
    this.#onDamage = onDamage;
  }

  /** Bytes of merged tables that are to be verified, and all that were. */
  get bytes(): { readonly waiting: number; readonly verified: number } {
    return { waiting: this.#waiting, verified: this.#verified };
  }

  /** Called before LevelDB opens the store: opening it merges tables. Without hard links nothing is held, and nothing verified. */
  async begin(tables: readonly string[]): Promise<void> {
    if (await holdTables(this.#folder, tables)) this.#held = new Set(tables);
  }

  /**
   * Called when LevelDB has opened the store. The manifest changes with the tables alone. The folder changes with each commit too, since the log lies there:
   * news of it would wake the process once more for each.
   */
  watch(manifest: string): void {
    if (this.#held === undefined) return;
    try {
      this.#watcher = watch(join(this.#folder, manifest), { persistent: false }, () => this.#changed());
      this.#watcher.on("error", () => undefined);
    } catch {
      // The system watches no more files. The timer looks instead.
    }
    const everyMs = this.#watcher === undefined ? betweenLooksMs.unwatched : betweenLooksMs.watched;
    this.#timer = setInterval(() => this.#look(), everyMs).unref();
    this.#changed();
  }

  /** Called when LevelDB has closed the store. Verifies what is left. */
  async end(): Promise<void> {
    this.#isClosing = true;
    this.#watcher?.close();
    clearInterval(this.#timer);
    clearTimeout(this.#later);
    const tables = new Set(await tableNames(this.#folder));
    for (const name of await heldNames(this.#folder)) {
      if (tables.has(name)) await dropTable(this.#folder, name);
      else await this.#add(name);
    }
    await this.#running;
    await dropFolder(this.#folder);
  }

  #changed(): void {
    this.#look();
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.#look();
    }, deletedWithinMs).unref();
  }

  /** At once, in this turn: LevelDB may merge a new table soon. What keeps it from reading the folder, such as too many open files, the next look may lack. */
  #look(): void {
    try {
      this.#follow(new Set(readdirSync(this.#folder).filter((name) => parseFileName(name)?.kind === "table")));
    } catch {
      // The next look holds what this one could not.
    }
  }

  #follow(tables: ReadonlySet<string>): void {
    const held = this.#held ?? new Set();
    for (const name of tables) if (!held.has(name) && this.#hold(name)) held.add(name);
    for (const name of held) {
      if (tables.has(name)) continue;
      held.delete(name);
      void this.#add(name).catch(() => undefined);
    }
  }

  #hold(name: string): boolean {
    try {
      linkSync(join(this.#folder, name), join(this.#folder, heldTable(name)));
      return true;
    } catch (reason) {
      return isThere(reason);
    }
  }

  async #add(name: string): Promise<void> {
    if (this.#queue.has(name)) return;
    const bytes = await sizeOf(join(this.#folder, heldTable(name)));
    if (bytes === undefined || this.#queue.has(name)) return;
    this.#queue.set(name, bytes);
    this.#waiting += bytes;
    this.#running ??= this.#verifyAll();
  }

  async #verifyAll(): Promise<void> {
    for (const [name, bytes] of this.#queue) {
      // What keeps it from reading a table, such as too many open files, is no damage. The next opening verifies the table.
      await this.#verify(name, bytes).catch(() => undefined);
      this.#waiting -= bytes;
      this.#verified += bytes;
      this.#queue.delete(name);
    }
    this.#running = undefined;
  }

  async #verify(name: string, bytes: number): Promise<void> {
    const damages: Damage[] = [];
    await verifyTables(this.#folder, [{ file: heldTable(name), bytes }], {
      onDamage: (damage) => void damages.push(damage),
      onSlice: () => this.#pause(),
    });
    if (damages.length > 0 && (await this.#wasNamed(name))) this.#onDamage(damages);
    else await dropTable(this.#folder, name);
  }

  /** The timer keeps the process alive: closing waits for it. */
  async #pause(): Promise<void> {
    if (!this.#isClosing && this.#waiting < maxWaitingBytes) await pause(pauseMs);
  }

  /** False for a table that was never finished: it held nothing yet. */
  async #wasNamed(name: string): Promise<boolean> {
    const version = await readVersion(this.#folder);
    return !("manifest" in version) || version.named.has(parseFileName(name)?.number ?? 0);
  }
}
