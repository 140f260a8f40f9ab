// Reports each ended request to the metrics, to the request log and to the slow query log.

import type { KernelObserver } from "../contracts/kernel-observer.ts";
import type { LogLevel } from "../contracts/logger.ts";
import type { EndedExchange, EndedOperation, Metrics } from "../contracts/metrics.ts";
import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import { FinishedOperation, type OperationFacts } from "./ended-operation.ts";
import type { Log, LogConfig } from "./log.ts";

const defaultSlowQueryMs = 1_000;

export interface TelemetryOptions extends Pick<LogConfig, "requests" | "slowQueryMs"> {
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  /** Those who hear of ended operations, as they are at the time. */
  readonly observers: ReadonlySet<Pick<KernelObserver, "ended" | "timesSteps">>;
}

/** Why a subscription ended; the README explains each value. */
export type SubscriptionOutcome = "client" | "gone" | "closed" | "shutdown" | "failed" | "done" | "expired" | "redeployed" | "refused";

export interface EndedSubscription {
  readonly requestID: string;
  /** The operation name in the document. */
  readonly name: string | undefined;
  readonly ended: SubscriptionOutcome;
  /** The number of results sent to this client. */
  readonly results: number;
  readonly durationMs: number;
}

/** Reports operations, HTTP requests and subscriptions as they end. */
export class Telemetry {
  readonly #log: Log;
  readonly #metrics: Metrics | undefined;
  readonly #observers: TelemetryOptions["observers"];
  readonly #level: LogLevel;
  readonly #slowMs: number;
  /** Whether every operation is reported to the log or to the metrics, not only slow ones. */
  readonly #everyRequest: boolean;
  /** Whether HTTP requests are reported. */
  readonly everyExchange: boolean;
  /** Undefined if the metrics do not record commits. */
  readonly commits: ((ok: boolean, durationMs: number) => void) | undefined;
  /** Whether each request writes a line to the log. */
  readonly writesLines: boolean;
  /** The operation of each HTTP request whose log line is still to be written. */
  readonly #operations = new WeakMap<object, EndedOperation>();

  constructor({ log, metrics, observers, requests = "debug", slowQueryMs = defaultSlowQueryMs }: TelemetryOptions) {
    this.#log = log;
    this.#metrics = metrics;
    this.#observers = observers;
    this.#level = requests;
    this.#slowMs = log.isEnabled("warn") ? slowQueryMs : Number.POSITIVE_INFINITY;
    this.writesLines = log.isEnabled(requests);
    if (metrics?.commit) this.commits = (ok, durationMs) => this.#notify(() => metrics.commit?.({ ok, durationMs }));
    this.everyExchange = this.writesLines || metrics?.exchange !== undefined;
    this.#everyRequest = this.writesLines || metrics?.operation !== undefined;
  }

  /** Whether the steps of an operation that begins now are timed. */
  get timesSteps(): boolean {
    for (const { timesSteps } of this.#observers) if (timesSteps) return true;
    return false;
  }

  /** Whether an operation of this duration is reported. */
  isObserved(durationMs: number): boolean {
    return this.#everyRequest || this.#observers.size > 0 || durationMs >= this.#slowMs;
  }

  /** @param exchange the HTTP request of the operation, if any: both share a log line, written when the HTTP request ends */
  operation(facts: OperationFacts, exchange: object | undefined): void {
    this.#notify(() => this.#operation(facts, exchange));
  }

  #operation(facts: OperationFacts, exchange: object | undefined): void {
    const ended = new FinishedOperation(facts);
    if (this.#metrics?.operation) this.#notify(() => this.#metrics?.operation?.(ended));
    for (const observer of this.#observers) this.#notify(() => observer.ended?.(ended));
    if (ended.durationMs >= this.#slowMs) this.#slow(ended);
    if (!this.writesLines) return;
    if (exchange === undefined) this.#log.write(this.#level, "request", titleOf(ended), operationFacts(ended));
    else this.#operations.set(exchange, ended);
  }

  exchange(request: HttpRequest, response: HttpResponse, { path, durationMs }: Pick<EndedExchange, "path" | "durationMs">): void {
    const method = knownMethod(request.method);
    const { status } = response;
    this.#notify(() => this.#metrics?.exchange?.({ method, path, status, durationMs }));
    if (!this.writesLines) return;
    const operation = this.#operations.get(request);
    this.#log.write(this.#level, "request", `${method} ${path} ${status}`, {
      ...(operation && operationFacts(operation)),
      method,
      path,
      status,
      durationMs: rounded(durationMs),
      bytes: response.body.length,
      from: request.remoteAddress,
    });
  }

  subscription({ requestID, name, ended, results, durationMs }: EndedSubscription): void {
    const message = `subscription ${name ?? "without a name"} ended: ${ended}`;
    this.#log.write(this.#level, "subscription", message, { requestID, operation: name, ended, results, durationMs: rounded(durationMs) });
  }

  #slow(ended: EndedOperation): void {
    const { document, documentHash, plan } = ended;
    this.#log.warn("slow", `${titleOf(ended)} took ${Math.round(ended.durationMs)} ms`, { ...operationFacts(ended), documentHash, document, plan });
  }

  /** An error of the metrics or of a report must not fail the request, nor keep its answer back. */
  #notify(call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#log.fault(thrown, { where: "telemetry" });
    }
  }
}

function titleOf({ kind, name, outcome }: EndedOperation): string {
  return `${kind ?? "request"} ${name ?? "without a name"} ${outcome}`;
}

function operationFacts({ requestID, kind, outcome, name, touched, durationMs }: EndedOperation) {
  return { requestID, kind, operation: name, outcome, touched, durationMs: rounded(durationMs) };
}

/** Rounded to microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"]);

/** Clients may send any method name: the label must have few values. */
function knownMethod(method: string): string {
  return methods.has(method) ? method : "other";
}
