// A GraphQL request that a plugin's root field makes within a request, as the same caller: planned, narrowed, checked and recorded as any other.

import type { ExecuteAnswer, ExecuteRequest } from "../contracts/plugin.ts";
import { QuernError } from "../ground/errors.ts";
import { parseJson } from "../ground/json/parse-json.ts";
import { andThen, rescued } from "../ground/maybe-promise.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import type { OperationContext } from "../query/operation-context.ts";
import type { ActiveSchema } from "./active-schema.ts";
import { toResponseError } from "./faults.ts";
import { prepareRequest } from "./prepare-request.ts";
import { RequestRefusal } from "./refusal.ts";
import { ActiveRequest, type ContextOptions } from "./request-context.ts";
import { runOperation } from "./run-operation.ts";
import { stagesWith } from "./stages.ts";

/** A root field may ask for one that asks again. */
const maxNesting = 8;

const plainStages = stagesWith([]);

export interface Nesting {
  readonly context: OperationContext;
  readonly mayWrite: boolean;
  /** Hears of every commit. */
  readonly committed: (token: CommitToken) => void;
}

/** Runs requests within one that `served` answers. The budget, the facts and the time are those of the request around it. */
export function nestedRuns(served: ActiveSchema, options: ContextOptions) {
  return ({ query, variables = {} }: ExecuteRequest, { context, mayWrite, committed }: Nesting): MaybePromise<ExecuteAnswer> => {
    const nesting = (context.nesting ?? 0) + 1;
    if (nesting > maxNesting) {
      throw new QuernError("LIMIT_REACHED", `Root fields ask for each other more than ${maxNesting} deep. One of them asks for itself.`);
    }
    const request = new ActiveRequest(served, { query, variables }, options);
    const errors = { debug: options.debug, log: (fault: unknown) => context.log.fault(fault, { requestID: context.request.id }) };
    const run = (): MaybePromise<ExecuteAnswer> => {
      const prepared = prepareRequest(request, plainStages(request), options.limits);
      const { kind } = prepared.operation.plan;
      if (kind === "subscription") throw new QuernError("REQUEST_REFUSED", "A root field cannot subscribe.");
      if (kind === "mutation" && !mayWrite) throw new QuernError("REQUEST_REFUSED", "A root field of Query cannot run a mutation.");
      const inner: OperationContext = { ...context, variables: prepared.variables, nesting, committed };
      return andThen(runOperation({ context: inner, operation: prepared.operation, errors }), (result) => ({
        data: dataOf(result.text),
        errors: result.errors ?? [],
      }));
    };
    return rescued(run, (thrown) => {
      if (thrown instanceof RequestRefusal) return { data: undefined, errors: thrown.errors };
      if (thrown instanceof QuernError && thrown.code !== "LIMIT_REACHED" && thrown.code !== "CANCELLED")
        return { data: undefined, errors: [toResponseError(thrown, errors)] };
      throw thrown;
    });
  };
}

function dataOf(text: string): ExecuteAnswer["data"] {
  const data: unknown = parseJson(text);
  return typeof data === "object" && data !== null ? Object.fromEntries(Object.entries(data)) : undefined;
}
