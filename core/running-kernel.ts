// A kernel that runs: the parts that it consists of, and the order in which they open and close.

import { BackgroundWork } from "./background/background-work.ts";
import { assertNoProblems, checkKernelConfig } from "./config/check-config.ts";
import type { KernelConfig } from "./config/config.ts";
import type { KernelObserver } from "./contracts/kernel-observer.ts";
import type { LogLevel } from "./contracts/logger.ts";
import type { ExecuteAnswer, ExecuteRequest } from "./contracts/plugin/execute.ts";
import type { IdentifiedClient } from "./contracts/plugin/kernel-access.ts";
import type { LiveEngine, LiveFigures, LiveReport } from "./contracts/plugin/live-engine.ts";
import type { Permissions } from "./contracts/plugin/permissions.ts";
import type { RequestView } from "./contracts/plugin/request-view.ts";
import type { WriteOptions, WriteTransaction } from "./contracts/plugin/write-transaction.ts";
import type { ReadWorkers } from "./contracts/read-workers.ts";
import type { Snapshot } from "./contracts/storage/snapshot.ts";
import type { Committed, Erase, Storage } from "./contracts/storage/storage.ts";
import type { StoreTrouble } from "./contracts/storage/trouble.ts";
import { QuernError } from "./ground/errors.ts";
import { parseJson } from "./ground/json/parse-json.ts";
import { type Limits, limitsCallers, resolveLimits } from "./ground/limits.ts";
import { Closing } from "./ground/patience.ts";
import { type PluginFault, type PluginPlace, PluginTimeout } from "./ground/plugin-fault.ts";
import type { MaybePromise } from "./ground/values/value.ts";
import type { Kernel } from "./kernel.ts";
import { pluginLog } from "./kernel-access.ts";
import { Lifecycle } from "./lifecycle.ts";
import { compilePattern } from "./query/read/pattern.ts";
import { RequestBudget } from "./request/budget/budget.ts";
import { CallerShares } from "./request/budget/caller-shares.ts";
import { type LongWork, longWorkWithin } from "./request/budget/long-work.ts";
import { UnsentAnswers } from "./request/budget/unsent-answers.ts";
import { permissionsOf } from "./request/caller/caller-permissions.ts";
import { clientView } from "./request/caller/client-view.ts";
import { identifiedClient } from "./request/caller/identified-client.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./request/caller/request.ts";
import { RunningRequest } from "./request/caller/request-view.ts";
import type { ActiveSchema } from "./request/documents/active-schema.ts";
import { findBrokenDocuments } from "./request/documents/broken-documents.ts";
import { draining } from "./request/errors/draining.ts";
import { storeLost } from "./request/errors/store-lost.ts";
import { Entrance } from "./request/pipeline/entrance.ts";
import { Offload } from "./request/pipeline/offload.ts";
import { Pipeline } from "./request/pipeline/pipeline.ts";
import type { DeployComparison } from "./schema/deployment/compare-deployment.ts";
import type { PastDeploy } from "./schema/deployment/deploy-history.ts";
import type { Deployment, StoredLayout } from "./schema/deployment/deployment.ts";
import { Deployments } from "./schema/deployment/deployments.ts";
import type { DeployOptions, OpenOptions, ValidateOptions } from "./schema/deployment/options.ts";
import { isDevelopment } from "./schema/plugins/frozen-arguments.ts";
import { guardAsync } from "./schema/plugins/guard-call.ts";
import { guardLanguages } from "./schema/plugins/guard-languages.ts";
import { HookHost } from "./schema/plugins/hook-host.ts";
import { iterate, type LiveAnswer } from "./subscriptions/iterate.ts";
import type { LiveRequest, Subscription, SubscriptionObserver } from "./subscriptions/live.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";
import { Gauges } from "./telemetry/gauges.ts";
import { logHeld } from "./telemetry/held.ts";
import { type Log, logLevels, openLog } from "./telemetry/log.ts";
import { Telemetry } from "./telemetry/telemetry.ts";
import { TroubleLog } from "./telemetry/trouble-log.ts";
import { upgradeLog } from "./telemetry/upgrade-log.ts";

