// The way of one GraphQL request: parse, validate, choose, coerce, ask who asks, run, write. `@envelop/core` carries it, so that
// its plugins work on every transport.

import { type Plugin as EnvelopPlugin, envelop } from "@envelop/core";
import { type DocumentNode, type ExecutionArgs, GraphQLError, type GraphQLSchema, type OperationDefinitionNode, type ValidationRule } from "graphql";
import type { Limits } from "../config/limits.ts";
import type { Outcome } from "../contracts/metrics.ts";
import type { Hooks } from "../contracts/plugin.ts";
import type { Storage } from "../contracts/storage.ts";
import type { Json, MaybePromise } from "../contracts/values.ts";
import type { Deployment } from "../deploy/deployment.ts";
import { QuernError } from "../errors.ts";
import type { Execution, ResponseError } from "../execution.ts";
import { writeJson } from "../json/write-json.ts";
import { allOf, andThen, isPromise, rescued } from "../maybe-promise.ts";
import type { Log } from "../observe/log.ts";
import type { Watch } from "../observe/watch.ts";
import type { OperationPlan } from "../plan/plan.ts";
import { type PrintFacts, printPlan } from "../plan/print.ts";
import { RequestBudget } from "./budget.ts";
import { checkCascadeVariables } from "./cascade-variables.ts";
import { chooseOperation, isEmptyDocument, unknownOperation } from "./choose-operation.ts";
import { coerceVariables } from "./coerce-variables.ts";
import { Documents } from "./documents.ts";
import { writeEnvelope } from "./envelope.ts";
import { type ErrorView, toResponseError } from "./faults.ts";
import { assertWatchable, type LiveResult, type LiveRun, type LiveStart } from "./live-operation.ts";
import { noSchemaErrors, subscriptionText } from "./no-schema.ts";
import type { PreparedOperation } from "./operation.ts";
import { assertInputWithinLimits } from "./operation-limits.ts";
import { parseDocument } from "./parse-document.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./request.ts";
import { RunningRequest } from "./request-view.ts";
import { OperationResult, runOperation } from "./run-operation.ts";
import { isStackOverflow } from "./too-deep.ts";
import { unseenText, visibleResult } from "./visible-result.ts";

export interface PipelineOptions {
  readonly storage: Storage;
  readonly limits: Limits;
  /** Development: errors carry hints. */
  readonly debug: boolean;
  readonly log: Log;
  readonly watch: Watch;
  readonly plugins: readonly EnvelopPlugin[];
  /** Why requests are not answered at the moment; undefined: they are. */
  readonly unavailable?: () => string | undefined;
}

/** A deployment with the documents known under it. */
export interface Served {
  readonly deployment: Deployment;
  readonly documents: Documents;
  /** The plugins' hooks that say who asks. */
  readonly askers: readonly NonNullable<Hooks["request"]>[];
}

/** A request as it came, and what it comes to. What is logged of its errors carries its id. */
class Asked implements ErrorView {
  readonly request: GraphQLRequest;
  readonly budget: RequestBudget;
  /** Before anything is known of who asks. */
  readonly view: RunningRequest;
  readonly debug: boolean;
  faulted = false;
  readonly #log: Log;
  outcome: Outcome | undefined = undefined;
  execution: Execution | undefined = undefined;
  operation: PreparedOperation | undefined = undefined;
  /** The first thing that was thrown. */
  trouble: unknown = undefined;

  constructor(request: GraphQLRequest, { limits, log, debug }: PipelineOptions, begun?: number) {
    this.request = request;
    this.budget = new RequestBudget(limits.maxTimeMs, limits.maxTouchedNodes, request.onGone, begun);
    this.view = new RunningRequest(request.headers ?? noHeaders, noFacts);
    this.debug = debug;
    this.#log = log;
  }

  log(fault: unknown): void {
    this.faulted = true;
    this.#log.fault(fault, { requestID: this.view.id });
  }

  note(thrown: unknown): void {
    this.trouble ??= thrown;
  }

  logHidden(message: string): void {
    this.#log.info("hidden", `not shown to the caller: ${message}`, { requestID: this.view.id });
  }
}

/** What travels through envelop as the context: plugins may add to it. */
class Context extends Asked {
  readonly served: Served;

