// One process at a time: LMDB itself would let in several, and each would believe its caches.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { QuernError } from "quern/storage";

export class FolderLock {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A lock left by a process that is gone is taken over. Errors: `STORE_LOCKED`. */
  take(): void {
    try {
      writeFileSync(this.#file, String(process.pid), { flag: "wx" });
    } catch (cause) {
      const holder = Number(readFileSync(this.#file, "utf8"));
      if (holder === process.pid || isRunning(holder)) {
        const hint = "Stop that process, or give this one another folder.";
        throw new QuernError("STORE_LOCKED", `the data folder ${this.#folder} is in use by process ${holder}`, { cause, hint });
      }
      writeFileSync(this.#file, String(process.pid));
    }
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }

  get #file(): string {
    return `${this.#folder}/LOCK`;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
