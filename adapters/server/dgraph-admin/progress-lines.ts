// A streamed answer of newline-delimited JSON: progress, then the answer in the last line.

import { writeJson } from "../../../core/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import type { HttpResponse, Outlet, OutletListener } from "../../../core/transport.ts";
import { openCors } from "../http/cors.ts";

/** The interval between progress lines; steps may advance thousands of times a second. */
const everyMs = 100;

/** The end of a step is sent even to a client that lags by up to this much, so that no progress bar stops before its end. */
const mostWaitingBytes = 64 * 1024;

const headers = {
  "content-type": "application/x-ndjson",
  "cache-control": "no-cache",
  // Some proxies buffer small chunks.
  "x-accel-buffering": "no",
  ...openCors,
};

export interface ProgressOptions {
  /** The longest time without a line; an empty one is sent then, so that proxies keep the connection. 0: no empty lines. */
  readonly keepAliveMs: number;
}

/** @param work starts when the head is sent, continues when the client disconnects, and never rejects */
export function progressLines(work: (report: (step: MigrationStep) => void) => Promise<object>, { keepAliveMs }: ProgressOptions): HttpResponse {
  const stream = (outlet: Outlet) => {
    const lines = new ProgressLines(outlet, keepAliveMs);
    void work((step) => lines.report(step)).then((answer) => lines.end(answer));
    return lines;
  };
  return { status: 200, headers, body: "", stream };
}

class ProgressLines implements OutletListener {
  readonly #outlet: Outlet;
  readonly #keepAliveMs: number;
  readonly #timer = setInterval(() => this.#tick(), everyMs);
  /** The newest unsent step; older ones are dropped. */
  #waiting: MigrationStep | undefined;
  #sentAt = performance.now();
  #over = false;

  constructor(outlet: Outlet, keepAliveMs: number) {
    this.#outlet = outlet;
    this.#keepAliveMs = keepAliveMs;
  }

  report(step: MigrationStep): void {
    if (this.#over) return;
    // The end of a step is sent before the next step.
    if (this.#waiting !== undefined && this.#waiting.what !== step.what) this.#sendStep(mostWaitingBytes);
    this.#waiting = step;
  }

  end(answer: object): void {
    if (this.#over) return;
    this.#sendStep(mostWaitingBytes);
    this.#outlet.send(`${writeJson(answer)}\n`);
    this.#outlet.end();
    this.closed();
  }

  drained(): void {}

  /** The transport is closing; the answer is still sent if the grace time allows. */
  leaving(): void {}

  closed(): void {
    this.#over = true;
    clearInterval(this.#timer);
  }

  #tick(): void {
    // A client that has not read the last line gets no empty one.
    if (this.#waiting !== undefined) this.#sendStep(0);
    else if (this.#keepAliveMs > 0 && performance.now() - this.#sentAt >= this.#keepAliveMs && this.#outlet.waiting === 0) this.#send("\n");
  }

  #sendStep(mostWaiting: number): void {
    if (this.#waiting === undefined || this.#outlet.waiting > mostWaiting) return;
    const { what, done, total } = this.#waiting;
    this.#waiting = undefined;
    this.#send(`${writeJson({ step: { what, done, total } })}\n`);
  }

  #send(line: string): void {
    this.#outlet.send(line);
    this.#sentAt = performance.now();
  }
}
