// What a request came to, written as the answer that leaves: errors, data, extensions, and what stands beside them.

import { GraphQLError } from "graphql";
import { QuernError } from "../ground/errors.ts";
import { writeJson } from "../ground/json/write-json.ts";
import type { OperationContext, ResponseError } from "../query/operation-context.ts";
import type { OperationPlan } from "../query/plan/plan.ts";
import { type PrintFacts, printPlan } from "../query/plan/print.ts";
import { isMasking } from "../query/read/mask.ts";
import { writeEnvelope } from "./envelope.ts";
import type { LiveResult } from "./live-operation.ts";
import type { PreparedOperation } from "./operation.ts";
import type { GraphQLAnswer } from "./request.ts";
import type { ActiveRequest } from "./request-context.ts";
import { OperationResult } from "./run-operation.ts";
import { unseenText } from "./visible-result.ts";

/** What stands in an answer. */
export type ResultParts = Pick<LiveResult, "errors" | "data" | "extensions">;

/** Long enough for a burst to pass, short enough not to be noticed. */
const retryAfterSeconds = 1;

/** The answer to a request that has run; `result` is what its stages gave. */
export function answerOf(result: unknown, context: ActiveRequest): GraphQLAnswer {
  const parts = partsOf(result, context);
  return {
    body: writeEnvelope(parts),
    touched: touchedBy(context),
    maxAgeSeconds: context.operation?.plan.maxAgeSeconds,
    requestErrors: parts.data === undefined,
    kind: context.operation?.plan.kind,
  };
}

/** The answer to a request of which nothing was run. */
export function refusalOf(errors: readonly ResponseError[], kind?: GraphQLAnswer["kind"]): GraphQLAnswer {
  return { body: writeEnvelope({ errors, data: undefined, extensions: undefined }), touched: 0, maxAgeSeconds: undefined, requestErrors: true, kind };
}

/** The same to a client that should come again. */
export function laterOf(errors: readonly ResponseError[]): GraphQLAnswer {
  return { ...refusalOf(errors), retryAfterSeconds };
}

/** Takes down the outcome in `context`, too. */
export function partsOf(result: unknown, context: ActiveRequest): ResultParts {
  const { operationContext, operation } = context;
  if (!operationContext || !operation) throw new QuernError("INTERNAL", "An operation was executed before it was prepared.");
  const own = result instanceof OperationResult;
  const foreign = (own ? nothing : result) as { data?: unknown; errors?: readonly unknown[]; extensions?: Readonly<Record<string, unknown>> };
  const text = own ? result.text : unseenText(foreign);
  const errors = own ? (result.errors ?? noErrors) : (foreign.errors ?? noErrors).map(fromForeign);
  context.outcome = errors.length === 0 ? "ok" : context.faulted ? "fault" : (context.budget.ended ?? "failed");
  return {
    errors,
    data: text ?? (foreign.data === undefined ? undefined : writeJson(foreign.data)),
    extensions: extensionsOf(context, operationContext, { operation, foreign: foreign.extensions }),
  };
}

/**
 * Nodes touched, as far as the caller may know. An index finds nodes by their values before it is asked which of them show the field: where
 * fields are hidden, the number would say how many hidden values a filter meets.
 */
function touchedBy({ budget, debug, served }: ActiveRequest): number {
  return isMasking(served.deployment) && !debug ? 0 : budget.touched;
}

/** Member by member: spreads would take a microsecond here. */
function extensionsOf(
  context: ActiveRequest,
  operationContext: OperationContext,
  { operation, foreign }: { readonly operation: PreparedOperation; readonly foreign: Readonly<Record<string, unknown>> | undefined },
): Readonly<Record<string, unknown>> {
  const { debug, request } = context;
  const extensions: Record<string, unknown> = foreign === undefined ? {} : { ...foreign };
  const touched = touchedBy(context);
  if (touched > 0) extensions.touched_uids = touched;
  if (operation.plan.kind === "mutation") extensions.requestID = operationContext.request.id;
  if (debug && request.plan) extensions.plan = printed(operation.plan, operationContext);
  return extensions;
}

function printed(plan: OperationPlan, operationContext: OperationContext): readonly string[] {
  const lines = printPlan(plan, printFacts(operationContext)).split("\n");
  const { sent = [], storage } = operationContext;
  return sent.length === 0 ? lines : [...lines, `sent to ${storage.name}:`, ...sent.map((query) => `  ${query}`)];
}

/** What `printPlan` needs to know of a running operation. */
export function printFacts({ deployment: { api, hooks }, variables }: OperationContext): PrintFacts {
  return { api, hooks, variables };
}

function fromForeign(error: unknown): ResponseError {
  return error instanceof GraphQLError ? ({ ...error.toJSON() } as ResponseError) : (error as ResponseError);
}

const nothing = Object.freeze({});
const noErrors: readonly never[] = Object.freeze([]);
