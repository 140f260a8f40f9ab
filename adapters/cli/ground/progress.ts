// Shows the progress of long work on standard error: a bar on a terminal, otherwise a plain line every two seconds. Standard output
// contains results only.

import { createRequire } from "node:module";
import type { MigrateOptions, MigrationStep } from "../../../core/storage.ts";

export interface Progress {
  /** @param text shown after the bar: a rate, a count */
  update(done: number, total: number, text: string): void;
  /** Ends the bar, or prints the last plain line. */
  stop(): void;
}

const plainLineEveryMs = 2_000;

export function createProgress(label: string): Progress {
  return process.stderr.isTTY ? bar(label) : plainLines(label);
}

const barCharacters = 20;
/** Columns for the bar, the percentage and the text after it. */
const besideLabel = barCharacters + 34;

const require = createRequire(import.meta.url);

/** Its package is loaded for a terminal alone. */
function bar(label: string): Progress {
  const { SingleBar }: typeof import("cli-progress") = require("cli-progress");
  const shown = new SingleBar({
    format: `${shortened(label, (process.stderr.columns || 80) - besideLabel)} {bar} {percentage}% {text}`,
    stream: process.stderr,
    hideCursor: null,
    linewrap: null,
    barsize: barCharacters,
    barCompleteChar: "=",
    barIncompleteChar: "-",
  });
  let running = false;
  return {
    update(done, total, text) {
      if (!running) shown.start(total, done, { text });
      running = true;
      shown.setTotal(total);
      shown.update(done, { text });
    },
    stop() {
      if (running) shown.stop();
      running = false;
    },
  };
}

/** Cuts a long label, because a terminal cuts a longer line and would hide the bar. */
function shortened(text: string, most: number): string {
  const room = Math.max(most, 20);
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

function plainLines(label: string): Progress {
  const lines = new PlainLines();
  return {
    update: (done, total, text) => lines.next(`${label} ${total === 0 ? 100 : Math.floor((100 * done) / total)}% ${text}`),
    stop: () => lines.end(),
  };
}

/** Prints a line every two seconds at most, never the same twice, and always the last one. */
class PlainLines {
  #line = "";
  #written = "";
  #writtenAt = performance.now();

  next(line: string): void {
    this.#line = line;
    if (performance.now() - this.#writtenAt >= plainLineEveryMs) this.end();
  }

  end(): void {
    if (this.#line !== this.#written) process.stderr.write(`${this.#line}\n`);
    this.#written = this.#line;
    this.#writtenAt = performance.now();
  }
}

export interface Steps extends Required<Pick<MigrateOptions, "progress">> {
  /** Call it at the end, and before other lines are printed. */
  stop(): void;
}

/** Shows the steps of a deploy, an import or a check: a bar for each step, and plain counts for steps of unknown length. */
export function showSteps(): Steps {
  let current: { readonly what: string; readonly bar: Progress } | undefined;
  const endless = new PlainLines();
  const stop = () => {
    current?.bar.stop();
    current = undefined;
  };
  const progress = ({ what, done, total }: MigrationStep) => {
    if (current && current.what !== what) stop();
    if (total === 0) {
      // An empty store has nothing to build.
      if (done > 0) endless.next(`${what}: ${done.toLocaleString("en")}`);
      return;
    }
    current ??= { what, bar: createProgress(what) };
    current.bar.update(done, total, `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`);
  };
  return { progress, stop };
}
