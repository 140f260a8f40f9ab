// Independent reads of one snapshot, started together.

import { isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";

/**
 * All results, synchronously if every task answers synchronously. When one fails, the error is thrown after all others have ended: the caller
 * can then close the snapshot safely.
 */
export function concurrently<T>(tasks: readonly (() => MaybePromise<T>)[]): MaybePromise<readonly T[]> {
  const results: MaybePromise<T>[] = [];
  const done: T[] = [];
  for (const task of tasks) {
    const result = results.length > done.length ? startBeside(task) : task();
    results.push(result);
    if (!isPromise(result)) done.push(result);
  }
  return done.length === results.length ? done : settle(results);
}

/** While other tasks run, an exception becomes a rejection, which is thrown when they have ended. */
function startBeside<T>(task: () => MaybePromise<T>): MaybePromise<T> {
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