  constructor(served: Served, request: GraphQLRequest, options: PipelineOptions, begun?: number) {
    super(request, options, begun);
    this.served = served;
  }
}

/** What envelop wraps. */
interface Stages {
  readonly parse: (text: string) => DocumentNode;
  /** Undefined: valid. */
  readonly validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[] | undefined;
  readonly contextFactory: () => MaybePromise<unknown>;
  readonly execute: (args: ExecutionArgs) => MaybePromise<unknown>;
}

interface Prepared {
  readonly document: DocumentNode;
  readonly operation: PreparedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What stands in an answer. */
type ResultParts = Pick<LiveResult, "errors" | "data" | "extensions">;

/** A request that is refused as a whole. */
class Refusal {
  readonly errors: readonly ResponseError[];
  constructor(errors: readonly ResponseError[]) {
    this.errors = errors;
  }
}

export class Pipeline {
  readonly #options: PipelineOptions;
  #mutations = 0;
  readonly #enveloped: ((context: Context) => Stages) | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { plugins } = options;
    this.#enveloped = plugins.length === 0 ? undefined : (envelop({ plugins: [this.#engine(), ...plugins] }) as (context: Context) => Stages);
  }

  serve(deployment: Deployment): Served {
    const askers = deployment.hooks.flatMap(({ hooks: { request } }) => (request ? [request] : []));
    return { deployment, documents: new Documents(deployment.api, this.#options.limits), askers };
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
  answer(request: GraphQLRequest, served: Served | undefined, begun?: number): MaybePromise<GraphQLAnswer> {
    if (!served) return this.#withoutSchema(request, begun);
    const context = new Context(served, request, this.#options, begun);
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
    return this.#refused(thrown, new Asked(request, this.#options, begun));
  }

  #run(context: Context): MaybePromise<GraphQLAnswer> {
    const { served, request } = context;
    for (const { hooks } of served.deployment.hooks) hooks.admit?.(context.view.headers);
    const stages = this.#stages(context);
    const prepared = this.#prepare(context, stages);
    const isMutation = prepared.operation.definition.operation === "mutation";
    if (request.queriesOnly && isMutation) return mutationRefused;
    return isMutation ? this.#counted(() => this.#admitted(context, prepared, stages)) : this.#admitted(context, prepared, stages);
  }

  #admitted(context: Context, prepared: Prepared, stages: Stages): MaybePromise<GraphQLAnswer> {
    return andThen(whoAsks(context.served, context.view), ({ view, refused }) => {
      const { storage, log, watch, limits } = this.#options;
      const { variables } = prepared;
      const { deployment } = context.served;
      const base = {
        deployment,
        storage,
        request: view,
        budget: context.budget,
        variables,
        commits: watch.commits,
        log,
        maxChanges: limits.maxChanges,
      };
      const unavailable = this.#options.unavailable?.();
      context.execution =
        refused || unavailable !== undefined ? { ...base, ...(refused && { refused }), ...(unavailable !== undefined && { unavailable }) } : base;
      if (this.#options.debug && context.request.plan) context.execution = { ...context.execution, sent: [] };
      context.operation = prepared.operation;
      return andThen(this.#ran(context, prepared.document, stages), (result) => this.#written(result, context));
    });
  }

  /** A subscription up to where it would run; from there it can run again and again. Never rejects. */
  live(request: GraphQLRequest, served: Served | undefined): MaybePromise<LiveStart> {
    const asked = served ? new Context(served, request, this.#options) : new Asked(request, this.#options);
    return rescued<LiveStart>(
      () => (asked instanceof Context ? this.#startLive(asked) : this.#refuseWithoutSchema(request)),
      (thrown) => {
        const errors = this.#errorsOf(thrown, asked);
        this.#told("subscription", asked, this.#outcomeOf(thrown, asked));
        return { kind: "refused", errors };
      },
    );
  }

  #startLive(context: Context): MaybePromise<LiveStart> {
    const { served, request } = context;
    const { deployment } = served;
    for (const { hooks } of deployment.hooks) hooks.admit?.(context.view.headers);
    const prepared = this.#prepare(context, this.#stages(context));
    const { operation, variables, document } = prepared;
    if (operation.plan.kind !== "subscription") return { kind: "other" };
    // What is kept for as long as the subscription lasts: the document's own text, not this request's copy of it.
    const asked = { served, request: { ...request, query: document.loc?.source.body ?? request.query } };
    assertWatchable(operation.plan);
    const unavailable = this.#options.unavailable?.();
    if (unavailable !== undefined) throw new QuernError("REQUEST_REFUSED", unavailable);
    return andThen(whoAsks(served, context.view), ({ view, refused }): LiveStart => {
      if (refused) throw refused;
      const isPlain = this.#enveloped === undefined;
      return { kind: "live", operation: { deployment, isPlain, view, variables, run: (run) => this.#runLive(asked, prepared, run) } };
    });
  }

  /** Once more; each run is a request of its own. */
  #runLive(
    { served, request }: Pick<Context, "served" | "request">,
    prepared: Prepared,
    { view, watched, after }: LiveRun,
  ): MaybePromise<LiveResult> {
    const { onGone, exchange, ...own } = request;
    const context = new Context(served, own, this.#options);
    const { storage, log, watch } = this.#options;
    const { deployment } = served;
    const base = { deployment, storage, request: view, budget: context.budget, variables: prepared.variables, commits: watch.commits, log };
    context.execution = { ...base, watched, ...(after !== undefined && { after }) };
    context.operation = prepared.operation;
    const ran = rescued<ResultParts>(
      () => andThen(this.#ran(context, prepared.document, this.#stages(context)), (result) => this.#resultOf(result, context)),
      (thrown) => ({ errors: this.#errorsOf(thrown, context), data: undefined, extensions: nothing }),
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
  #ended(answer: GraphQLAnswer, context: Asked, outcome?: Outcome): GraphQLAnswer {
    this.#told(answer.kind, context, outcome);
    return answer;
  }

  #told(kind: GraphQLAnswer["kind"], context: Asked, outcome?: Outcome): void {
    const { watch } = this.#options;
    const { request, budget, operation, execution } = context;
    const durationMs = performance.now() - budget.begun;
    if (!watch.concerns(durationMs)) return;
    watch.operation(
      {
        request: context.view,
        kind: operation?.plan.kind ?? kind,
        outcome: outcome ?? context.outcome ?? "refused",
        durationMs,
        touched: budget.touched,
        name: operation?.definition.name?.value,
        text: request.query,
        plan: () => operation && execution && printPlan(operation.plan, { ...factsOf(execution), masked: true }),
      },
      request.exchange,
    );
  }

  /** Everything that is known of a request before it is asked who sends it. Throws a Refusal. */
  #prepare({ request, served, budget }: Context, stages: Stages): Prepared {
    const { api } = served.deployment;
    const document = parsed(request.query, (text) => stages.parse(text));
    const isLong = request.query.length > longDocument;
    if (isLong) budget.spend(0);
    const definition = this.#chosen(document, served, request, () => stages.validate(api.schema, document));
    const operation = served.documents.operation(document, definition);
    const coerced = coerceVariables(api.schema, operation.variables, request.variables ?? {});
    if ("errors" in coerced) throw new Refusal(coerced.errors.map(fromGraphQL));
    const unknown = checkCascadeVariables(operation.cascadeVariables, coerced.values);
    if (unknown.length > 0) throw new Refusal(unknown.map(fromGraphQL));
    if (operation.plan.kind === "mutation") assertInputWithinLimits(coerced.values, this.#options.limits);
    if (isLong || operation.plan.kind === "mutation") budget.spend(0);
    return { document, operation, variables: coerced.values };
  }

  #ran(context: Context, document: DocumentNode, stages: Stages): MaybePromise<unknown> {
    const { served, request, operation } = context;
    const args = (contextValue: unknown): ExecutionArgs => ({
      schema: served.deployment.api.schema,
      document,
      contextValue,
      variableValues: request.variables ?? {},
      operationName: operation?.definition.name?.value,
    });
    return andThen(stages.contextFactory(), (contextValue) => stages.execute(args(contextValue)));
  }

  /** The stages that envelop plugins may wrap; where there are none, the plain ones: a small query then takes 14 microseconds, with them 22. */
  #stages(context: Context): Stages {
    if (this.#enveloped) return this.#enveloped(context);
    const { documents } = context.served;
    return {
      parse: (text) => documents.parse(text),
      validate: (_schema, document) => documents.validate(document),
      contextFactory: () => context,
      execute: () => this.#execute(context, context.operation),
    };
  }

  /** The operation to run, of a valid document. */
  #chosen(
    document: DocumentNode,
    served: Served,
    request: GraphQLRequest,
    validate: () => readonly GraphQLError[] | undefined,
  ): OperationDefinitionNode {
    const subscribes = document.definitions.some((each) => each.kind === "OperationDefinition" && each.operation === "subscription");
    if (subscribes && !served.deployment.api.schema.getSubscriptionType()) throw new Refusal([{ message: subscriptionText }]);
    const invalid = validate() ?? [];
    if (invalid.length > 0) throw new Refusal(invalid.map(fromGraphQL));
    return chooseOperation(document, request.operationName);
  }

  #written(result: unknown, context: Context): GraphQLAnswer {
    const parts = this.#resultOf(result, context);
    return {
      body: writeEnvelope(parts),
      touched: context.budget.touched,
      maxAgeSeconds: context.operation?.plan.maxAgeSeconds,
      requestErrors: parts.data === undefined,
      kind: context.operation?.plan.kind,
    };
  }

  #resultOf(result: unknown, context: Context): ResultParts {
    const { execution, operation } = context;
    if (!execution || !operation) throw new QuernError("INTERNAL", "An operation was executed before it was prepared.");
    const own = result instanceof OperationResult;
    const foreign = (own ? nothing : result) as { data?: unknown; errors?: readonly unknown[]; extensions?: Readonly<Record<string, unknown>> };
    const text = own ? result.text : unseenText(foreign);
    const errors = own ? (result.errors ?? noErrors) : (foreign.errors ?? noErrors).map(fromForeign);
    context.outcome = errors.length === 0 ? "ok" : context.faulted ? "fault" : (context.budget.ended ?? "failed");
    return {
      errors,
      data: text ?? (foreign.data === undefined ? undefined : writeJson(foreign.data)),
      extensions: this.#extensions(context, execution, { operation, foreign: foreign.extensions }),
    };
  }

  /** Member by member: spreads would take a microsecond here. */
  #extensions(
    context: Context,
    execution: Execution,
    { operation, foreign }: { readonly operation: PreparedOperation; readonly foreign: Readonly<Record<string, unknown>> | undefined },
  ): Readonly<Record<string, unknown>> {
    const extensions: Record<string, unknown> = foreign === undefined ? {} : { ...foreign };
    const { touched } = execution.budget;
    if (touched > 0) extensions.touched_uids = touched;
    if (operation.plan.kind === "mutation") extensions.requestID = execution.request.id;
    if (this.#options.debug && context.request.plan) extensions.plan = printed(operation.plan, execution);
    return extensions;
  }

  #withoutSchema(request: GraphQLRequest, begun: number | undefined): GraphQLAnswer {
    try {
      return this.#refuseWithoutSchema(request);
    } catch (thrown) {
      return this.#refused(thrown, new Asked(request, this.#options, begun));
    }
  }

  #refuseWithoutSchema({ query, operationName }: GraphQLRequest): never {
    const document = parsed(query, (text) => parseDocument(text, this.#options.limits));
    throw new Refusal(noSchemaErrors(document, chooseOperation(document, operationName)));
  }

  #refused(thrown: unknown, asked: Asked): GraphQLAnswer {
    const overloaded = thrown instanceof QuernError && thrown.code === "OVERLOADED";
    const errors = this.#errorsOf(thrown, asked);
    const answer: GraphQLAnswer = {
      body: writeEnvelope({ errors, data: undefined, extensions: undefined }),
      touched: 0,
      maxAgeSeconds: undefined,
      requestErrors: true,
      kind: undefined,
      ...(overloaded && { retryAfterSeconds }),
    };
    return this.#ended(answer, asked, this.#outcomeOf(thrown, asked));
  }

  #errorsOf(thrown: unknown, asked: Asked): readonly ResponseError[] {
    return thrown instanceof Refusal ? thrown.errors : [toResponseError(thrown, asked)];
  }

  #outcomeOf(thrown: unknown, asked: Asked): Outcome {
    return asked.faulted ? "fault" : outcomeOf(thrown);
  }

  /** Our own document cache, rules and executor in the places of `graphql`'s. */
  #engine(): EnvelopPlugin<Context> {
    return {
      onEnveloped: ({ context, setSchema }) => setSchema(context?.served.deployment.api.schema),
      onParse: ({ context, setParseFn }) => setParseFn((text: string) => context.served.documents.parse(text)),
      onValidate: ({ context, setValidationFn }) =>
        setValidationFn((_schema: unknown, document: DocumentNode, added?: readonly ValidationRule[]) =>
          context.served.documents.validate(document, added),
        ),
      onExecute: ({ setExecuteFn }) =>
        setExecuteFn(({ contextValue, document, operationName }) => {
          const context = contextValue as Context;
          // Plugins may have added fields to the document.
          const operation = context.served.documents.operation(document, chooseOperation(document, operationName));
          return andThen(this.#execute(context, operation), visibleResult);
        }),
    };
  }

  #execute(context: Context, operation: PreparedOperation | undefined): MaybePromise<OperationResult> {
    const { execution } = context;
    if (!execution || !operation) throw new QuernError("INTERNAL", "An operation was executed before it was prepared.");
    return runOperation({ execution, operation, errors: context });
  }
}

const noHeaders = Object.freeze({});
const noFacts = Object.freeze({});
const nothing = Object.freeze({});
const noErrors: readonly never[] = Object.freeze([]);

/** Shorter ones are parsed, checked and planned in no time. */
const longDocument = 10_000;

/** Long enough for a burst to pass, short enough not to be noticed. */
const retryAfterSeconds = 1;

function outcomeOf(thrown: unknown): Outcome {
  if (isStackOverflow(thrown)) return "limit";
  switch (thrown instanceof QuernError ? thrown.code : undefined) {
    case "LIMIT_REACHED":
      return "limit";
    case "CANCELLED":
      return "cancelled";
    case "OVERLOADED":
      return "overloaded";
    default:
      return "refused";
  }
}

const mutationRefused: GraphQLAnswer = {
  body: writeEnvelope({ errors: [{ message: "Only queries are allowed here." }], data: undefined, extensions: undefined }),
  touched: 0,
  maxAgeSeconds: undefined,
  requestErrors: true,
  kind: "mutation",
};

/** The request with what the plugins know of who asks, or why one of them would not say. */
interface Asker {
  readonly view: RunningRequest;
  readonly refused?: QuernError;
}

function whoAsks({ askers }: Served, view: RunningRequest): MaybePromise<Asker> {
  if (askers.length === 0) return { view };
  const known = (all: readonly Readonly<Record<string, Json>>[]): Asker => ({
    view: new RunningRequest(view.headers, Object.assign({}, ...all), view),
  });
  return rescued(
    () => andThen(allOf(askers.map((ask) => ask(view))), known),
    (thrown) => {
      if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { view, refused: thrown };
      throw thrown;
    },
  );
}

function printed(plan: OperationPlan, execution: Execution): readonly string[] {
  const lines = printPlan(plan, factsOf(execution)).split("\n");
  const { sent = [], storage } = execution;
  return sent.length === 0 ? lines : [...lines, `sent to ${storage.name}:`, ...sent.map((query) => `  ${query}`)];
}

function factsOf({ deployment: { api, hooks }, variables }: Execution): PrintFacts {
  return { api, hooks, variables };
}

function parsed(text: string, parse: (text: string) => DocumentNode): DocumentNode {
  if (isEmptyDocument(text)) throw unknownOperation("");
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof GraphQLError) throw new Refusal([fromGraphQL(thrown)]);
    throw thrown;
  }
}

function fromGraphQL(error: GraphQLError): ResponseError {
  return { message: error.message, ...(error.locations ? { locations: error.locations.map(({ line, column }) => ({ line, column })) } : {}) };
}

function fromForeign(error: unknown): ResponseError {
  return error instanceof GraphQLError ? ({ ...error.toJSON() } as ResponseError) : (error as ResponseError);
}
