// The route of one GraphQL request, from top to bottom:
// `RequestContext` holds what came; `prepareRequest` parses, validates, plans and coerces it; `identifyCaller` asks the plugins for its caller;
// `RunningOperation` joins both and runs through the stages of `@envelop/core`, so that its plugins work on every transport; `answerOf` writes
// the result.

import type { Plugin as EnvelopPlugin } from "@envelop/core";
import type { Outcome } from "../../contracts/metrics.ts";
import type { ExecuteAnswer, ExecuteRequest } from "../../contracts/plugin/execute.ts";
import type { LiveResult, LiveRun } from "../../contracts/plugin/live-engine.ts";
import type { WriteOptions } from "../../contracts/plugin/write-transaction.ts";
import type { Committed, Storage } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import { PluginTimeout } from "../../ground/plugin-fault.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import { runWrites, type WriteWork } from "../../mutation/transaction/write-transaction.ts";
import type { KeptOfRuns, OperationContext } from "../../query/operation-context.ts";
import { estimateCost } from "../../query/plan/estimate-cost.ts";
import { printPlan } from "../../query/plan/print.ts";
import { readFailure } from "../../query/write/error-messages.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { StepTimes } from "../../telemetry/step-times.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type CallerShares, ShareTaken, type Visit } from "../budget/caller-shares.ts";
import { callerNameOf } from "../caller/caller-name.ts";
import { callerPermissions } from "../caller/caller-permissions.ts";
import { identifyCaller } from "../caller/identify-caller.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../caller/request.ts";
import { RunningRequest } from "../caller/request-view.ts";
import { type ActiveSchema, serve } from "../documents/active-schema.ts";
import { chooseOperation } from "../documents/choose-operation.ts";
import { parseDocument } from "../documents/parse-document.ts";
import { mayRunLater } from "../errors/faults.ts";
import { RequestRefusal, readOnlyPageText } from "../errors/refusal.ts";
import { worded } from "../errors/worded-errors.ts";
import { answerOf, laterOf, partsOf, printFacts, type ResultParts, refusalOf, shareTakenOf } from "../operation/answer.ts";
import { writeEnvelope } from "../operation/envelope.ts";
import { assertWatchable, type LiveStart, type PreparedSubscription, type Subscribed } from "../operation/live-operation.ts";
import { noSchemaErrors } from "../operation/no-schema.ts";
import { outcomeOf } from "../operation/outcome-of.ts";
import { ActiveRequest, type ContextOptions, RequestContext } from "../operation/request-context.ts";
import type { PreparedRequest, RunningOperation } from "../operation/running-operation.ts";
import { runStages, type Stages, stagesWith } from "../operation/stages.ts";
import { errorsOf } from "../operation/thrown-errors.ts";
import type { Offload } from "./offload.ts";
import { parsed, prepareRequest } from "./prepare-request.ts";
import { languageNamed, runLanguage } from "./run-language.ts";
import { nestedRuns } from "./run-nested.ts";

export interface PipelineOptions extends ContextOptions {
  readonly storage: Storage;
  readonly telemetry: Telemetry;
  /** Undefined: callers are not limited. */
  readonly callers?: CallerShares | undefined;
  /** Undefined: every query runs in this thread. */
  readonly offload?: Offload | undefined;
  readonly plugins: readonly EnvelopPlugin[];
  /** Why requests are not answered at the moment; undefined when they are. */
  readonly unavailable?: () => QuernError | undefined;
  /** Why no request is answered, not even with the errors of a request to a server without a schema; undefined when there is a store. */
  readonly lost?: () => QuernError | undefined;
  /** Why there is no schema, where that is not for want of a deploy; undefined: nothing is deployed. */
  readonly closed?: () => QuernError | undefined;
  /** The schema that is served in the place of `schema`, as soon as it is; undefined: none within a few seconds. */
  readonly schemaAfter?: (schema: ActiveSchema) => Promise<ActiveSchema | undefined>;
}

/** A plugin's question in another language than GraphQL, as a caller with these headers. */
export type LanguageRequest = Required<Pick<ExecuteRequest, "query" | "language" | "headers">> & Pick<ExecuteRequest, "variables">;

