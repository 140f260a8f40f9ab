// Who hears of each request as it ends: metrics, the request's line in the log, and the log of slow operations.

import type { LogLevel } from "../contracts/logger.ts";
import type { EndedExchange, EndedOperation, Metrics } from "../contracts/metrics.ts";
import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import { FinishedOperation, type OperationFacts } from "./ended-operation.ts";
import type { Log, LogConfig } from "./log.ts";

const defaultSlowQueryMs = 1_000;

export interface TelemetryOptions extends Pick<LogConfig, "requests" | "slowQueryMs"> {
  readonly log: Log;
  readonly metrics: Metrics | undefined;
}

/** Why a subscription ended, in a word. */
export type SubscriptionOutcome = "client" | "gone" | "closed" | "shutdown" | "failed" | "done" | "expired" | "redeployed" | "refused";

export interface EndedSubscription {
  readonly requestID: string;
  /** As written in the document. */
  readonly name: string | undefined;
  readonly ended: SubscriptionOutcome;
  /** Sent to this client. */
  readonly results: number;
  readonly durationMs: number;
}

export class Telemetry {
  readonly #log: Log;
  readonly #metrics: Metrics | undefined;
  readonly #level: LogLevel;
  readonly #slowMs: number;
  /** Whether each request is told of, be it quick or slow. */
  readonly everyRequest: boolean;
  /** Whether somebody hears of HTTP requests. */
  readonly everyExchange: boolean;
  /** Undefined when nobody counts commits. */
  readonly commits: ((ok: boolean, durationMs: number) => void) | undefined;
  /** Whether requests have a line in the log. */
  readonly writesLines: boolean;
  /** What an HTTP request that waits for its line has run. */
  readonly #operations = new WeakMap<object, EndedOperation>();

  constructor({ log, metrics, requests = "debug", slowQueryMs = defaultSlowQueryMs }: TelemetryOptions) {
    this.#log = log;
    this.#metrics = metrics;
    this.#level = requests;
    this.#slowMs = log.isEnabled("warn") ? slowQueryMs : Number.POSITIVE_INFINITY;
    this.writesLines = log.isEnabled(requests);
    if (metrics?.commit) this.commits = (ok, durationMs) => this.#notify(() => metrics.commit?.({ ok, durationMs }));
    this.everyExchange = this.writesLines || metrics?.exchange !== undefined;
    this.everyRequest = this.writesLines || metrics?.operation !== undefined;
  }

  /** Whether anybody wants to hear of an operation that took so long. */
  isObserved(durationMs: number): boolean {
    return this.everyRequest || durationMs >= this.#slowMs;
  }

  /** `exchange`: the HTTP request that carried it, whose line will say it all. */
  operation(facts: OperationFacts, exchange: object | undefined): void {
    const ended = new FinishedOperation(facts);
    if (this.#metrics?.operation) this.#notify(() => this.#metrics?.operation?.(ended));
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

  /** Whoever counts cannot fail the request that is counted. */
  #notify(call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#log.fault(thrown, { where: "metrics" });
    }
  }
}

function titleOf({ kind, name, outcome }: EndedOperation): string {
  return `${kind ?? "request"} ${name ?? "without a name"} ${outcome}`;
}

function operationFacts({ requestID, kind, outcome, name, touched, durationMs }: EndedOperation) {
  return { requestID, kind, operation: name, outcome, touched, durationMs: rounded(durationMs) };
}

/** To the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"]);

/** A method is what the client likes to send. */
function knownMethod(method: string): string {
  return methods.has(method) ? method : "other";
}
