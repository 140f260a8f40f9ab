// Shows how far something long has come: a bar on a terminal, a plain line now and then elsewhere. On standard error, so that
// standard output holds results only.

import { SingleBar } from "cli-progress";
import type { MigrateOptions, MigrationStep } from "../../core/index.ts";

export interface Progress {
  /** `text` stands behind the bar: a rate, a name. */
  update(done: number, total: number, text: string): void;
  /** Takes the bar away or ends its line. */
  stop(): void;
}

const plainLineEveryMs = 2_000;

export function createProgress(label: string): Progress {
  return process.stderr.isTTY ? bar(label) : plainLines(label);
}

const barCharacters = 20;
/** What the bar, the per cent and the text behind it take of a line. */
const besideLabel = barCharacters + 34;

function bar(label: string): Progress {
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

/** The beginning of a text that names many things: a terminal cuts off what is longer than its line, the bar first. */
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

/** No line twice, and the last one always: what is over before the first is due leaves one. */
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

/** Shows what a deploy builds or a check visits: a bar a step, and lines now and then for steps whose end nobody knows. Call `stop` at the end. */
export function showSteps(): Required<Pick<MigrateOptions, "progress">> & { stop(): void } {
  let current: { readonly what: string; readonly bar: Progress } | undefined;
  const endless = new PlainLines();
  const stop = () => {
    current?.bar.stop();
    current = undefined;
  };
  const progress = ({ what, done, total }: MigrationStep) => {
    if (current && current.what !== what) stop();
    if (total === 0) {
      // Nothing to build in an empty store is nothing to show.
      if (done > 0) endless.next(`${what}: ${done.toLocaleString("en")}`);
      return;
    }
    current ??= { what, bar: createProgress(what) };
    current.bar.update(done, total, `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`);
  };
  return { progress, stop };
}
