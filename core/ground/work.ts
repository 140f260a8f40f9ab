// Work that may have to wait, written in straight lines: a generator that yields only what it must wait for. Where nothing waits, its value is there at
// once: `await` would cost a turn of the microtask queue at each place, and lets nobody else run.

import { isPromise } from "./maybe-promise.ts";
import { nextTurn, TurnClock } from "./turns.ts";
import type { MaybePromise } from "./values/value.ts";

/**
 * Work that returns a `T`. It yields a promise that it must wait for, or nothing where other work may run: at least once a millisecond while it computes.
 *
 *     function* titles(snapshot: Snapshot, uids: readonly Uid[]): Work<string[]> {
 *       const batch = yield* wait(snapshot.load({ uids, types: ["Post"], fields: ["title"] }));
 *       const titles: string[] = [];
 *       for (let row = 0; row < uids.length; row++) {
 *         if (row % 256 === 255) yield;
 *         titles.push(String(batch.columns[0]?.[row]));
 *       }
 *       return titles;
 *     }
 *
 *     const found: MaybePromise<string[]> = run(titles(snapshot, uids), budget);
 */
export type Work<T> = Generator<PromiseLike<unknown> | undefined, T, unknown>;

/** Whose turns of the event loop work takes: those of a request, or its own. */
export interface Turns {
  /** The present turn has lasted for long enough. */
  readonly isTurnOver: boolean;
  /** Waits for the next one. */
  turn(): PromiseLike<void>;
  /** Called before each turn. Throws when the work must end. */
  spend?(nodes: number): void;
}

/** The value of `maybe`. */
export function* wait<T>(maybe: MaybePromise<T>): Work<T> {
  return isPromise(maybe) ? ((yield maybe) as T) : maybe;
}

/**
 * The result: at once when nothing was waited for and one turn was enough. What a promise rejects with, and what `turns` throws, is thrown at the `yield`, so
 * that `finally` blocks of the work run.
 *
 * @param turns by default 5 ms each, as `nextTurn` gives them
 */
export function run<T>(work: Work<T>, turns?: Turns): MaybePromise<T> {
  const step = work.next();
  // Most work waits for nothing.
  return step.done === true ? step.value : goOn(work, step, turns ?? new OwnTurns());
}

function goOn<T>(work: Work<T>, begun: IteratorResult<PromiseLike<unknown> | undefined, T>, turns: Turns): MaybePromise<T> {
  const step = firstWait(work, begun, turns);
  return step.done === true ? step.value : resume(work, step.value, turns);
}

type Step<T> = IteratorResult<PromiseLike<unknown>, T>;

/** Goes on until the work has ended, or must wait. */
function firstWait<T>(work: Work<T>, begun: IteratorResult<PromiseLike<unknown> | undefined, T>, turns: Turns): Step<T> {
  let step = begun;
  while (step.done !== true) {
    const { value } = step;
    if (value !== undefined) return { done: false, value };
    const turn = due(turns);
    if (turn !== undefined) return { done: false, value: turn };
    step = work.next();
  }
  return step;
}

/** The next turn, when the present one is over. It rejects where `spend` throws, so that every error is thrown in the work. */
function due(turns: Turns): PromiseLike<void> | undefined {
  try {
    turns.spend?.(0);
    return turns.isTurnOver ? turns.turn() : undefined;
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

async function resume<T>(work: Work<T>, first: PromiseLike<unknown>, turns: Turns): Promise<T> {
  let step: Step<T> = { done: false, value: first };
  while (step.done !== true) {
    let outcome: { readonly value: unknown } | { readonly reason: unknown };
    try {
      outcome = { value: await step.value };
    } catch (reason) {
      outcome = { reason };
    }
    step = firstWait(work, "reason" in outcome ? work.throw(outcome.reason) : work.next(outcome.value), turns);
  }
  return step.value;
}

/** The result of work that waits for no promise, in one turn. */
export function runAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) throw new TypeError("work that waits for a promise cannot run at once");
  }
}

/** The results of works that wait side by side, in their order. Throws the first error when all that have begun are over. */
export function* together<T>(works: Iterable<Work<T>>, turns?: Turns): Work<readonly T[]> {
  const results: MaybePromise<T>[] = [];
  const done: T[] = [];
  for (const work of works) {
    const result = results.length > done.length ? beside(work, turns) : run(work, turns);
    results.push(result);
    if (!isPromise(result)) done.push(result);
  }
  if (done.length === results.length) return done;
  const outcomes = yield* wait(Promise.allSettled(results));
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** While others run, an exception becomes a rejection. */
function beside<T>(work: Work<T>, turns: Turns | undefined): MaybePromise<T> {
  try {
    return run(work, turns);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

class OwnTurns implements Turns {
  readonly #clock = new TurnClock();

  get isTurnOver(): boolean {
    return this.#clock.isOver;
  }

  async turn(): Promise<void> {
    await nextTurn();
    this.#clock.restart();
  }
}
