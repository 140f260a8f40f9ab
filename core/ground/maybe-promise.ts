// Combinators for `MaybePromise`. A plain value is processed synchronously: `await` would cost a turn of the event loop for each.

import type { MaybePromise } from "./values/value.ts";

/** Whether the value is a promise or another thenable. */
export function isPromise<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Applies `next` to the value: synchronously, or when the promise is fulfilled. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** `Promise.all`, or the values themselves when none is a promise. */
export function allOf<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}

/** The result of `work`. When it throws or its promise rejects: the result of `rescue`. */
export function rescued<T>(work: () => MaybePromise<T>, rescue: (thrown: unknown) => T): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? value.then((each) => each, rescue) : value;
  } catch (thrown) {
    return rescue(thrown);
  }
}