export class Pipeline {
  readonly #options: PipelineOptions;
  #mutations = 0;
  readonly #stages: (context: ActiveRequest) => Stages;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#stages = stagesWith(options.plugins);
  }

  serve(deployment: Deployment): ActiveSchema {
    return serve(deployment, { limits: this.#options.limits, nested: (schema) => nestedRuns(schema, this.#options) });
  }

  /** Mutations that run now. */
  get mutations(): number {
    return this.#mutations;
  }

  /**
   * Never rejects: errors are part of the answer.
   *
   * @param schema undefined before the first deploy
   * @param asked `begun`: when the request came, in milliseconds of `performance.now()`, if it had to wait; `prepared` is called when its document is
   */
  answer(
    request: GraphQLRequest,
    schema: ActiveSchema | undefined,
    { begun, prepared }: { readonly begun?: number; readonly prepared?: () => void } = {},
  ): MaybePromise<GraphQLAnswer> {
    const lost = this.#options.lost?.();
    if (lost !== undefined) return this.reject(request, lost, begun);
    if (!schema) return this.#withoutSchema(request, begun);
    const context = new ActiveRequest(schema, request, this.#options, begun);
    context.prepared = prepared;
    return run(this.#answer(context), context.budget);
  }

  *#answer(context: ActiveRequest): Work<GraphQLAnswer> {
    let answer: GraphQLAnswer;
    try {
      answer = yield* this.#run(context);
    } catch (thrown) {
      return this.#refused(thrown, context);
    }
    return context.isOvertaken ? yield* wait(this.#again(answer, context)) : this.#ended(answer, context);
  }

  /** Answers a plugin's question in another language than GraphQL. Never rejects. */
  async ask({ query, variables = {}, language, headers }: LanguageRequest, schema: ActiveSchema | undefined): Promise<ExecuteAnswer> {
    if (!schema) {
      const { code, message } = this.#options.closed?.() ?? new QuernError("NO_SCHEMA", "No schema is deployed yet.");
      return { data: undefined, errors: worded([{ code, message }], this.#options.errors ?? "plain") };
    }
    const context = new ActiveRequest(schema, { query, headers }, this.#options);
    try {
      const asked = languageNamed(language, this.#options.languages ?? []);
      return { data: await runLanguage(asked, { text: query, variables }, await this.#operationOutside(schema, context)), errors: [] };
    } catch (thrown) {
      return { data: undefined, errors: errorsOf(thrown, context) };
    } finally {
      context.budget.close();
    }
  }

  /** Writes of a plugin for a client. @throws the QuernError that refuses the client, or what `work` throws */
  async write<T>(work: WriteWork<T>, { headers, language, onGone }: WriteOptions, schema: ActiveSchema | undefined): Promise<Committed<T>> {
    if (!schema) throw this.#options.closed?.() ?? new QuernError("NO_SCHEMA", "No schema is deployed yet.");
    const context = new ActiveRequest(schema, { query: "", headers, ...(onGone && { onGone }) }, this.#options);
    try {
      return await runWrites(work, language, await this.#operationOutside(schema, context));
    } finally {
      context.budget.close();
    }
  }

  /** The operation of a request without a document. */
  async #operationOutside(schema: ActiveSchema, context: ActiveRequest): Promise<OperationContext> {
    admit(context);
    const { view, refused } = await identifyCaller(schema, context.view);
    const permitted = await callerPermissions(schema, view);
    const { storage, log, telemetry, limits } = this.#options;
    return {
      deployment: schema.deployment,
      storage,
      log,
      budget: context.budget,
      request: view,
      refused,
      unavailable: this.#options.unavailable?.(),
      variables: {},
      given: {},
      ...permitted,
      writes: true,
      commits: telemetry.commits,
      maxChanges: limits.maxChanges,
      maxTransactionMs: limits.maxTransactionMs,
      valueLimits: limits,
    };
  }

  /** A mutation that a deploy has overtaken may be valid for the new schema too. @param answer says that it was overtaken */
  async #again(answer: GraphQLAnswer, context: ActiveRequest): Promise<GraphQLAnswer> {
    const { schema, request, budget } = context;
    const next = performance.now() < budget.deadline ? await this.#options.schemaAfter?.(schema) : undefined;
    if (next === undefined) return this.#ended(answer, context);
    budget.close();
    context.visit?.undo();
    const { admitted: _done, ...again } = request;
    return await this.answer(again, request.as === "system" ? next.unrestricted() : next, { begun: budget.begun });
  }

  /** The answer to a request that was not admitted; `thrown` is the reason. */
  reject(request: GraphQLRequest, thrown: unknown, begun?: number): GraphQLAnswer {
    return this.#refused(thrown, new RequestContext(request, this.#options, begun));
  }

  *#run(context: ActiveRequest): Work<GraphQLAnswer> {
    const stages = this.#stages(context);
    const prepared = yield* this.#prepare(context, stages);
    context.visit?.reserve(estimateCost(prepared.operation.plan, prepared.variables));
    if (prepared.operation.definition.operation !== "mutation") return yield* this.#execute(context, prepared, stages);
    return context.request.queriesOnly
      ? refusalOf(worded([readOnlyPage], context.style), { kind: "mutation" })
      : yield* this.#counted(this.#execute(context, prepared, stages));
  }

  *#prepare(context: ActiveRequest, stages: Stages): Work<PreparedRequest> {
    const { callers, limits, telemetry } = this.#options;
    if (telemetry.timesSteps) context.steps = new StepTimes();
    admit(context);
    if (callers) yield* enter(context, callers);
    const prepared = prepareRequest(context, stages, limits);
    const ready = isPromise(prepared) ? yield* wait(prepared) : prepared;
    context.prepared?.();
    context.steps?.prepared();
    return ready;
  }

  /** Asks what is a promise: a generator for each answer that is there would cost a read by key a twentieth. */
  *#execute(context: ActiveRequest, prepared: PreparedRequest, stages: Stages): Work<GraphQLAnswer> {
    const identified = identifyCaller(context.schema, context.view);
    const { view, refused } = isPromise(identified) ? yield* wait(identified) : identified;
    const permitted = callerPermissions(context.schema, view);
    const { permissions, unauthorized } = isPromise(permitted) ? yield* wait(permitted) : permitted;
    const unavailable = this.#options.unavailable?.();
    const sentQueries = context.showsPlan ? [] : undefined;
    const chosenWays = context.showsWays ? [] : undefined;
    const after = view.headers["quern-after"] || undefined;
    const conditions = { request: view, refused, permissions, unauthorized, unavailable, after, sentQueries, chosenWays };
    context.running = this.#runningOperation(context, prepared, conditions);
    const { admitted } = context.request;
    const isRefused = refused !== undefined || unauthorized !== undefined || unavailable !== undefined;
    if (admitted !== undefined && !isRefused) yield* wait(admitted());
    const { offload } = this.#options;
    const here = () => andThen(runStages(stages, context), (result) => answerOf(result, context));
    const answer = offload && prepared.operation.plan.kind === "query" ? offload.run(context, here) : here();
    return isPromise(answer) ? yield* wait(answer) : answer;
  }

  /** Member by member: spreads would double the time of a small query. */
  #runningOperation(context: ActiveRequest, prepared: PreparedRequest, conditions: RunConditions): RunningOperation {
    const { storage, telemetry, log, limits } = this.#options;
    return {
      deployment: context.schema.deployment,
      storage,
      document: prepared.document,
      operation: prepared.operation,
      variables: prepared.variables,
      given: prepared.given,
      request: conditions.request,
      budget: context.budget,
      log,
      errors: context,
      trace: context.trace,
      refused: conditions.refused,
      permissions: conditions.permissions,
      unauthorized: conditions.unauthorized,
      unavailable: conditions.unavailable,
      recordReads: conditions.recordReads,
      runs: conditions.runs,
      after: conditions.after,
      sentQueries: conditions.sentQueries,
      chosenWays: conditions.chosenWays,
      nested: context.schema.nested,
      commits: telemetry.commits,
      maxChanges: limits.maxChanges,
      maxTransactionMs: limits.maxTransactionMs,
      valueLimits: limits,
      committed: (token) => {
        context.commit = token;
      },
      overtaken: () => {
        context.isOvertaken = context.commit === undefined;
      },
    };
  }

  /** The answer to a subscription that was not admitted; `thrown` is the reason. */
  rejectLive(request: GraphQLRequest, thrown: unknown): LiveStart {
    return this.#refusedLive(thrown, new RequestContext(request, this.#options));
  }

  /**
   * Prepares a subscription; the returned operation runs as often as needed. Never rejects.
   *
   * @param prepared is called when its document is
   */
  live(request: GraphQLRequest, schema: ActiveSchema | undefined, prepared?: () => void): MaybePromise<LiveStart> {
    const context = schema ? new ActiveRequest(schema, request, this.#options) : new RequestContext(request, this.#options);
    context.prepared = prepared;
    return run(this.#live(context), context.budget);
  }

  *#live(context: RequestContext): Work<LiveStart> {
    try {
      return context instanceof ActiveRequest ? yield* this.#startLive(context) : this.#refuseWithoutSchema(context.request);
    } catch (thrown) {
      return this.#refusedLive(thrown, context);
    }
  }

  #refusedLive(thrown: unknown, context: RequestContext): LiveStart {
    const errors = errorsOf(thrown, context);
    this.#observe("subscription", context, outcomeOf(thrown, context));
    return { kind: "refused", errors };
  }

  *#startLive(context: ActiveRequest): Work<LiveStart> {
    const prepared = yield* this.#prepare(context, this.#stages(context));
    // Each run of it has a budget of its own.
    context.budget.close();
    const { operation, variables } = prepared;
    // A query or mutation is executed, and counts then.
    if (operation.plan.kind !== "subscription") context.visit?.undo();
    else context.visit?.reserve(estimateCost(operation.plan, variables));
    context.visit?.leave();
    return operation.plan.kind === "subscription" ? yield* this.#startPrepared(context, prepared) : { kind: "other" };
  }

  *#startPrepared(context: ActiveRequest, prepared: PreparedRequest): Work<LiveStart> {
    const { schema, visit } = context;
    const { operation, variables } = prepared;
    const request = requestToKeep(context.request, prepared);
    assertWatchable(operation.plan);
    const unavailable = this.#options.unavailable?.();
    if (unavailable !== undefined) throw unavailable;
    const { view, refused } = yield* wait(identifyCaller(schema, context.view));
    if (refused) throw refused;
    const { unauthorized } = yield* wait(callerPermissions(schema, view));
    if (unauthorized) throw refusedLive(unauthorized);
    yield* wait(context.request.admitted?.());
    const kept = view.kept();
    const runs: KeptOfRuns = { binding: undefined };
    const live: PreparedSubscription = {
      document: request.query,
      operationName: request.operationName ?? undefined,
      name: operation.definition.name?.value,
      variables,
      schema: schema.deployment,
      caller: kept,
      readsAnyHeader: this.#options.plugins.length > 0,
      run: (each) => this.#runLive({ schema, request }, { ...prepared, runs }, each),
      request,
      view: kept,
      subscribe: visit && (() => this.#subscribe(visit, context)),
    };
    return { kind: "live", operation: live };
  }

  #subscribe(visit: Visit, context: ActiveRequest): Subscribed {
    try {
      return { leave: visit.subscribe() };
    } catch (thrown) {
      const errors = errorsOf(thrown, context);
      this.#observe("subscription", context, outcomeOf(thrown, context));
      return { errors };
    }
  }

  /** Runs the operation of a subscription; each run is a request of its own. */
  #runLive({ schema, request }: Pick<ActiveRequest, "schema" | "request">, prepared: PreparedLive, live: LiveRun): MaybePromise<LiveResult> {
    const context = new ActiveRequest(schema, request, this.#options);
    return run(this.#liveResult(context, prepared, live), context.budget);
  }

  *#liveResult(context: ActiveRequest, prepared: PreparedLive, live: LiveRun): Work<LiveResult> {
    const { errors, data: json, extensions } = yield* this.#liveParts(context, prepared, live);
    this.#observe("subscription", context);
    const data = json === undefined ? undefined : String(json);
    const body: LiveResult["body"] = (more) => writeEnvelope({ errors, data, extensions: { ...extensions, ...more } });
    return { errors, data, body, faulted: context.faulted, trouble: context.trouble };
  }

  *#liveParts(context: ActiveRequest, prepared: PreparedLive, { caller, record, after }: LiveRun): Work<ResultParts> {
    try {
      const view = new RunningRequest(caller.headers, caller.facts, { patience: context.budget });
      // Asked anew for each run: the permissions may have changed since the last one.
      const permitted = yield* wait(callerPermissions(context.schema, view));
      context.running = this.#runningOperation(context, prepared, { request: view, ...permitted, recordReads: record, runs: prepared.runs, after });
      return partsOf(yield* wait(runStages(this.#stages(context), context)), context);
    } catch (thrown) {
      return { errors: errorsOf(thrown, context), data: undefined, extensions: {} };
    }
  }

  /** Mutations wait for one writer: a longer queue would only make the wait longer. */
  *#counted(work: Work<GraphQLAnswer>): Work<GraphQLAnswer> {
    const { maxQueuedWrites } = this.#options.limits;
    if (this.#mutations >= maxQueuedWrites) {
      throw new QuernError(
        "OVERLOADED",
        `As many mutations as may (${maxQueuedWrites}, limits.maxQueuedWrites) wait for the writer. Try again in a moment.`,
      );
    }
    this.#mutations++;
    try {
      return yield* work;
    } finally {
      this.#mutations--;
    }
  }

  #ended(answer: GraphQLAnswer, context: RequestContext, outcome?: Outcome): GraphQLAnswer {
    this.#observe(answer.kind, context, outcome);
    return answer;
  }

  /** Reports the ended operation to telemetry. */
  #observe(kind: GraphQLAnswer["kind"], context: RequestContext, outcome?: Outcome): void {
    const { telemetry } = this.#options;
    const { request, budget, running } = context;
    budget.close();
    context.visit?.leave(budget.touched);
    const durationMs = performance.now() - budget.begun;
    const ended = { kind: running?.operation.plan.kind ?? kind, outcome: outcome ?? context.outcome ?? "refused", durationMs };
    if (!telemetry.isObserved(durationMs)) return;
    telemetry.operation(
      {
        request: context.view,
        ...ended,
        code: ended.outcome === "ok" ? undefined : codeOf(context, ended),
        touched: budget.touched,
        name: running?.operation.definition.name?.value,
        text: request.query,
        plan: () => running && printPlan(running.operation.plan, { ...printFacts(running), masked: true }),
        prepared: running?.operation,
        caller: () => context.callerName || undefined,
        steps: context.steps?.steps(budget.begun),
      },
      request.exchange,
    );
  }

  #withoutSchema(request: GraphQLRequest, begun: number | undefined): GraphQLAnswer {
    try {
      return this.#refuseWithoutSchema(request);
    } catch (thrown) {
      return this.#refused(thrown, new RequestContext(request, this.#options, begun));
    }
  }

  #refuseWithoutSchema({ query, operationName }: GraphQLRequest): never {
    const closed = this.#options.closed?.();
    if (closed) throw closed;
    const document = parsed(query, (text) => parseDocument(text, this.#options.limits));
    throw new RequestRefusal(noSchemaErrors(document, chooseOperation(document, operationName), this.#options), "NO_SCHEMA");
  }

  #refused(thrown: unknown, context: RequestContext): GraphQLAnswer {
    if (thrown instanceof ShareTaken) return this.#ended(shareTakenOf(errorsOf(thrown, context), thrown), context, outcomeOf(thrown, context));
    const errors = errorsOf(thrown, context);
    return this.#ended(
      mayRunLater(thrown) ? laterOf(errors) : refusalOf(errors, { tracing: context.trace?.json() }),
      context,
      outcomeOf(thrown, context),
    );
  }
}

/** Counts the request for its caller. @throws ShareTaken */
function* enter(context: ActiveRequest, callers: CallerShares): Work<void> {
  const name = yield* wait(callerNameOf(context));
  if (name !== undefined) context.visit = callers.enter(name);
}

/** The code of the first error; the outcome where it has none, as errors of `graphql` do. */
function codeOf({ running, trouble }: RequestContext, { outcome }: { readonly outcome: Outcome }): string {
  const cause = running?.refused ?? running?.unauthorized ?? trouble;
  return cause instanceof QuernError || cause instanceof PluginTimeout ? cause.code : outcome;
}

interface PreparedLive extends PreparedRequest {
  readonly runs: KeptOfRuns;
}

/** What differs from run to run of one prepared request. */
type RunConditions = Pick<
  RunningOperation,
  "request" | "refused" | "permissions" | "unauthorized" | "unavailable" | "recordReads" | "runs" | "after" | "sentQueries" | "chosenWays"
>;

function refusedLive(cause: QuernError): QuernError {
  return new QuernError(cause.code, cause.message, { cause, compatible: readFailure(cause.compatible ?? cause.message) });
}

const readOnlyPage = { code: "REQUEST_REFUSED", message: readOnlyPageText } as const;

/** The `admit` hooks may refuse a request before its document is read. */
function admit({ schema, view }: ActiveRequest): void {
  for (const { hooks } of schema.deployment.hooks) hooks.admit?.(view.headers, view);
}

/** A live query keeps its request to plan it again under another schema, and does not count again then. Equal requests share the text of the document. */
function requestToKeep({ onGone, exchange, admitted, caller, ...kept }: GraphQLRequest, { document }: PreparedRequest): GraphQLRequest {
  return { ...kept, query: document.loc?.source.body ?? kept.query };
}
