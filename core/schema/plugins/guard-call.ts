// Wraps the functions of plugins: an error, or a result that breaks the contract, then names the plugin.

import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { markPlace, namedFault, PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { isStackOverflow, isTooLong } from "../../ground/too-deep.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";

/** Validates the result of a hook. @throws PluginFault */
export type ResultCheck<A extends readonly unknown[], T> = (place: PluginPlace, result: T, args: A) => T;

export function guardAsync<A extends readonly unknown[], T>(
  place: PluginPlace,
  hook: (...args: A) => MaybePromise<T>,
  check: ResultCheck<A, T> = (_, result) => result,
): (...args: A) => MaybePromise<T> {
  const call = (...args: A): MaybePromise<T> => {
    try {
      const result = hook(...args);
      if (!isPromise(result)) return check(place, result, args);
      return result.then(
        (value) => check(place, value, args),
        (thrown) => fail(place, thrown),
      );
    } catch (thrown) {
      return fail(place, thrown);
    }
  };
  return markPlace(call, place);
}

export function guardSync<A extends readonly unknown[], T>(
  place: PluginPlace,
  hook: (...args: A) => T,
  check: ResultCheck<A, T> = (_, result) => result,
): (...args: A) => T {
  return (...args) => {
    let result: T;
    try {
      result = hook(...args);
    } catch (thrown) {
      return fail(place, thrown);
    }
    if (typeof result === "object" && result !== null && isPromise<unknown>(result)) {
      result.then(undefined, () => undefined);
      throw new PluginFault(place, "it returns a promise, but must return its result synchronously.");
    }
    return check(place, result, args);
  };
}

export function* guardSteps<T>(place: PluginPlace, begin: () => Work<T>): Work<T> {
  try {
    return yield* begin();
  } catch (thrown) {
    return fail(place, thrown);
  }
}

/** Refusals and exceeded limits pass unchanged; other errors become faults that name the plugin. */
function fail(place: PluginPlace, thrown: unknown): never {
  if (thrown instanceof QuernError || isStackOverflow(thrown) || isTooLong(thrown)) throw thrown;
  throw namedFault(place, thrown);
}
