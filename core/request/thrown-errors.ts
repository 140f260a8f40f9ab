// The entries of `errors` for something thrown before, or instead of, an answer.

import type { ResponseError } from "../query/operation-context.ts";
import { toResponseError } from "./faults.ts";
import { RequestRefusal } from "./refusal.ts";
import type { RequestContext } from "./request-context.ts";

export function errorsOf(thrown: unknown, context: RequestContext): readonly ResponseError[] {
  return thrown instanceof RequestRefusal ? thrown.errors : [toResponseError(thrown, context)];
}
