// Asks the plugins' `request` hooks for the caller of a request.

import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { patienceOf } from "../../ground/patience.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { RunningRequest } from "./request-view.ts";

export interface Caller {
  /** The request with the facts that the hooks found. */
  readonly view: RunningRequest;
  /** The error of a hook that could not identify the caller. */
  readonly refused?: QuernError;
}

/** @param view the request as it came: its facts are those that the application has given */
export function identifyCaller({ requestHooks }: Pick<ActiveSchema, "requestHooks">, view: RunningRequest): MaybePromise<Caller> {
  if (requestHooks.length === 0) return { view };
  return run(askHooks(requestHooks, view));
}

/** One after the other: each sees what those before it have found. */
function* askHooks(hooks: ActiveSchema["requestHooks"], view: RunningRequest): Work<Caller> {
  let known = view;
  try {
    for (const hook of hooks) {
      const found = hook(known);
      const facts = isPromise(found) ? yield* wait(found) : found;
      // What the application has given counts, whatever plugins find.
      const all = Object.freeze({ ...known.facts, ...facts, ...view.facts });
      known = new RunningRequest(view.headers, all, { patience: patienceOf(view), first: view });
    }
    return { view: known };
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { view, refused: thrown };
    throw thrown;
  }
}
