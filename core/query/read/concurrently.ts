// Independent reads of one snapshot, started together.

import { isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";

/**
 * All results, at once if every task answers at once. When one fails, the others are waited for before it is told: whoever closes
 * the snapshot then closes it under nobody's feet.
 */
export function concurrently<T>(tasks: readonly (() => MaybePromise<T>)[]): MaybePromise<readonly T[]> {
  const results: MaybePromise<T>[] = [];
  const done: T[] = [];
  for (const task of tasks) {
    const result = start(task, results.length > done.length);
    results.push(result);
    if (!isPromise(result)) done.push(result);
  }
  return done.length === results.length ? done : settle(results);
}

/** A throw beside reads that are under way becomes a rejection, to be told when they have ended. */
function start<T>(task: () => MaybePromise<T>, isOverlapping: boolean): MaybePromise<T> {
  if (!isOverlapping) return task();
  try {
    return task();
  } catch (error) {
    return Promise.reject(error);
  }
}

async function settle<T>(results: readonly MaybePromise<T>[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(results);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}