/**
 * Creates a kernel; `open` starts it. Embedding applications use it directly. A server wraps it in `createServerKernel`.
 *
 * @throws QuernError `CONFIG_INVALID`, `PLUGIN_MISSING` or `PLUGIN_CLASH`; `errors` lists the problems if there are several
 */
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
  readonly #live: Subscriptions;
  readonly #deployments: Deployments<ActiveSchema>;
  #open = false;
  /** Requests are answered: from the moment at which the deployed schema is read until the kernel closes. */
  #serves = false;
  #openedWith: OpenOptions | undefined;
  readonly #trouble: TroubleLog;
  readonly #entrance: Entrance;
  readonly #background: BackgroundWork;
  readonly #closing: Closing;
  readonly #longWork: LongWork;
  readonly #readWorkers: ReadWorkers | undefined;
  readonly unsent: UnsentAnswers;
  #draining = false;
  readonly #observers = new Set<KernelObserver>();
  readonly #shutdownListeners = new Set<() => void>();
  readonly #lifecycle = new Lifecycle(() => this.#stop());

  constructor(config: KernelConfig) {
    this.config = config;
    this.storage = config.storage;
    this.limits = resolveLimits(config.limits);
    this.log = openLog(config.log);
    this.#trouble = new TroubleLog(this.log);
    this.#closing = new Closing(this.limits.closeMs);
    const host = new HookHost({ limits: this.limits, closing: this.#closing, held: (place, ms) => logHeld(this.log, place, ms) });
    this.telemetry = new Telemetry({ ...config.log, log: this.log, metrics: config.metrics, observers: this.#observers });
    this.#longWork = longWorkWithin(this.limits, config.budget?.longWork);
    this.unsent = config.budget?.unsent ?? new UnsentAnswers({ maxBytes: this.limits.maxUnsentBytes, changed: (bytes) => this.#unsent(bytes) });
    this.#readWorkers = readWorkersOf(config);
    this.#pipeline = new Pipeline({
      storage: this.storage,
      limits: this.limits,
      longWork: this.#longWork,
      closing: this.#closing,
      callers: limitsCallers(this.limits.perCaller) ? new CallerShares(this.limits.perCaller) : undefined,
      offload: this.#readWorkers && new Offload({ workers: this.#readWorkers, plugins: config.plugins ?? [] }),
      debug: config.debug ?? false,
      errors: config.errors ?? "plain",
      introspection: config.introspection ?? true,
      extensions: config.extensions ?? {},
      log: this.log,
      telemetry: this.telemetry,
      plugins: config.envelop ?? [],
      languages: guardLanguages(config.plugins ?? [], host),
      unavailable: () => (this.#draining ? draining : undefined),
      lost: () => storeLost(this.trouble),
      closed: () => (this.#serves ? undefined : notOpen()),
      schemaAfter: (schema) => this.#deployments.servedAfter(schema.base),
    });
    this.#entrance = new Entrance({
      pipeline: this.#pipeline,
      limits: this.limits,
      servedTo: (request) => this.#servedTo(request),
      requests: config.budget?.requests,
    });
    this.#deployments = new Deployments({
      storage: this.storage,
      plugins: config.plugins ?? [],
      compilePattern,
      maxSchemaTokens: this.limits.maxSchemaTokens,
      errors: config.errors ?? "plain",
      freezesArguments: config.debug === true || isDevelopment(),
      log: this.log,
      host,
      serve: (deployment) => this.#pipeline.serve(deployment),
      replaced: () => {
        this.#live.replan();
        this.#background.serve(this.deployment);
        this.#readWorkers?.replaced();
        for (const observer of this.#observers) observer.replaced?.();
      },
      erased: () => {
        this.#live.invalidateAll();
        for (const observer of this.#observers) observer.erased?.();
      },
      findBroken: async (api) => await findBrokenDocuments(this.#documents(), { api, limits: this.limits }),
    });
    const engine = this.#liveEngine();
    this.#live = new Subscriptions({
      style: config.errors ?? "plain",
      engine,
      limits: this.limits,
      release: engine && guardAsync(() => engine.release(), { place: enginePlace(config), host, patience: () => host.closing }),
      log: this.log,
      telemetry: this.telemetry,
      deployment: () => this.deployment,
      start: (request) => this.#entrance.live(request),
      execute: (request) => this.execute(request),
    });
    this.#background = new BackgroundWork({
      storage: this.storage,
      log: this.log,
      limits: this.limits,
      closing: this.#closing,
      gauges: this.gauges,
      execute: (request) => this.#executeInBackground(request),
    });
    this.gauges.add("requestsRunning", () => this.#entrance.running);
    this.gauges.add("requestsWaiting", () => this.#entrance.waiting);
    this.gauges.add("longRequestsRunning", () => this.#longWork.running);
    this.gauges.add("longRequestsWaiting", () => this.#longWork.waiting);
    // Of a shared budget they are nobody's own.
    if (config.budget === undefined) {
      this.gauges.add("keptBytes", () => this.#longWork.keptBytes);
      this.gauges.add("unsentBytes", () => this.unsent.bytes);
    }
    this.gauges.add("mutationsRunning", () => this.#pipeline.mutations);
    const figures = (): LiveFigures => engine?.figures ?? noFigures;
    this.gauges.add("liveSubscriptions", () => this.#live.size);
    this.gauges.add("liveQueries", () => figures().queries);
    this.gauges.add("liveRunsDue", () => this.#live.due);
    this.gauges.add("liveRunsTotal", () => figures().runs);
    this.gauges.add("liveRunsInVainTotal", () => figures().runsInVain);
    this.gauges.add("liveResultsTotal", () => figures().results);
    this.gauges.add("liveTestsTotal", () => figures().tests ?? 0);
    this.gauges.add("schemaUpdates", () => this.schemaUpdateCounter);
    if (this.#readWorkers !== undefined) this.#countReadWorkers(this.#readWorkers);
  }

  #liveEngine(): LiveEngine | undefined {
    const { storage, log, config } = this;
    const plugin = config.plugins?.find(({ liveEngine }) => liveEngine !== undefined);
    return plugin?.liveEngine?.({
      changes: (listener) => storage.changes(listener),
      snapshot: ({ version }, after) => storage.snapshot({ version, after }),
      log: pluginLog(log, plugin.name),
    });
  }

  #countReadWorkers(workers: ReadWorkers): void {
    this.gauges.add("readWorkersReady", () => workers.counters.ready);
    this.gauges.add("readWorkersQueries", () => workers.counters.running);
    this.gauges.add("readWorkersQueriesTotal", () => workers.counters.handedTotal);
    this.gauges.add("readWorkersRestartsTotal", () => workers.counters.restartsTotal);
  }

  #unsent(bytes: number): void {
    this.#longWork.unsent(bytes);
    this.#readWorkers?.unsent(bytes);
  }

  get deployment(): Deployment | undefined {
    return this.#deployments.deployment;
  }

  get stored(): StoredLayout | undefined {
    return this.#deployments.stored;
  }

  get schemaUpdateCounter(): number {
    return this.#deployments.counter;
  }

  get ready(): boolean {
    return this.#open;
  }

  get trouble(): StoreTrouble | undefined {
    return this.#open ? this.storage.trouble : this.#trouble.lost;
  }

  open(options?: OpenOptions): Promise<void> {
    return this.#lifecycle.open(() => {
      this.#openedWith = options;
      return this.#start(options);
    });
  }

  close(): Promise<void> {
    return this.#lifecycle.close().finally(() => this.#trouble.forget());
  }

  reopen(recover: () => Promise<void>): Promise<void> {
    return this.#lifecycle.reopen({
      start: () => this.#start(this.#openedWith),
      recover,
      lost: (thrown) => this.#trouble.lose(thrown),
      closingFailed: (thrown) => this.log.fault(thrown, { where: "close" }),
    });
  }

  async #start(options: OpenOptions | undefined): Promise<void> {
    const begun = performance.now();
    this.#closing.reset();
    for (const observer of this.#observers) await observer.opening?.();
    try {
      await this.storage.open({ progress: upgradeLog(this.log), troubled: (trouble, fault) => this.#trouble.note(trouble, fault) });
      this.#live.open();
      await this.#deployments.open(options);
      this.#serves = true;
      for (const observer of this.#observers) await observer.opened?.();
    } catch (thrown) {
      await this.#releaseAfterFailedOpen();
      throw thrown;
    }
    this.#openReadWorkers();
    this.#open = true;
    this.#trouble.forget();
    if (options?.background !== false) this.#background.start(this.deployment);
    this.log.info("open", `the store ${this.storage.name} is open`, {
      storage: this.storage.name,
      schema: this.deployment !== undefined,
      durationMs: Math.round(performance.now() - begun),
    });
  }

  #openReadWorkers(): void {
    const { storage, limits, log, config } = this;
    const { debug = false, errors = "plain", extensions } = config;
    this.#readWorkers?.open({
      storage,
      deployed: () => this.deployment,
      settings: { limits, debug, errors, extensions: extensions !== false, logLevel: levelOf(log) },
      log: { write: ({ level, event, message, facts }) => log.write(level, event, message, facts) },
    });
  }

  *#documents(): Iterable<readonly [id: string, text: string]> {
    for (const observer of this.#observers) yield* observer.documents?.() ?? [];
  }

  /** Releases what a failed `open` had opened. A second failure is only logged: the caller receives the first. */
  async #releaseAfterFailedOpen(): Promise<void> {
    try {
      await this.#release();
    } catch (thrown) {
      this.log.fault(thrown, { where: "open" });
    }
  }

  async #stop(): Promise<void> {
    this.#open = false;
    this.#disconnectClients();
    const faults = await this.#release();
    this.log.info("close", `the store ${this.storage.name} is closed`, { storage: this.storage.name });
    await this.log.flush();
    if (faults.length > 0) throw closingFailed(faults);
  }

  /** Plugins and store close concurrently: a plugin that fails or is slow does not keep the store open. */
  async #release(): Promise<readonly PluginFault[]> {
    this.#serves = false;
    this.#closing.begin();
    this.#deployments.stopListening();
    await this.#background.stop();
    const live = this.#live.close();
    await this.#deployments.idle();
    await this.#entrance.idle();
    await live;
    await this.#readWorkers?.close();
    const [plugins, store] = await Promise.allSettled([this.#deployments.close(), this.storage.close()]);
    if (store.status === "rejected") throw store.reason;
    return plugins.status === "fulfilled" ? plugins.value : [];
  }

  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer> {
    return this.#entrance.execute(request);
  }

  /** A request of a plugin's background task. It waits for admission as those of clients do. */
  async #executeInBackground(request: ExecuteRequest): Promise<ExecuteAnswer> {
    const { query, variables, language = "graphql", as = "caller", headers = {} } = request;
    if (language !== "graphql") return await this.#entrance.run(() => this.#pipeline.ask({ ...request, language, headers }, this.#servedTo({ as })));
    const { body } = await this.execute({ query, headers, as, ...(variables && { variables }) });
    return executeAnswerOf(parseJson(body));
  }

  #servedTo({ as }: Pick<GraphQLRequest, "as">): ActiveSchema | undefined {
    const { served } = this.#deployments;
    return as === "system" ? served?.unrestricted() : served;
  }

  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription {
    return this.#live.subscribe(request, subscriber);
  }

  live<Data = Readonly<Record<string, unknown>>>(request: LiveRequest): AsyncIterableIterator<LiveAnswer<Data>> {
    return iterate<Data>((each, subscriber) => this.subscribe(each, subscriber), request);
  }

  identify(headers: Readonly<Record<string, string | undefined>>): MaybePromise<IdentifiedClient> {
    const { served } = this.#deployments;
    return served ? identifiedClient(served, headers) : { request: new RunningRequest(headers, {}), name: undefined };
  }

  permissions(headers: Readonly<Record<string, string | undefined>>): MaybePromise<Permissions | undefined> {
    const { served } = this.#deployments;
    return served && permissionsOf(served, headers);
  }

  outsideRules(snapshot: Snapshot, headers: Readonly<Record<string, string | undefined>>): MaybePromise<Snapshot> {
    const { served } = this.#deployments;
    return served ? clientView(served, { snapshot, headers, log: this.log, budget: new RequestBudget({ limits: this.limits }) }) : snapshot;
  }

  write<T>(options: WriteOptions, work: (tx: WriteTransaction) => MaybePromise<T>): Promise<Committed<T>> {
    return this.#entrance.run(() => this.#pipeline.write(work, options, this.#deployments.served));
  }

  liveReport(most: number): LiveReport {
    return this.#live.report(most);
  }

  rerunLiveQueries(): void {
    this.#live.invalidateAll();
  }

  recheckCallers(which?: (request: RequestView) => boolean): void {
    this.#live.recheck(which);
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

  pastDeploys(): Promise<readonly PastDeploy[]> {
    return this.#deployments.pastDeploys();
  }

  pastText(id: number): Promise<string | undefined> {
    return this.#deployments.pastText(id);
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
    this.#disconnectClients();
    void this.#live.end("draining");
  }

  observe(observer: KernelObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  #disconnectClients(): void {
    for (const observer of this.#observers) observer.leaving?.();
  }

  onShutdown(listener: () => void): () => void {
    this.#shutdownListeners.add(listener);
    return () => void this.#shutdownListeners.delete(listener);
  }

  shutDown(): boolean {
    // Deferred, so that the requesting client receives its answer before connections close.
    setImmediate(() => {
      for (const listener of this.#shutdownListeners) listener();
    });
    return this.#shutdownListeners.size > 0;
  }
}

const noFigures: LiveFigures = Object.freeze({ queries: 0, due: 0, runs: 0, runsInVain: 0, results: 0 });

function executeAnswerOf(answer: unknown): ExecuteAnswer {
  const { data, errors = [] } = answer as { readonly data?: ExecuteAnswer["data"] | null; readonly errors?: ExecuteAnswer["errors"] };
  return { data: data ?? undefined, errors };
}

function notOpen(): QuernError {
  return new QuernError("STORE_CLOSED", "The kernel is not open.", {
    hint: "Await kernel.open() before the first request, and send none after kernel.close().",
  });
}

function enginePlace({ plugins = [] }: KernelConfig): PluginPlace {
  return { plugin: plugins.find(({ liveEngine }) => liveEngine !== undefined)?.name ?? "", hook: "release of the live engine" };
}

/** Undefined: all queries run in the kernel's thread. Envelop plugins wrap the execution of each query, which must then be here. */
function readWorkersOf({ readWorkers, storage, envelop = [] }: KernelConfig): ReadWorkers | undefined {
  return storage.readers === undefined || envelop.length > 0 ? undefined : readWorkers;
}

function levelOf(log: Log): LogLevel | "silent" {
  return logLevels.find((level) => level !== "silent" && log.isEnabled(level)) ?? "silent";
}

function closingFailed(faults: readonly PluginFault[]): QuernError {
  const errors = faults.map((fault) => new QuernError(fault instanceof PluginTimeout ? fault.code : "INTERNAL", fault.message, { cause: fault }));
  return new QuernError("INTERNAL", `The store is closed, but not every plugin closed. ${faults.map((fault) => fault.message).join("; ")}`, {
    errors,
  });
}
