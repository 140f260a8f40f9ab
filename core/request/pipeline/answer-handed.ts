// Answers a query that another thread's kernel has handed over: it was checked there, and its caller is known.

import type { Permissions } from "../../contracts/plugin/permissions.ts";
import type { HandedAnswer, HandedQuery } from "../../contracts/read-workers.ts";
import type { Storage } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import type { GraphQLAnswer } from "../caller/request.ts";
import { RunningRequest } from "../caller/request-view.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { mayRunLater } from "../errors/faults.ts";
import { answerOf, laterOf, refusalOf } from "../operation/answer.ts";
import { outcomeOf } from "../operation/outcome-of.ts";
import { ActiveRequest, type ContextOptions } from "../operation/request-context.ts";
import type { PreparedRequest, RunningOperation } from "../operation/running-operation.ts";
import { runStages, stagesWith } from "../operation/stages.ts";
import { errorsOf } from "../operation/thrown-errors.ts";
import { prepareRequest } from "./prepare-request.ts";

export interface HandedOptions extends ContextOptions {
  readonly storage: Storage;
}

const plainStages = stagesWith([]);

/** Never rejects. @param onGone calls its listener when the client no longer waits */
export async function answerHanded(
  query: HandedQuery,
  schema: ActiveSchema,
  { onGone, ...options }: HandedOptions & { readonly onGone: (listener: () => void) => void },
): Promise<HandedAnswer> {
  const begun = performance.now();
  const { as, operationName, variables, request } = query;
  const asked = as === "system" ? schema.unrestricted() : schema;
  // The time that has passed elsewhere counts.
  const before = begun - (options.limits.maxTimeMs - query.leftMs);
  const caller = query.caller === undefined ? undefined : ({ kind: "key", name: query.caller } as const);
  const text = { query: query.query, operationName: operationName ?? null, variables, introspects: true, onGone, caller };
  const context = new ActiveRequest(asked, text, options, before);
  context.view = new RunningRequest(request.headers, request.facts, { patience: context.budget, first: request });
  const answer = await answered(query, context, options);
  const { budget } = context;
  budget.close();
  const { body, pieces, requestErrors, retryAfterSeconds } = answer;
  return {
    body: pieces ?? body,
    requestErrors,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    outcome: context.outcome ?? "refused",
    shown: answer.touched,
    touched: budget.touched,
    durationMs: performance.now() - begun,
  };
}

async function answered(query: HandedQuery, context: ActiveRequest, options: HandedOptions): Promise<GraphQLAnswer> {
  try {
    const stages = plainStages(context);
    const prepared = await prepareRequest(context, stages, options.limits);
    context.running = runningOperation(query, prepared, { context, options });
    return answerOf(await runStages(stages, context), context);
  } catch (thrown) {
    const errors = errorsOf(thrown, context);
    context.outcome = outcomeOf(thrown, context);
    return mayRunLater(thrown) ? laterOf(errors) : refusalOf(errors);
  }
}

function runningOperation(
  { readable, after }: HandedQuery,
  prepared: PreparedRequest,
  { context, options }: { readonly context: ActiveRequest; readonly options: HandedOptions },
): RunningOperation {
  return {
    deployment: context.schema.deployment,
    storage: options.storage,
    ...prepared,
    request: context.view,
    budget: context.budget,
    log: options.log,
    errors: context,
    permissions: readable && permissionsTo(new Set(readable)),
    after,
    valueLimits: options.limits,
    nested: context.schema.nested,
  };
}

function permissionsTo(readable: ReadonlySet<string>): Permissions {
  return {
    mayRead: (name) => readable.has(name),
    checkWrites: () => {
      throw new QuernError("REQUEST_REFUSED", "A query writes nothing.");
    },
  };
}
