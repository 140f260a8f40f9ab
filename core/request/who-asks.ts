// Asks the plugins who sends a request.

import { QuernError } from "../ground/errors.ts";
import { allOf, andThen, rescued } from "../ground/maybe-promise.ts";
import type { Json, MaybePromise } from "../ground/values/value.ts";
import type { ActiveSchema } from "./active-schema.ts";
import { RunningRequest } from "./request-view.ts";

/** The request with what the plugins know of who asks, or why one of them would not say. */
export interface Asker {
  readonly view: RunningRequest;
  readonly refused?: QuernError;
}

export function whoAsks({ askers }: ActiveSchema, view: RunningRequest): MaybePromise<Asker> {
  if (askers.length === 0) return { view };
  const known = (all: readonly Readonly<Record<string, Json>>[]): Asker => ({
    view: new RunningRequest(view.headers, Object.assign({}, ...all), view),
  });
  return rescued(
    () => andThen(allOf(askers.map((ask) => ask(view))), known),
    (thrown) => {
      if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { view, refused: thrown };
      throw thrown;
    },
  );
}
