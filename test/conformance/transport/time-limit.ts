// The time that a check has. What it waits for is remembered, so that a check which ends for lack of time says what did not come.

import { AsyncLocalStorage } from "node:async_hooks";

interface Running {
  readonly until: number;
  waitsFor: string;
}

const running = new AsyncLocalStorage<Running>();
const unlimitedMs = 25_000;

/** Rejects when `work` takes longer than `limitMs`. What it has begun continues. */
export async function within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const check: Running = { until: performance.now() + limitMs, waitsFor: "its end" };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing came in ${limitMs} ms (timeLimitMs). The check was waiting for ${check.waitsFor}.`)), limitMs);
  });
  try {
    return await running.run(check, () => Promise.race([work(), late]));
  } finally {
    clearTimeout(timer);
  }
}

/** Says what the running check waits for from now on. */
export function waitFor(what: string): void {
  const check = running.getStore();
  if (check !== undefined) check.waitsFor = what;
}

/** How long the running check may wait for one thing: a little less than it has left, so that it can say what did not come. */
export function patienceMs(): number {
  const check = running.getStore();
  return check === undefined ? unlimitedMs : Math.max(0, 0.9 * (check.until - performance.now()));
}
