// What the reads of one root field leave for the end: slow computed fields, and errors of plugins that belong to no value.

import type { AnswerError } from "../../contracts/plugin/root-answer.ts";
import type { Location } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Aside, ResponseError } from "../operation-context.ts";
import { concurrently } from "./concurrently.ts";

/** Allocates nothing before it is used: few root fields need it. */
export class RootAside implements Aside {
  #errors: ResponseError[] | undefined;
  #later: (() => MaybePromise<void>)[] | undefined;

  get errors(): readonly ResponseError[] {
    return this.#errors ?? none;
  }

  get waits(): boolean {
    return this.#later !== undefined;
  }

  report(error: ResponseError): void {
    this.#errors ??= [];
    this.#errors.push(error);
  }

  defer(work: () => MaybePromise<void>): void {
    this.#later ??= [];
    this.#later.push(work);
  }

  settle(): MaybePromise<void> {
    const later = this.#later;
    this.#later = undefined;
    return later && andThen(concurrently(later), () => undefined);
  }
}

/** Never aborts: for work without a budget that ends it. */
export const endless: AbortSignal = new AbortController().signal;

const none: readonly never[] = Object.freeze([]);

/** The entry of `errors` for an error of a plugin. */
export function pluginError(error: AnswerError, location: Location, path?: readonly (string | number)[]): ResponseError {
  const place = error.path ?? path;
  return {
    message: error.message,
    locations: error.locations ?? [location],
    ...(place && { path: place }),
    ...(error.extensions && { extensions: error.extensions }),
  };
}
