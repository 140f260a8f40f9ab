// The way of one GraphQL request: parse, validate, choose, coerce, ask who asks, run, write. `@envelop/core` carries it, so that
// its plugins work on every transport.

import type { Plugin as EnvelopPlugin } from "@envelop/core";
import type { Outcome } from "../contracts/metrics.ts";
import type { RequestView } from "../contracts/plugin.ts";
import type { Storage } from "../contracts/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { andThen, isPromise, rescued } from "../ground/maybe-promise.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import type { Execution, ResponseError } from "../query/operation-context.ts";
import { printPlan } from "../query/plan/print.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { type ActiveSchema, serve } from "./active-schema.ts";
import { answerOf, laterOf, partsOf, printFacts, type ResultParts, refusalOf } from "./answer.ts";
import { chooseOperation } from "./choose-operation.ts";
import { toResponseError } from "./faults.ts";
import { assertWatchable, type LiveOperation, type LiveResult, type LiveRun, type LiveStart } from "./live-operation.ts";
import { noSchemaErrors } from "./no-schema.ts";
import { outcomeOf } from "./outcome-of.ts";
import { parseDocument } from "./parse-document.ts";
import { type Prepared, parsed, prepareRequest } from "./prepare-request.ts";
import { RequestRefusal, readOnlyPageText } from "./refusal.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./request.ts";
import { ActiveRequest, type ContextOptions, RequestContext } from "./request-context.ts";
import { nestedRuns } from "./run-nested.ts";
import { runStages, type Stages, stagesWith } from "./stages.ts";
import { whoAsks } from "./who-asks.ts";

