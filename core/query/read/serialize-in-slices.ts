// Large answers are written level by level from below, a few milliseconds at a time, so that other requests run between.

import { setImmediate } from "node:timers/promises";
import type { Budget } from "../../contracts/budget.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { Completion } from "./complete.ts";
import type { Rows, Texts } from "./read-level.ts";

/** Levels of fewer objects are written in one go. */
const manyRows = 4096;
const maxBusyMs = 5;
/** Objects between two looks at the clock. */
const stride = 64;

/** Texts of the rows' objects where they are many, else none: `Completion` writes what is not there. At once for ordinary answers. */
export function serializeInSlices(rows: Rows, budget: Budget): MaybePromise<Texts> {
  return isLarge(rows) ? writeLevels(rows, budget) : [];
}

function isLarge({ batch, links }: Rows): boolean {
  return batch.uids.length > manyRows || links.some((link) => isLarge(link.rows));
}

async function writeLevels(rows: Rows, budget: Budget): Promise<Texts> {
  const texts: Texts = [];
  await new Writer(budget).fill(texts, rows);
  return texts;
}

class Writer {
  readonly #budget: Budget;
  #freeAt = performance.now();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  async fill(texts: Texts, rows: Rows): Promise<void> {
    for (const link of rows.links) if (isLarge(link.rows)) await this.fill(link.texts, link.rows);
    const count = rows.batch.uids.length;
    if (count <= manyRows) return;
    const completion = new Completion("", this.#budget);
    for (let row = 0; row < count; row++) {
      texts[row] = completion.ahead(rows, row);
      if (row % stride === 0 && performance.now() - this.#freeAt > maxBusyMs) await this.#rest();
    }
  }

  /** Lets other tasks run, then checks that the client still waits. */
  async #rest(): Promise<void> {
    await setImmediate();
    this.#budget.spend(0);
    this.#freeAt = performance.now();
  }
}
