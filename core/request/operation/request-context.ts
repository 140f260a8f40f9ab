// One request on its way through the pipeline: what came, and what each stage adds.

import type { Outcome } from "../../contracts/metrics.ts";
import type { QueryLanguage } from "../../contracts/plugin/query-language.ts";
import type { ErrorStyle } from "../../ground/error-style.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import type { Closing } from "../../ground/patience.ts";
import type { CommitToken } from "../../ground/values/value.ts";
import type { Log } from "../../telemetry/log.ts";
import type { StepTimes } from "../../telemetry/step-times.ts";
import { RequestBudget } from "../budget/budget.ts";
import type { Visit } from "../budget/caller-shares.ts";
import type { LongWork } from "../budget/long-work.ts";
import { identifiedName, nameByTransport } from "../caller/caller-name.ts";
import { givenFacts } from "../caller/given-claims.ts";
import { lowerCased } from "../caller/lower-case-headers.ts";
import type { GraphQLRequest } from "../caller/request.ts";
import { RunningRequest } from "../caller/request-view.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { AppliedRules } from "../documents/applied-rules.ts";
import type { ErrorView } from "../errors/faults.ts";
import type { RunningOperation } from "./running-operation.ts";
import { type ExtensionOptions, Trace } from "./trace.ts";

export interface ContextOptions {
  readonly limits: Limits;
  /** Development: errors carry hints. */
  readonly debug: boolean;
  /** How errors are worded. Default: `"plain"`. */
  readonly errors?: ErrorStyle;
  /** False: callers may not introspect, and errors suggest no names of the schema. Default: true. */
  readonly introspection?: boolean;
  /** What answers say beside their data; default: everything but tracing. */
  readonly extensions?: false | ExtensionOptions;
  readonly log: Log;
  /** Languages beside GraphQL in which plugins may ask. Default: none. */
  readonly languages?: readonly QueryLanguage[] | undefined;
  /** Requests that work for long, over the whole server. Undefined: none waits for others. */
  readonly longWork?: LongWork | undefined;
  /** Ends what plugins do for requests when the kernel closes. */
  readonly closing?: Closing | undefined;
}

/** A request, its budget and its result. Log entries about its errors carry its id. */
export class RequestContext implements ErrorView {
  readonly request: GraphQLRequest;
  readonly budget: RequestBudget;
  /** The request as plugins see it before its caller is identified. */
  view: RunningRequest;
  readonly debug: boolean;
  readonly style: ErrorStyle;
  /** `__schema` and `__type` are refused, and errors suggest no names. */
  readonly hidesSchema: boolean;
  /** Answers have no `extensions` but those that clients work with. */
  readonly isTerse: boolean;
  /** Undefined: answers have no `extensions.tracing`. */
  readonly trace: Trace | undefined;
  /** The answer contains the plan. */
  readonly showsPlan: boolean;
  /** The plan also says which ways the storage took. Their sizes count what the caller may not see. */
  readonly showsWays: boolean;
  /** A fault of the server was logged. */
  faulted = false;
  readonly #log: Log;
  outcome: Outcome | undefined = undefined;
  /** Set when the request counts for its caller. */
  visit: Visit | undefined = undefined;
  /** Set when the request is prepared and its caller is identified. */
  running: RunningOperation | undefined = undefined;
  /** Undefined: nobody asks how long its steps take. */
  steps: StepTimes | undefined = undefined;
  /** The first value that was thrown. */
  trouble: unknown = undefined;
  /** Called when the request is prepared, if its document is new. */
  prepared: (() => void) | undefined = undefined;

  /** @param begun when the request came, in milliseconds of `performance.now()`, if it had to wait */
  constructor(
    request: GraphQLRequest,
    { limits, longWork, closing, log, debug, errors = "plain", introspection = true, extensions = {} }: ContextOptions,
    begun?: number,
  ) {
    this.request = request;
    this.budget = new RequestBudget({ limits, longWork, onGone: request.onGone, begun, asker: this, closing });
    this.view = new RunningRequest(lowerCased(request.headers ?? noHeaders), givenFacts(request), { patience: this.budget });
    this.debug = debug;
    this.style = errors;
    this.showsPlan = request.plan === true && (debug || request.as === "system" || request.explains === true);
    this.showsWays = request.plan === true && (request.as === "system" || request.explains === true);
    this.hidesSchema = !introspection && request.introspects !== true;
    this.isTerse = extensions === false;
    this.trace = extensions !== false && extensions.tracing === true ? new Trace(this.budget.begun) : undefined;
    this.#log = log;
  }

  /** For whom the request counts where many wait, as far as is known by now. "": for nobody. */
  get callerName(): string {
    return nameByTransport(this.request) ?? "";
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

/** A request that a deployed schema answers. It is the context that envelop plugins see; they may add members to it. */
export class ActiveRequest extends RequestContext {
  readonly schema: ActiveSchema;
  /** The newest commit of the mutation. */
  commit: CommitToken | undefined = undefined;
  /** Another schema was deployed before the mutation committed anything. */
  isOvertaken = false;

  /** What restricts the caller. Undefined: nobody asks. */
  readonly rules: AppliedRules | undefined;

  constructor(schema: ActiveSchema, request: GraphQLRequest, options: ContextOptions, begun?: number) {
    super(request, options, begun);
    this.rules = request.explains === true && request.plan === true ? new AppliedRules() : undefined;
    this.schema = this.rules === undefined ? schema : schema.watched(this.rules);
  }

  override get callerName(): string {
    const { running } = this;
    return running === undefined ? super.callerName : (identifiedName(this.schema, this.request, running.request) ?? "");
  }

  override logHidden(message: string): void {
    super.logHidden(message);
    this.rules?.hide(message);
  }
}

/** @throws QuernError `INTERNAL` before the request is prepared */
export function runningOperationOf({ running }: RequestContext): RunningOperation {
  if (!running) throw new QuernError("INTERNAL", "An operation was executed before it was prepared.");
  return running;
}

const noHeaders = Object.freeze({});
