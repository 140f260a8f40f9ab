// One request on its way through the pipeline: as it came, and what is known of it so far.

import type { Outcome } from "../contracts/metrics.ts";
import type { Limits } from "../ground/limits.ts";
import type { OperationContext } from "../query/operation-context.ts";
import type { Log } from "../telemetry/log.ts";
import type { ActiveSchema } from "./active-schema.ts";
import { RequestBudget } from "./budget.ts";
import type { ErrorView } from "./faults.ts";
import type { PreparedOperation } from "./operation.ts";
import type { GraphQLRequest } from "./request.ts";
import { RunningRequest } from "./request-view.ts";

export interface ContextOptions {
  readonly limits: Limits;
  /** Development: errors carry hints. */
  readonly debug: boolean;
  /** False: a caller without the right to it learns no name of the schema. Default: true. */
  readonly introspection?: boolean;
  readonly log: Log;
}

/** A request as it came, and what it comes to. What is logged of its errors carries its id. */
export class RequestContext implements ErrorView {
  readonly request: GraphQLRequest;
  readonly budget: RequestBudget;
  /** Before anything is known of who asks. */
  readonly view: RunningRequest;
  readonly debug: boolean;
  /** `__schema` and `__type` are refused, and errors suggest no names. */
  readonly hidesSchema: boolean;
  faulted = false;
  readonly #log: Log;
  outcome: Outcome | undefined = undefined;
  operationContext: OperationContext | undefined = undefined;
  operation: PreparedOperation | undefined = undefined;
  /** The first thing that was thrown. */
  trouble: unknown = undefined;

  /** @param begun when the request came, in milliseconds of `performance.now()`, if it had to wait */
  constructor(request: GraphQLRequest, { limits, log, debug, introspection = true }: ContextOptions, begun?: number) {
    this.request = request;
    this.budget = new RequestBudget(limits.maxTimeMs, limits.maxTouchedNodes, request.onGone, begun);
    this.view = new RunningRequest(request.headers ?? noHeaders, noFacts);
    this.debug = debug;
    this.hidesSchema = !introspection && request.introspects !== true;
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
export class ActiveRequest extends RequestContext {
  readonly served: ActiveSchema;

  constructor(served: ActiveSchema, request: GraphQLRequest, options: ContextOptions, begun?: number) {
    super(request, options, begun);
    this.served = served;
  }
}

const noHeaders = Object.freeze({});
const noFacts = Object.freeze({});
