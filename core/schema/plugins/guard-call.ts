// Wraps the functions of plugins: an error, a promise that does not settle, or a result that breaks the contract then names the plugin.

import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { type Patience, settledInTime } from "../../ground/patience.ts";
import { markPlace, namedFault, PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { isStackOverflow, isTooLong } from "../../ground/too-deep.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import type { HookHost } from "./hook-host.ts";

/** Validates the result of a hook. @throws PluginFault */
export type ResultCheck<A extends readonly unknown[], T> = (place: PluginPlace, result: T, args: A) => T;

/** How a function of a plugin is called. */
export interface Calling<A extends readonly unknown[], T> {
  readonly place: PluginPlace;
  readonly host: HookHost;
  readonly check?: ResultCheck<A, T> | undefined;
}

/** How one that may return a promise is called. */
export interface Waiting<A extends readonly unknown[], T> extends Calling<A, T> {
  /** Undefined: nothing waits for the promise. */
  readonly patience: (args: A) => Patience | undefined;
  /** What a call is about, for messages: `of Post`. */
  readonly about?: ((args: A) => string) | undefined;
}

export function guardAsync<A extends readonly unknown[], T>(
  hook: (...args: A) => MaybePromise<T>,
  waiting: Waiting<A, T>,
): (...args: A) => MaybePromise<T> {
  const { place, host, check = unchecked } = waiting;
  const call = (...args: A): MaybePromise<T> => {
    const begun = performance.now();
    const { reported } = host;
    try {
      const result = hook(...args);
      return isPromise(result) ? later(result, args, waiting) : check(place, result, args);
    } catch (thrown) {
      return fail(place, thrown);
    } finally {
      host.returned(place, begun, reported);
    }
  };
  return markPlace(call, place);
}

function later<A extends readonly unknown[], T>(
  result: PromiseLike<T>,
  args: A,
  { place, check = unchecked, patience, about }: Waiting<A, T>,
): PromiseLike<T> {
  const allowed = patience(args);
  const fulfilled = (value: T): T => check(place, value, args);
  const rejected = (thrown: unknown): never => fail(place, thrown);
  if (allowed === undefined) return result.then(fulfilled, rejected);
  const placeOfCall = (): PluginPlace => (about ? { ...place, hook: `${place.hook} ${about(args)}` } : place);
  return settledInTime(result, { patience: allowed, place: placeOfCall, fulfilled, rejected });
}

function unchecked<T>(_: PluginPlace, result: T): T {
  return result;
}

export function guardSync<A extends readonly unknown[], T>(
  hook: (...args: A) => T,
  { place, host, check = unchecked }: Calling<A, T>,
): (...args: A) => T {
  return (...args) => {
    const begun = performance.now();
    const { reported } = host;
    let result: T;
    try {
      result = hook(...args);
    } catch (thrown) {
      return fail(place, thrown);
    } finally {
      host.returned(place, begun, reported);
    }
    if (typeof result === "object" && result !== null && isPromise<unknown>(result)) {
      result.then(undefined, () => undefined);
      throw new PluginFault(place, "it returns a promise, but must return its result synchronously.");
    }
    return check(place, result, args);
  };
}

/** How work of a plugin is run. */
export interface WorkGuard {
  readonly place: PluginPlace;
  readonly host: HookHost;
  readonly patience: Patience;
}

/** Work of a plugin: it waits for no promise longer than it may. */
export function* guardWork<T>(begin: () => Work<T>, guard: WorkGuard): Work<T> {
  const work = tried(begin, guard);
  let step = tried(() => work.next(), guard);
  try {
    while (step.done !== true) {
      const outcome = yield* outcomeOf(step.value, guard);
      step = tried(() => ("thrown" in outcome ? work.throw(outcome.thrown) : work.next(outcome.value)), guard);
    }
    return step.value;
  } finally {
    if (step.done !== true) endEarly(work);
  }
}

type Outcome = { readonly value: unknown } | { readonly thrown: unknown };

function* outcomeOf(given: PromiseLike<unknown> | undefined, { place, patience }: WorkGuard): Work<Outcome> {
  try {
    return { value: yield given && settledInTime(given, { patience, place: () => place, fulfilled: (value) => value, rejected: rethrow }) };
  } catch (thrown) {
    return { thrown };
  }
}

/** Its `finally` blocks run. */
function endEarly(work: Generator<unknown, unknown, unknown>): void {
  work.return(undefined);
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

/** Runs one step of a plugin's code. */
export function tried<T>(call: () => T, { place, host }: Pick<WorkGuard, "place" | "host">): T {
  const begun = performance.now();
  const { reported } = host;
  try {
    return call();
  } catch (thrown) {
    return fail(place, thrown);
  } finally {
    host.returned(place, begun, reported);
  }
}

/** Refusals and exceeded limits pass unchanged; other errors become faults that name the plugin. */
export function fail(place: PluginPlace, thrown: unknown): never {
  if (thrown instanceof QuernError || isStackOverflow(thrown) || isTooLong(thrown)) throw thrown;
  throw namedFault(place, thrown);
}
