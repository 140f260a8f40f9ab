// Values that are there at once, or later. What is there at once is used at once: no turn of the event loop is spent on it.

import type { MaybePromise } from "./values/value.ts";

export function isPromise<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** `next` of the value, now if it is there, else when it comes. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** All of them, at once if none is still to come. */
export function allOf<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}

/** What `work` gives, or what `rescue` makes of its failure, now or later. */
export function rescued<T>(work: () => MaybePromise<T>, rescue: (thrown: unknown) => T): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? value.then((each) => each, rescue) : value;
  } catch (thrown) {
    return rescue(thrown);
  }
}
