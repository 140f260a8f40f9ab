// Shows how far something long has come: a bar on a terminal, a plain line now and then elsewhere. On standard error, so that
// standard output holds results only.

import { type Options, SingleBar } from "cli-progress";
import type { MigrateOptions, MigrationStep } from "../../core/index.ts";

export interface Progress {
  /** `text` stands behind the bar: a rate, a name. */
  update(done: number, total: number, text: string): void;
  /** Takes the bar away or ends its line. */
  stop(): void;
}

const plainLineEveryMs = 2_000;

export function createProgress(label: string): Progress {
  const options: Options = {
    format: `${label} {bar} {percentage}% {text}`,
    stream: process.stderr,
    hideCursor: null,
    noTTYOutput: true,
    notTTYSchedule: plainLineEveryMs,
    linewrap: null,
    barCompleteChar: "=",
    barIncompleteChar: "-",
  };
  if (!process.stderr.isTTY) options.format = `${label} {percentage}% {text}`;
  const bar = new SingleBar(options);
  let running = false;
  return {
    update(done, total, text) {
      if (!running) bar.start(total, done, { text });
      running = true;
      bar.setTotal(total);
      bar.update(done, { text });
    },
    stop() {
      if (running) bar.stop();
      running = false;
    },
  };
}

/** Shows what a deploy builds or a check visits, one bar a step. Call `stop` at the end. */
export function showSteps(): Required<MigrateOptions> & { stop(): void } {
  let current: { readonly what: string; readonly bar: Progress } | undefined;
  const stop = () => {
    current?.bar.stop();
    current = undefined;
  };
  const progress = ({ what, done, total }: MigrationStep) => {
    // Nothing to build in an empty store is nothing to show.
    if (total === 0) return;
    if (current?.what !== what) {
      stop();
      current = { what, bar: createProgress(what) };
    }
    current.bar.update(done, total, `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`);
  };
  return { progress, stop };
}
