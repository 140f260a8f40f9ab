// Asks the plugins' `request` hooks for the caller of a request.

import { QuernError } from "../ground/errors.ts";
import { allOf, andThen, rescued } from "../ground/maybe-promise.ts";
import type { Json, MaybePromise } from "../ground/values/value.ts";
import type { ActiveSchema } from "./active-schema.ts";
import { RunningRequest } from "./request-view.ts";

export interface Caller {
  /** The request with the facts that the hooks found. */
  readonly view: RunningRequest;
  /** The error of a hook that could not identify the caller. */
  readonly refused?: QuernError;
}

export function identifyCaller({ requestHooks }: ActiveSchema, view: RunningRequest): MaybePromise<Caller> {
  if (requestHooks.length === 0) return { view };
  const identified = (facts: readonly Readonly<Record<string, Json>>[]): Caller => ({
    view: new RunningRequest(view.headers, Object.assign({}, ...facts), view),
  });
  return rescued(
    () => andThen(allOf(requestHooks.map((hook) => hook(view))), identified),
    (thrown) => {
      if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { view, refused: thrown };
      throw thrown;
    },
  );
}
