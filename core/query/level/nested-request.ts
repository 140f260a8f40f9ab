// A GraphQL request that a plugin's field makes within an operation.

import type { ExecuteAnswer, ExecuteRequest } from "../../contracts/plugin/execute.ts";
import { QuernError } from "../../ground/errors.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Nesting, OperationContext } from "../operation-context.ts";

export function nestedRequest(request: ExecuteRequest, nesting: Nesting): MaybePromise<ExecuteAnswer> {
  const { nested } = nesting.context;
  if (!nested) throw new QuernError("INTERNAL", "This request runs no others.");
  return nested(request, nesting);
}

export const onlyReads = "A field that only reads cannot run a mutation.";

/** The request of a field that only reads. */
export function nestedQuery(request: ExecuteRequest, context: OperationContext): MaybePromise<ExecuteAnswer> {
  return nestedRequest(request, { context, refusesWrites: onlyReads, committed: () => undefined });
}