export interface PipelineOptions extends ContextOptions {
  readonly storage: Storage;
  readonly telemetry: Telemetry;
  readonly plugins: readonly EnvelopPlugin[];
  /** Why requests are not answered at the moment; undefined: they are. */
  readonly unavailable?: () => string | undefined;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  #mutations = 0;
  readonly #stages: (context: ActiveRequest) => Stages;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#stages = stagesWith(options.plugins);
  }

  serve(deployment: Deployment): ActiveSchema {
    return serve(deployment, { limits: this.#options.limits, nested: (served) => nestedRuns(served, this.#options) });
  }

  /** Mutations that run now. */
  get mutations(): number {
    return this.#mutations;
  }

  /**
   * Never rejects: what goes wrong is in the answer.
   *
   * @param begun when the request came, in milliseconds of `performance.now()`, if it had to wait
   */
  answer(request: GraphQLRequest, served: ActiveSchema | undefined, begun?: number): MaybePromise<GraphQLAnswer> {
    if (!served) return this.#withoutSchema(request, begun);
    const context = new ActiveRequest(served, request, this.#options, begun);
    try {
      const answer = this.#run(context);
      if (!isPromise(answer)) return this.#ended(answer, context);
      return answer.then(
        (value) => this.#ended(value, context),
        (thrown) => this.#refused(thrown, context),
      );
    } catch (thrown) {
      return this.#refused(thrown, context);
    }
  }

  /** The answer to a request that was never let in: `thrown` says why. */
  turnAway(request: GraphQLRequest, thrown: unknown, begun: number): GraphQLAnswer {
    return this.#refused(thrown, new RequestContext(request, this.#options, begun));
  }

  #run(context: ActiveRequest): MaybePromise<GraphQLAnswer> {
    const { served, request } = context;
    for (const { hooks } of served.deployment.hooks) hooks.admit?.(context.view.headers);
    const stages = this.#stages(context);
    const prepared = prepareRequest(context, stages, this.#options.limits);
    const isMutation = prepared.operation.definition.operation === "mutation";
    if (request.queriesOnly && isMutation) return mutationRefused;
    return isMutation ? this.#counted(() => this.#admitted(context, prepared, stages)) : this.#admitted(context, prepared, stages);
  }

  #admitted(context: ActiveRequest, prepared: Prepared, stages: Stages): MaybePromise<GraphQLAnswer> {
    return andThen(whoAsks(context.served, context.view), ({ view, refused }) => {
      const base = this.#executionOf(context, prepared, view);
      const unavailable = this.#options.unavailable?.();
      context.execution =
        refused || unavailable !== undefined ? { ...base, ...(refused && { refused }), ...(unavailable !== undefined && { unavailable }) } : base;
      if (context.debug && context.request.plan) context.execution = { ...context.execution, sent: [] };
      context.operation = prepared.operation;
      const run = () => andThen(runStages(stages, prepared.document, context), (result) => answerOf(result, context));
      const { admitted } = context.request;
      return admitted === undefined || refused || unavailable !== undefined ? run() : andThen(admitted(), run);
    });
  }

  #executionOf({ served, budget }: ActiveRequest, { variables }: Prepared, request: RequestView): Execution {
    const { storage, telemetry, log, limits } = this.#options;
    const { deployment, nested } = served;
    return { deployment, nested, storage, request, budget, variables, commits: telemetry.commits, log, maxChanges: limits.maxChanges };
  }

  /** A subscription up to where it would run; from there it can run again and again. Never rejects. */
  live(request: GraphQLRequest, served: ActiveSchema | undefined): MaybePromise<LiveStart> {
    const asked = served ? new ActiveRequest(served, request, this.#options) : new RequestContext(request, this.#options);
    return rescued<LiveStart>(
      () => (asked instanceof ActiveRequest ? this.#startLive(asked) : this.#refuseWithoutSchema(request)),
      (thrown) => {
        const errors = errorsOf(thrown, asked);
        this.#told("subscription", asked, outcomeOf(thrown, asked));
        return { kind: "refused", errors };
      },
    );
  }

  #startLive(context: ActiveRequest): MaybePromise<LiveStart> {
    const { served, request } = context;
    const { deployment } = served;
    for (const { hooks } of deployment.hooks) hooks.admit?.(context.view.headers);
    const prepared = prepareRequest(context, this.#stages(context), this.#options.limits);
    const { operation, variables, document } = prepared;
    if (operation.plan.kind !== "subscription") return { kind: "other" };
    const { onGone, exchange, admitted, ...kept } = request;
    const asked = { served, request: { ...kept, query: document.loc?.source.body ?? request.query } };
    assertWatchable(operation.plan);
    const unavailable = this.#options.unavailable?.();
    if (unavailable !== undefined) throw new QuernError("REQUEST_REFUSED", unavailable);
    return andThen(whoAsks(served, context.view), ({ view, refused }): MaybePromise<LiveStart> => {
      if (refused) throw refused;
      const isPlain = this.#options.plugins.length === 0;
      const name = operation.definition.name?.value;
      const run = (each: LiveRun) => this.#runLive(asked, prepared, each);
      const live: LiveOperation = { name, deployment, isPlain, view, variables, request: asked.request, run };
      return andThen(admitted?.(), () => ({ kind: "live", operation: live }));
    });
  }

  /** Once more; each run is a request of its own. */
  #runLive(
    { served, request }: Pick<ActiveRequest, "served" | "request">,
    prepared: Prepared,
    { view, watched, after }: LiveRun,
  ): MaybePromise<LiveResult> {
    const context = new ActiveRequest(served, request, this.#options);
    context.execution = { ...this.#executionOf(context, prepared, view), watched, ...(after !== undefined && { after }) };
    context.operation = prepared.operation;
    const ran = rescued<ResultParts>(
      () => andThen(runStages(this.#stages(context), prepared.document, context), (result) => partsOf(result, context)),
      (thrown) => ({ errors: errorsOf(thrown, context), data: undefined, extensions: {} }),
    );
    return andThen(ran, (result) => {
      this.#told("subscription", context);
      return { ...result, faulted: context.faulted, trouble: context.trouble };
    });
  }

  /** Mutations wait for one writer: more than are let in would only make the wait longer. */
  async #counted(run: () => MaybePromise<GraphQLAnswer>): Promise<GraphQLAnswer> {
    const { maxQueuedWrites } = this.#options.limits;
    if (this.#mutations >= maxQueuedWrites) {
      throw new QuernError(
        "OVERLOADED",
        `As many mutations as may (${maxQueuedWrites}, limits.maxQueuedWrites) wait for the writer. Try again in a moment.`,
      );
    }
    this.#mutations++;
    try {
      return await run();
    } finally {
      this.#mutations--;
    }
  }

  /** Tells those who watch. */
  #ended(answer: GraphQLAnswer, context: RequestContext, outcome?: Outcome): GraphQLAnswer {
    this.#told(answer.kind, context, outcome);
    return answer;
  }

  #told(kind: GraphQLAnswer["kind"], context: RequestContext, outcome?: Outcome): void {
    const { telemetry } = this.#options;
    const { request, budget, operation, execution } = context;
    const durationMs = performance.now() - budget.begun;
    if (!telemetry.isObserved(durationMs)) return;
    telemetry.operation(
      {
        request: context.view,
        kind: operation?.plan.kind ?? kind,
        outcome: outcome ?? context.outcome ?? "refused",
        durationMs,
        touched: budget.touched,
        name: operation?.definition.name?.value,
        text: request.query,
        plan: () => operation && execution && printPlan(operation.plan, { ...printFacts(execution), masked: true }),
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
    const document = parsed(query, (text) => parseDocument(text, this.#options.limits));
    throw new RequestRefusal(noSchemaErrors(document, chooseOperation(document, operationName)));
  }

  #refused(thrown: unknown, asked: RequestContext): GraphQLAnswer {
    const isOverloaded = thrown instanceof QuernError && thrown.code === "OVERLOADED";
    const errors = errorsOf(thrown, asked);
    return this.#ended(isOverloaded ? laterOf(errors) : refusalOf(errors), asked, outcomeOf(thrown, asked));
  }
}

const mutationRefused = refusalOf([{ message: readOnlyPageText }], "mutation");

function errorsOf(thrown: unknown, asked: RequestContext): readonly ResponseError[] {
  return thrown instanceof RequestRefusal ? thrown.errors : [toResponseError(thrown, asked)];
}
