// What plugins have answered about one request, so that a rule is asked once however often its type or field shows in a plan.

import type { FieldMask } from "../../contracts/plugin/hooks.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { MaybePromise } from "../../ground/values/value.ts";

export type Answer = Predicate | "deny";

export interface Answers {
  /** Those that came as promises, by purpose and type. */
  readonly narrowed: Map<string, MaybePromise<Answer>>;
  readonly masks: Map<FieldMask, MaybePromise<Answer | undefined>>;
}

/** By the request as plugins see it: rules, which have no operation around them, ask by it too. */
const answers = new WeakMap<RequestView, Answers>();

export function answersOf(request: RequestView): Answers {
  const known = answers.get(request) ?? { narrowed: new Map(), masks: new Map() };
  answers.set(request, known);
  return known;
}

/** Undefined: none are kept. */
export function knownAnswers(request: RequestView): Answers | undefined {
  return answers.get(request);
}
