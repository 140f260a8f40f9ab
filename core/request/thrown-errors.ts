// The entries of `errors` for something thrown before, or instead of, an answer.

import type { ResponseError } from "../query/operation-context.ts";
import { failureOf } from "./faults.ts";
import { RequestRefusal } from "./refusal.ts";
import type { RequestContext } from "./request-context.ts";
import { worded } from "./worded-errors.ts";

export function errorsOf(thrown: unknown, context: RequestContext): readonly ResponseError[] {
  return worded(thrown instanceof RequestRefusal ? thrown.errors : [failureOf(thrown, context)], context.style);
}
