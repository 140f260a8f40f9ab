// The kernel: one storage, a list of plugins, and the schema that is deployed. Transports and embedding applications talk to it.

import { assertNoProblems, checkKernelConfig } from "./config/check-config.ts";
import type { KernelConfig } from "./config/config.ts";
import type { KernelObserver } from "./contracts/kernel-observer.ts";
import type { Erase, Storage } from "./contracts/storage.ts";
import { QuernError } from "./ground/errors.ts";
import { type Limits, resolveLimits } from "./ground/limits.ts";
import { isPromise } from "./ground/maybe-promise.ts";
import type { PluginFault } from "./ground/plugin-fault.ts";
import type { MaybePromise } from "./ground/values/value.ts";
import { Lifecycle } from "./lifecycle.ts";
import { compilePattern } from "./query/read/pattern.ts";
import type { ActiveSchema } from "./request/active-schema.ts";
import { Admission } from "./request/admission.ts";
import { findBrokenDocuments } from "./request/broken-documents.ts";
import { drainingText } from "./request/draining.ts";
import { Pipeline } from "./request/pipeline.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./request/request.ts";
import type { DeployComparison } from "./schema/deployment/compare-deployment.ts";
import type { Deployment } from "./schema/deployment/deployment.ts";
import { Deployments, type DeployOptions, type OpenOptions, type ValidateOptions } from "./schema/deployment/deployments.ts";
import { iterate, type LiveAnswer } from "./subscriptions/iterate.ts";
import type { LiveRequest, Subscription, SubscriptionObserver } from "./subscriptions/live.ts";
import { LiveQueries } from "./subscriptions/live-queries.ts";
import { Gauges } from "./telemetry/gauges.ts";
import { type Log, openLog } from "./telemetry/log.ts";
import { Telemetry } from "./telemetry/telemetry.ts";

/** A deployed schema over one store, without a network. */
export interface Kernel {
  /** As it was given to `createKernel`. */
  readonly config: KernelConfig;
  readonly storage: Storage;
  readonly limits: Limits;
  readonly log: Log;
  /** Logs and counts operations as they end. */
  readonly telemetry: Telemetry;
  /** False while the kernel opens or closes. */
  readonly ready: boolean;
  /** Numbers that the kernel's parts keep; whoever has more adds them, and metrics show them. */
  readonly gauges: Gauges;
  /** What is served now; undefined before the first deploy. */
  readonly deployment: Deployment | undefined;
  /** Rises by one with every change of what is served, after the new API answers. */
  readonly schemaUpdateCounter: number;
  /**
   * Opens the storage and serves what was deployed last. Where it fails everything is closed again, and it may be called again. Does nothing
   * where the kernel is open; while it closes, waits for that. Errors: those of `Storage.open`; `PLUGIN_MISSING` where the deployed schema
   * uses directives of plugins that are not installed.
   */
  open(options?: OpenOptions): Promise<void>;
  /**
   * Lets running requests finish, then closes the plugins and the storage, side by side. A plugin's `close` hook that throws is reported
   * afterwards (`INTERNAL`): the store is closed. Does nothing where the kernel is closed; while it opens, waits for that.
   */
  close(): Promise<void>;
  /** Runs one GraphQL request. Never rejects: what goes wrong is in the answer. */
  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer>;
  /**
   * Tells `subscriber` of results: for a subscription the first at once, then a new one whenever the data changed; for a query or
   * mutation its one result. Never throws; nothing is told before it has returned.
   */
  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription;
  /**
   * The results of a subscription, to be looped over: `for await (const { data } of kernel.live({ query }))`. Whoever is slow misses states in
   * between, never the last one. Goes on after a deploy, ends when the kernel closes. Throws what refuses it or ends it with errors, `draining` too.
   */
  live<Data = Readonly<Record<string, unknown>>>(request: LiveRequest): AsyncIterableIterator<LiveAnswer<Data>>;
  /**
   * Serves `text` from now on, over all the data there are. Resolves when the new API answers. An unchanged text succeeds and
   * changes nothing. Errors: `SCHEMA_INVALID`, `PLUGIN_MISSING`, `MIGRATION_REFUSED`; then the old schema goes on.
   */
  deploy(text: string, options?: DeployOptions): Promise<void>;
  /** What `deploy` would do with `text`; changes nothing. Errors: those of `deploy`, but obstacles in the data are told in the result. */
  compare(text: string): Promise<DeployComparison>;
  /** The errors that `deploy` would refuse `text` with, as far as they do not depend on the data. Fetches what the text refers to. */
  validate(text: string, options?: ValidateOptions): Promise<readonly QuernError[]>;
  /** Forgets data, or data and schema, or one field. */
  erase(what: Erase): Promise<void>;
  /** While it is true, `/graphql` and `execute` answer no root field, and nobody may stay connected. */
  readonly draining: boolean;
  setDraining(on: boolean): void;
  /** Calls `observer` at the turns of the kernel's life, in the order in which observers came. Returns how to stop. */
  observe(observer: KernelObserver): () => void;
  /** Calls `listener` when an administrator asks for an orderly stop: close transports, then this kernel. Returns how to stop listening. */
  onShutdown(listener: () => void): () => void;
  /** Asks those who listen to stop this kernel, after the work at hand. False: nobody listens. */
  shutDown(): boolean;
}

