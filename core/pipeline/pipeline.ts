// The way of one GraphQL request: parse, validate, choose, coerce, ask who asks, run, write. `@envelop/core` carries it, so that
// its plugins work on every transport.

import { type Plugin as EnvelopPlugin, envelop } from "@envelop/core";
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  type ValidationRule,
} from "graphql";
import type { Limits } from "../config/limits.ts";
import type { RequestView } from "../contracts/plugin.ts";
import type { Storage } from "../contracts/storage.ts";
import type { Json, MaybePromise } from "../contracts/values.ts";
import type { Deployment } from "../deploy/deployment.ts";
import { QuernError } from "../errors.ts";
import type { Execution, ResponseError } from "../execution.ts";
import { writeJson } from "../json/write-json.ts";
import { allOf, andThen, isPromise, rescued } from "../maybe-promise.ts";
import type { OperationPlan } from "../plan/plan.ts";
import { printPlan } from "../plan/print.ts";
import { RequestBudget } from "./budget.ts";
import { checkCascadeVariables } from "./cascade-variables.ts";
import { chooseOperation, isEmptyDocument, unknownOperation } from "./choose-operation.ts";
import { coerceVariables } from "./coerce-variables.ts";
import { Documents } from "./documents.ts";
import { writeEnvelope } from "./envelope.ts";
import { type ErrorView, toResponseError } from "./faults.ts";
import { noSchemaErrors, subscriptionText } from "./no-schema.ts";
import type { PreparedOperation } from "./operation.ts";
import { assertInputWithinLimits } from "./operation-limits.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./request.ts";
import { RunningRequest } from "./request-view.ts";
import { OperationResult, runOperation } from "./run-operation.ts";

export interface PipelineOptions {
  readonly storage: Storage;
  readonly limits: Limits;
  readonly errors: ErrorView;
  readonly plugins: readonly EnvelopPlugin[];
  /** Why requests are not answered at the moment; undefined: they are. */
  readonly unavailable?: () => string | undefined;
}

/** A deployment with the documents known under it. */
export interface Served {
  readonly deployment: Deployment;
  readonly documents: Documents;
}

/** What travels through envelop as the context: plugins may add to it. */
interface Context {
  readonly served: Served;
  readonly request: GraphQLRequest;
  execution?: Execution;
  operation?: PreparedOperation;
}

/** What envelop wraps. */
interface Stages {
  readonly parse: (text: string) => DocumentNode;
  /** Undefined: valid. */
  readonly validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[] | undefined;
  readonly contextFactory: () => MaybePromise<unknown>;
  readonly execute: (args: ExecutionArgs) => MaybePromise<unknown>;
}

