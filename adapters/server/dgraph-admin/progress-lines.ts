// An answer that takes long: newline-delimited JSON, how far the work has come from time to time, and in the last line the answer.

import { type HttpResponse, type MigrationStep, type Outlet, type OutletListener, writeJson } from "../../../core/index.ts";
import { openCors } from "../access/cors.ts";

/** How often a client hears of a step, which may come along thousands of times a second. */
const everyMs = 100;

/** How a step ended is told to a client that is a little behind, too: a bar that stays at 90 per cent looks like a fault. */
const mostWaitingBytes = 64 * 1024;

const headers = {
  "content-type": "application/x-ndjson",
  "cache-control": "no-cache",
  // Some proxies keep small pieces back until they have many.
  "x-accel-buffering": "no",
  ...openCors,
};

export interface ProgressOptions {
  /** How often a line is sent, if only an empty one, so that nobody on the way takes the connection for dead. 0: when there is something to say. */
  readonly keepAliveMs: number;
}

/** @param work begins when the head is sent, goes on whether or not the client stays, and never rejects */
export function progressLines(work: (told: (step: MigrationStep) => void) => Promise<object>, { keepAliveMs }: ProgressOptions): HttpResponse {
  const stream = (outlet: Outlet) => {
    const lines = new ProgressLines(outlet, keepAliveMs);
    void work((step) => lines.tell(step)).then((answer) => lines.end(answer));
    return lines;
  };
  return { status: 200, headers, body: "", stream };
}

class ProgressLines implements OutletListener {
  readonly #outlet: Outlet;
  readonly #keepAliveMs: number;
  readonly #timer = setInterval(() => this.#look(), everyMs);
  /** The newest step that the client has not heard of: older ones are of no use to it. */
  #waiting: MigrationStep | undefined;
  #sentAt = performance.now();
  #over = false;

  constructor(outlet: Outlet, keepAliveMs: number) {
    this.#outlet = outlet;
    this.#keepAliveMs = keepAliveMs;
  }

  tell(step: MigrationStep): void {
    if (this.#over) return;
    // The end of a step is told before the next.
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

  /** The answer is still to come, if the transport waits so long. */
  leaving(): void {}

  closed(): void {
    this.#over = true;
    clearInterval(this.#timer);
  }

  #look(): void {
    // A client that has not taken the last line has no use for another.
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