export function createKernel(config: KernelConfig): Kernel {
  assertNoProblems(checkKernelConfig(config));
  return new RunningKernel(config);
}

class RunningKernel implements Kernel {
  readonly config: KernelConfig;
  readonly storage: Storage;
  readonly limits: Limits;
  readonly log: Log;
  readonly gauges = new Gauges();
  readonly telemetry: Telemetry;
  readonly #pipeline: Pipeline;
  readonly #live: LiveQueries;
  readonly #deployments: Deployments<ActiveSchema>;
  #open = false;
  readonly #admission: Admission;
  #draining = false;
  readonly #observers = new Set<KernelObserver>();
  readonly #shutdownListeners = new Set<() => void>();
  readonly #lifecycle = new Lifecycle(() => this.#end());

  constructor(config: KernelConfig) {
    this.config = config;
    this.storage = config.storage;
    this.limits = resolveLimits(config.limits);
    this.log = openLog(config.log);
    this.telemetry = new Telemetry({ ...config.log, log: this.log, metrics: config.metrics });
    this.#admission = new Admission(this.limits);
    this.#pipeline = new Pipeline({
      storage: this.storage,
      limits: this.limits,
      debug: config.debug ?? false,
      introspection: config.introspection ?? true,
      log: this.log,
      telemetry: this.telemetry,
      plugins: config.envelop ?? [],
      unavailable: () => (this.#draining ? drainingText : undefined),
    });
    this.#deployments = new Deployments({
      storage: this.storage,
      plugins: config.plugins ?? [],
      compilePattern,
      log: this.log,
      serve: (deployment) => this.#pipeline.serve(deployment),
      replaced: () => {
        this.#live.replan();
        for (const observer of this.#observers) observer.replaced?.();
      },
      erased: () => {
        this.#live.invalidateAll();
        for (const observer of this.#observers) observer.erased?.();
      },
      findBroken: async (api) => await findBrokenDocuments(this.#documents(), { api, limits: this.limits }),
    });
    this.#live = new LiveQueries({
      storage: this.storage,
      limits: this.limits,
      log: this.log,
      telemetry: this.telemetry,
      deployment: () => this.deployment,
      start: (request) => this.#pipeline.live(request, this.#deployments.served),
      execute: (request) => this.execute(request),
    });
    this.gauges.add("requestsRunning", () => this.#admission.running);
    this.gauges.add("requestsWaiting", () => this.#admission.waiting);
    this.gauges.add("mutationsRunning", () => this.#pipeline.mutations);
    this.gauges.add("liveSubscriptions", () => this.#live.subscriptions);
    this.gauges.add("liveQueries", () => this.#live.queries);
    this.gauges.add("liveRunsDue", () => this.#live.due);
    this.gauges.add("liveRunsTotal", () => this.#live.counters.runs);
    this.gauges.add("liveRunsInVainTotal", () => this.#live.counters.unchangedRuns);
    this.gauges.add("liveResultsTotal", () => this.#live.counters.results);
    this.gauges.add("schemaUpdates", () => this.schemaUpdateCounter);
  }

  get deployment(): Deployment | undefined {
    return this.#deployments.deployment;
  }

  get schemaUpdateCounter(): number {
    return this.#deployments.counter;
  }

  get ready(): boolean {
    return this.#open;
  }

  open(options?: OpenOptions): Promise<void> {
    return this.#lifecycle.open(() => this.#start(options));
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  async #start(options: OpenOptions | undefined): Promise<void> {
    const begun = performance.now();
    for (const observer of this.#observers) await observer.opening?.();
    try {
      await this.storage.open();
      this.#live.open();
      await this.#deployments.open(options);
      for (const observer of this.#observers) await observer.opened?.();
    } catch (thrown) {
      await this.#abandon();
      throw thrown;
    }
    this.#open = true;
    this.log.info("open", `the store ${this.storage.name} is open`, {
      storage: this.storage.name,
      schema: this.deployment !== undefined,
      durationMs: Math.round(performance.now() - begun),
    });
  }

  *#documents(): Iterable<readonly [id: string, text: string]> {
    for (const observer of this.#observers) yield* observer.documents?.() ?? [];
  }

  /** What an opening that failed has opened. Why it failed is what the caller has to hear. */
  async #abandon(): Promise<void> {
    try {
      await this.#release();
    } catch (thrown) {
      this.log.fault(thrown, { where: "open" });
    }
  }

  async #end(): Promise<void> {
    this.#open = false;
    this.#sendClientsAway();
    const faults = await this.#release();
    this.log.info("close", `the store ${this.storage.name} is closed`, { storage: this.storage.name });
    await this.log.flush();
    if (faults.length > 0) throw closingFailed(faults);
  }

  /** Plugins and store close side by side: a plugin that fails, or takes its time, leaves no store open. */
  async #release(): Promise<readonly PluginFault[]> {
    this.#deployments.stopListening();
    const live = this.#live.close();
    await this.#deployments.idle();
    await this.#admission.idle();
    await live;
    const [plugins, store] = await Promise.allSettled([this.#deployments.close(), this.storage.close()]);
    if (store.status === "rejected") throw store.reason;
    return plugins.status === "fulfilled" ? plugins.value : [];
  }

  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer> {
    return this.#admission.enter() ? this.#answer(request) : this.#wait(request);
  }

  /** Of a request that is let in. */
  #answer(request: GraphQLRequest, begun?: number): MaybePromise<GraphQLAnswer> {
    const answer = this.#pipeline.answer(request, this.#deployments.served, begun);
    if (!isPromise(answer)) {
      this.#admission.leave();
      return answer;
    }
    return answer.then((value) => {
      this.#admission.leave();
      return value;
    });
  }

  async #wait(request: GraphQLRequest): Promise<GraphQLAnswer> {
    const begun = performance.now();
    try {
      await this.#admission.wait(request.onGone);
    } catch (thrown) {
      return this.#pipeline.turnAway(request, thrown, begun);
    }
    return this.#answer(request, begun);
  }

  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription {
    return this.#live.subscribe(request, subscriber);
  }

  live<Data = Readonly<Record<string, unknown>>>(request: LiveRequest): AsyncIterableIterator<LiveAnswer<Data>> {
    return iterate<Data>((each, subscriber) => this.subscribe(each, subscriber), request);
  }

  deploy(text: string, options?: DeployOptions): Promise<void> {
    return this.#deployments.deploy(text, options);
  }

  compare(text: string): Promise<DeployComparison> {
    return this.#deployments.compare(text);
  }

  validate(text: string, options?: ValidateOptions): Promise<readonly QuernError[]> {
    return this.#deployments.validate(text, options);
  }

  erase(what: Erase): Promise<void> {
    return this.#deployments.erase(what);
  }

  get draining(): boolean {
    return this.#draining;
  }

  setDraining(on: boolean): void {
    if (on !== this.#draining) this.log.warn("draining", on ? "requests are kept away" : "requests are let in again", { on });
    this.#draining = on;
    if (!on) return;
    this.#sendClientsAway();
    this.#live.end("draining");
  }

  observe(observer: KernelObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  #sendClientsAway(): void {
    for (const observer of this.#observers) observer.leaving?.();
  }

  onShutdown(listener: () => void): () => void {
    this.#shutdownListeners.add(listener);
    return () => void this.#shutdownListeners.delete(listener);
  }

  shutDown(): boolean {
    // Later, so that the request that asks for it is answered on a server that still keeps its connections.
    setImmediate(() => {
      for (const listener of this.#shutdownListeners) listener();
    });
    return this.#shutdownListeners.size > 0;
  }
}

function closingFailed(faults: readonly PluginFault[]): QuernError {
  const errors = faults.map((fault) => new QuernError("INTERNAL", fault.message, { cause: fault }));
  return new QuernError("INTERNAL", `The store is closed, but not every plugin closed. ${faults.map((fault) => fault.message).join("; ")}`, {
    errors,
  });
}
