// The entries of `errors` for something thrown before, or instead of, an answer.

import type { ResponseError } from "../../query/operation-context.ts";
import { failureOf } from "../errors/faults.ts";
import { RequestRefusal } from "../errors/refusal.ts";
import { worded } from "../errors/worded-errors.ts";
import type { RequestContext } from "./request-context.ts";

export function errorsOf(thrown: unknown, context: RequestContext): readonly ResponseError[] {
  return worded(thrown instanceof RequestRefusal ? thrown.errors : [failureOf(thrown, context)], context.style);
}