/** A request that is refused as a whole. */
class Refusal {
  readonly errors: readonly ResponseError[];
  constructor(errors: readonly ResponseError[]) {
    this.errors = errors;
  }
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #enveloped: ((context: Context) => Stages) | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { plugins } = options;
    this.#enveloped = plugins.length === 0 ? undefined : (envelop({ plugins: [this.#engine(), ...plugins] }) as (context: Context) => Stages);
  }

  serve(deployment: Deployment): Served {
    return { deployment, documents: new Documents(deployment.api, this.#options.limits) };
  }

  /** Never rejects: what goes wrong is in the answer. */
  answer(request: GraphQLRequest, served: Served | undefined): MaybePromise<GraphQLAnswer> {
    const budget = new RequestBudget(this.#options.limits.maxTimeMs, this.#options.limits.maxTouchedNodes, request.onGone);
    try {
      const answer = served ? this.#run(request, served, budget) : this.#withoutSchema(request);
      return isPromise(answer)
        ? answer.then(
            (value) => value,
            (thrown) => this.#refused(thrown),
          )
        : answer;
    } catch (thrown) {
      return this.#refused(thrown);
    }
  }

  #run(request: GraphQLRequest, served: Served, budget: RequestBudget): MaybePromise<GraphQLAnswer> {
    const context: Context = { served, request };
    for (const { hooks } of served.deployment.hooks) hooks.admit?.(request.headers ?? {});
    const stages = this.#stages(context);
    const prepared = this.#prepare(request, served, stages);
    if (request.queriesOnly && prepared.operation.definition.operation === "mutation") return mutationRefused;
    return andThen(whoAsks(served, request), ({ facts, refused }) => {
      const view: RequestView = new RunningRequest(request.headers ?? {}, facts);
      const base = { deployment: served.deployment, storage: this.#options.storage, request: view, budget, variables: prepared.variables };
      const unavailable = this.#options.unavailable?.();
      context.execution =
        refused || unavailable !== undefined ? { ...base, ...(refused && { refused }), ...(unavailable !== undefined && { unavailable }) } : base;
      context.operation = prepared.operation;
      return this.#ran(context, prepared.document, stages);
    });
  }

  /** Everything that is known of a request before it is asked who sends it. Throws a Refusal. */
  #prepare(request: GraphQLRequest, served: Served, stages: Stages) {
    const { api } = served.deployment;
    const document = parsed(request.query, (text) => stages.parse(text));
    const definition = this.#chosen(document, served, request, () => stages.validate(api.schema, document));
    const operation = served.documents.operation(document, definition);
    const coerced = coerceVariables(api.schema, operation.variables, request.variables ?? {});
    if ("errors" in coerced) throw new Refusal(coerced.errors.map(fromGraphQL));
    const unknown = checkCascadeVariables(operation.cascadeVariables, coerced.values);
    if (unknown.length > 0) throw new Refusal(unknown.map(fromGraphQL));
    if (operation.plan.kind === "mutation") assertInputWithinLimits(coerced.values, this.#options.limits);
    return { document, operation, variables: coerced.values };
  }

  #ran(context: Context, document: DocumentNode, stages: Stages): MaybePromise<GraphQLAnswer> {
    const { served, request, operation } = context;
    const args = (contextValue: unknown): ExecutionArgs => ({
      schema: served.deployment.api.schema,
      document,
      contextValue,
      variableValues: request.variables ?? {},
      operationName: operation?.definition.name?.value,
    });
    const result = andThen(stages.contextFactory(), (contextValue) => stages.execute(args(contextValue)));
    return andThen(result, (value) => this.#written(value, context));
  }

  /** The stages that envelop plugins may wrap; where there are none, the plain ones: a small query then takes 14 microseconds, with them 22. */
  #stages(context: Context): Stages {
    if (this.#enveloped) return this.#enveloped(context);
    const { documents } = context.served;
    return {
      parse: (text) => documents.parse(text),
      validate: (_schema, document) => documents.validate(document),
      contextFactory: () => context,
      execute: () => this.#execute(context),
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
    const { execution, operation } = context;
    if (!execution || !operation) throw new QuernError("INTERNAL", "An operation was executed before it was prepared.");
    const { kind, maxAgeSeconds } = operation.plan;
    const { touched } = execution.budget;
    const own = result instanceof OperationResult;
    const foreign = (own ? {} : result) as { data?: unknown; errors?: readonly unknown[]; extensions?: Readonly<Record<string, unknown>> };
    const body = writeEnvelope({
      errors: own ? (result.errors ?? []) : (foreign.errors ?? []).map(fromForeign),
      data: own ? result.text : foreign.data === undefined ? undefined : writeJson(foreign.data),
      extensions: { ...foreign.extensions, ...this.#extensions(context, execution, operation) },
    });
    return { body, touched, maxAgeSeconds, requestErrors: !own && foreign.data === undefined, kind };
  }

  #extensions(context: Context, execution: Execution, operation: PreparedOperation): Readonly<Record<string, unknown>> {
    const { touched } = execution.budget;
    return {
      ...(touched > 0 ? { touched_uids: touched } : {}),
      ...(operation.plan.kind === "mutation" ? { requestID: execution.request.id } : {}),
      ...(this.#options.errors.debug && context.request.plan ? { plan: printed(operation.plan, execution) } : {}),
    };
  }

  #withoutSchema(request: GraphQLRequest): GraphQLAnswer {
    const document = parsed(request.query, (text) => parse(text, { maxTokens: this.#options.limits.maxDocumentTokens }));
    throw new Refusal(noSchemaErrors(document, chooseOperation(document, request.operationName)));
  }

  #refused(thrown: unknown): GraphQLAnswer {
    const errors = thrown instanceof Refusal ? thrown.errors : [toResponseError(thrown, this.#options.errors)];
    return {
      body: writeEnvelope({ errors, data: undefined, extensions: undefined }),
      touched: 0,
      maxAgeSeconds: undefined,
      requestErrors: true,
      kind: undefined,
    };
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
      onExecute: ({ setExecuteFn }) => setExecuteFn(({ contextValue }) => this.#execute(contextValue as Context)),
    };
  }

  #execute({ execution, operation }: Context): MaybePromise<OperationResult> {
    if (!execution || !operation) throw new QuernError("INTERNAL", "An operation was executed before it was prepared.");
    return runOperation({ execution, operation, errors: this.#options.errors });
  }
}

const mutationRefused: GraphQLAnswer = {
  body: writeEnvelope({ errors: [{ message: "Only queries are allowed here." }], data: undefined, extensions: undefined }),
  touched: 0,
  maxAgeSeconds: undefined,
  requestErrors: true,
  kind: "mutation",
};

/** What the plugins know of who asks, or why one of them would not say. */
interface Asker {
  readonly facts: Readonly<Record<string, Json>>;
  readonly refused?: QuernError;
}

const nobody: Asker = Object.freeze({ facts: Object.freeze({}) });

function whoAsks(served: Served, request: GraphQLRequest): MaybePromise<Asker> {
  const hooks = served.deployment.hooks.flatMap(({ hooks: { request: hook } }) => (hook ? [hook] : []));
  if (hooks.length === 0) return nobody;
  const view = new RunningRequest(request.headers ?? {}, {});
  const ask = (): MaybePromise<Asker> => andThen(allOf(hooks.map((hook) => hook(view))), (all) => ({ facts: Object.assign({}, ...all) }));
  return rescued(ask, (thrown) => {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { facts: {}, refused: thrown };
    throw thrown;
  });
}

function printed(plan: OperationPlan, { deployment: { api, hooks }, variables }: Execution): readonly string[] {
  return printPlan(plan, { api, hooks, variables }).split("\n");
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
