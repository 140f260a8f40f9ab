// Asks the plugins' `request` hooks for the caller of a request.

import { QuernError } from "../ground/errors.ts";
import { allOf } from "../ground/maybe-promise.ts";
import { patienceOf } from "../ground/patience.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { run, type Work, wait } from "../ground/work.ts";
import type { ActiveSchema } from "./active-schema.ts";
import { RunningRequest } from "./request-view.ts";

export interface Caller {
  /** The request with the facts that the hooks found. */
  readonly view: RunningRequest;
  /** The error of a hook that could not identify the caller. */
  readonly refused?: QuernError;
}

/** @param view the request as it came: its facts are those that the application has given */
export function identifyCaller({ requestHooks }: ActiveSchema, view: RunningRequest): MaybePromise<Caller> {
  if (requestHooks.length === 0) return { view };
  return run(askHooks(requestHooks, view));
}

function* askHooks(hooks: ActiveSchema["requestHooks"], view: RunningRequest): Work<Caller> {
  try {
    const facts = yield* wait(allOf(hooks.map((hook) => hook(view))));
    // What the application has given counts, whatever plugins find.
    const found = Object.freeze(Object.assign({}, ...facts, view.facts));
    return { view: new RunningRequest(view.headers, found, { patience: patienceOf(view), first: view }) };
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { view, refused: thrown };
    throw thrown;
  }
}
