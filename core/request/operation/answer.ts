// Writes the answer to a request: errors, data, extensions, and what transports need beside the body.

import { GraphQLError } from "graphql";
import type { JsonText, LongText } from "../../ground/json/long-text.ts";
import { writeJson } from "../../ground/json/write-json.ts";
import type { OperationContext, ResponseError } from "../../query/operation-context.ts";
import { type PrintFacts, printPlan } from "../../query/plan/print.ts";
import type { ShareTaken } from "../budget/caller-shares.ts";
import type { GraphQLAnswer } from "../caller/request.ts";
import { writeEnvelope } from "./envelope.ts";
import { type ActiveRequest, runningOperationOf } from "./request-context.ts";
import { OperationResult } from "./run-operation.ts";
import type { RunningOperation } from "./running-operation.ts";
import type { TraceJson } from "./trace.ts";
import { unseenText } from "./visible-result.ts";

/** The members of an answer. */
export interface ResultParts {
  readonly errors: readonly ResponseError[];
  readonly data: JsonText | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Long enough for a burst to pass, short enough to go unnoticed. */
const retryAfterSeconds = 1;

/** The answer to a request that has run; `result` is what its stages gave. */
export function answerOf(result: unknown, context: ActiveRequest): GraphQLAnswer {
  const parts = partsOf(result, context);
  const { plan } = runningOperationOf(context).operation;
  const facts = { touched: touchedBy(context), maxAgeSeconds: plan.maxAgeSeconds, requestErrors: parts.data === undefined, kind: plan.kind };
  return answerOfText(writeEnvelope(parts), facts);
}

/** The answer with this body. */
export function answerOfText(body: JsonText, facts: AnswerFacts): GraphQLAnswer {
  if (typeof body !== "string") return longAnswer(body, facts);
  const { touched, maxAgeSeconds, requestErrors, kind } = facts;
  return { body, touched, maxAgeSeconds, requestErrors, kind };
}

type AnswerFacts = Omit<GraphQLAnswer, "body" | "pieces">;

function longAnswer(text: LongText, facts: AnswerFacts): GraphQLAnswer {
  return {
    ...facts,
    pieces: text.pieces,
    get body() {
      return String(text);
    },
  };
}

/** The answer to a refused request: nothing ran. */
export function refusalOf(errors: readonly ResponseError[], { kind, tracing }: RefusalFacts = {}): GraphQLAnswer {
  const extensions = tracing && { tracing };
  return { body: writeEnvelope({ errors, data: undefined, extensions }), touched: 0, maxAgeSeconds: undefined, requestErrors: true, kind };
}

interface RefusalFacts {
  readonly kind?: GraphQLAnswer["kind"];
  readonly tracing?: TraceJson | undefined;
}

/** The same for a client that should try again. */
export function laterOf(errors: readonly ResponseError[]): GraphQLAnswer {
  return { ...refusalOf(errors), retryAfterSeconds };
}

/** The same for a client that has taken its share. */
export function shareTakenOf(errors: readonly ResponseError[], { retryAfterSeconds: seconds }: ShareTaken): GraphQLAnswer {
  return { ...refusalOf(errors), retryAfterSeconds: seconds, isShareTaken: true };
}

/** Also sets `context.outcome`. */
export function partsOf(result: unknown, context: ActiveRequest): ResultParts {
  const running = runningOperationOf(context);
  const own = result instanceof OperationResult;
  const foreign = (own ? nothing : result) as { data?: unknown; errors?: readonly unknown[]; extensions?: Readonly<Record<string, unknown>> };
  const text = own ? result.text : unseenText(foreign);
  const errors = own ? (result.errors ?? noErrors) : (foreign.errors ?? noErrors).map(fromForeign);
  context.outcome = errors.length === 0 ? "ok" : context.faulted ? "fault" : (context.budget.ended ?? "failed");
  return {
    errors,
    data: text ?? (foreign.data === undefined ? undefined : writeJson(foreign.data)),
    extensions: extensionsOf(context, running, foreign.extensions),
  };
}

/**
 * Nodes that the answer shows or the request has written. What the storage visited for them is not counted: it differs from storage to storage,
 * and where fields are hidden it would reveal how many hidden values a filter matches.
 */
function touchedBy({ budget }: ActiveRequest): number {
  return budget.shown;
}

/** Sets members one by one: spreads would take a microsecond here. */
function extensionsOf(
  context: ActiveRequest,
  running: RunningOperation,
  foreign: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const { isTerse, trace } = context;
  const extensions: Record<string, unknown> = foreign === undefined ? {} : { ...foreign };
  const touched = touchedBy(context);
  if (touched > 0 && !isTerse) extensions.touched_uids = touched;
  if (running.operation.plan.kind === "mutation") extensions.requestID = running.request.id;
  if (context.commit !== undefined) extensions.commit = context.commit;
  if (context.showsPlan) extensions.plan = printed(running);
  if (context.rules) extensions.rules = context.rules.list();
  if (context.rules && context.rules.hiddenErrors.length > 0) extensions.hiddenErrors = context.rules.hiddenErrors;
  if (trace) extensions.tracing = trace.json(running.operation.keys);
  return extensions;
}

function printed(running: RunningOperation): readonly string[] {
  const lines = printPlan(running.operation.plan, printFacts(running)).split("\n");
  const { sentQueries = [], chosenWays = [], storage } = running;
  return [...lines, ...listed(`sent to ${storage.name}:`, sentQueries), ...listed(`chosen by ${storage.name}:`, chosenWays)];
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/** What `printPlan` needs to know of a running operation. */
export function printFacts({ deployment: { api, hooks, layout }, variables }: OperationContext): PrintFacts {
  return { api, hooks, layout, variables };
}

function fromForeign(error: unknown): ResponseError {
  return error instanceof GraphQLError ? ({ ...error.toJSON() } as ResponseError) : (error as ResponseError);
}

const nothing = Object.freeze({});
const noErrors: readonly never[] = Object.freeze([]);
