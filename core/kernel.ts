// The kernel: one storage, a list of plugins, and the schema that is deployed. Transports and embedding applications talk to it.

import { assertNoProblems, checkKernelConfig } from "./config/check-config.ts";
import type { KernelConfig } from "./config/config.ts";
import { type Limits, resolveLimits } from "./config/limits.ts";
import type { Erase, MigrateOptions, Storage } from "./contracts/storage.ts";
import type { Door, HttpRequest, HttpResponse, SocketAcceptance } from "./contracts/transport.ts";
import type { MaybePromise } from "./contracts/values.ts";
import { compareDeployment, type DeployComparison } from "./deploy/compare-deployment.ts";
import type { Deployment } from "./deploy/deployment.ts";
import { type History, type KeptNames, nothingKept } from "./deploy/kept-names.ts";
import { readKept, writeKept } from "./deploy/kept-store.ts";
import { prepareDeployment } from "./deploy/prepare-deployment.ts";
import { findUnreachable, type Unreachable, unreachableText } from "./deploy/unreachable.ts";
import { QuernError } from "./errors.ts";
import { drainingText } from "./http/draining.ts";
import { HttpEndpoints } from "./http/endpoints.ts";
import { iterate, type LiveAnswer } from "./live/iterate.ts";
import type { LiveRequest, Subscriber, Subscription } from "./live/live.ts";
import { LiveQueries } from "./live/live-queries.ts";
import { isPromise } from "./maybe-promise.ts";
import { Gauges } from "./observe/gauges.ts";
import { type Log, openLog } from "./observe/log.ts";
import { tellDeploy } from "./observe/tell-deploy.ts";
import { Watch } from "./observe/watch.ts";
import { Admission } from "./pipeline/admission.ts";
import { Pipeline } from "./pipeline/pipeline.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./pipeline/request.ts";
import type { Served } from "./pipeline/served.ts";

/** Where the schema update counter is kept in storage. */
const counterName = "schemaUpdateCounter";

/** How long a deploy counts nodes that leave sight. */
const countingMs = 500;

export interface DeployOptions extends MigrateOptions {
  /** Hears of data that the new schema no longer shows, once it serves. The log tells of them too. */
  readonly told?: (unreachable: Unreachable) => void;
}

export interface Kernel extends Door {
  readonly storage: Storage;
  readonly limits: Limits;
  readonly log: Log;
  /** Numbers that the kernel's parts keep; whoever has more adds them, and metrics show them. */
  readonly gauges: Gauges;
  /** What is served now; undefined before the first deploy. */
  readonly deployment: Deployment | undefined;
  /** Rises by one with every change of what is served, after the new API answers. */
  readonly schemaUpdateCounter: number;
  /** Opens the storage and serves what was deployed last. */
  open(): Promise<void>;
  /** Lets running requests finish, then closes the storage. */
  close(): Promise<void>;
  /** Runs one GraphQL request. Never rejects: what goes wrong is in the answer. */
  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer>;
  /**
   * Tells `subscriber` of results: for a subscription the first at once, then a new one whenever the data changed; for a query or
   * mutation its one result. Never throws; nothing is told before it has returned.
   */
  subscribe(request: LiveRequest, subscriber: Subscriber): Subscription;
  /**
   * The results of a subscription, to be looped over: `for await (const { data } of kernel.live({ query }))`. Whoever is slow misses states in
   * between, never the last one. Throws what refuses or ends it with errors.
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
  validate(text: string): Promise<readonly QuernError[]>;
  /** Forgets data, or data and schema, or one field. */
  erase(what: Erase): Promise<void>;
  /** While it is true, `/graphql` and `execute` answer no root field, and nobody may stay connected. */
  readonly draining: boolean;
  setDraining(on: boolean): void;
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
  readonly storage: Storage;
  readonly limits: Limits;
  readonly log: Log;
  readonly gauges = new Gauges();
  readonly watch: Watch;
  readonly #config: KernelConfig;
  readonly #pipeline: Pipeline;
  readonly #endpoints: HttpEndpoints;
  readonly #live: LiveQueries;
  #served: Served | undefined;
  #counter = 0;
  #open = false;
  readonly #admission: Admission;
  /** Deploys and erasures run one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #stopListening: (() => void) | undefined;
  #draining = false;
  readonly #shutdownListeners = new Set<() => void>();

  constructor(config: KernelConfig) {
    this.#config = config;
    this.storage = config.storage;
    this.limits = resolveLimits(config.limits);
    this.log = openLog(config.log);
    this.watch = new Watch({ ...config.log, log: this.log, metrics: config.metrics });
    this.#admission = new Admission(this.limits);
    this.#pipeline = new Pipeline({
      storage: this.storage,
      limits: this.limits,
      debug: config.debug ?? false,
      log: this.log,
      watch: this.watch,
      plugins: config.envelop ?? [],
      unavailable: () => (this.#draining ? drainingText : undefined),
    });
    this.#live = new LiveQueries({
      storage: this.storage,
      limits: this.limits,
      log: this.log,
      deployment: () => this.deployment,
      start: (request) => this.#pipeline.live(request, this.#served),
      execute: (request) => this.execute(request),
    });
    this.#endpoints = new HttpEndpoints(this, config);
    this.gauges.add("requestsRunning", () => this.#admission.running);
    this.gauges.add("requestsWaiting", () => this.#admission.waiting);
    this.gauges.add("mutationsRunning", () => this.#pipeline.mutations);
    this.gauges.add("liveClients", () => this.#endpoints.liveClients);
    this.gauges.add("liveSubscriptions", () => this.#live.subscriptions);
    this.gauges.add("liveQueries", () => this.#live.queries);
    this.gauges.add("liveRunsDue", () => this.#live.due);
    this.gauges.add("liveRunsTotal", () => this.#live.counters.runs);
    this.gauges.add("liveRunsInVainTotal", () => this.#live.counters.vainRuns);
    this.gauges.add("liveResultsTotal", () => this.#live.counters.results);
    this.gauges.add("schemaUpdates", () => this.#counter);
  }

  get deployment(): Deployment | undefined {
    return this.#served?.deployment;
  }

  get schemaUpdateCounter(): number {
    return this.#counter;
  }

  get ready(): boolean {
    return this.#open;
  }

  get maxBodyBytes(): number {
    return this.limits.maxBodyBytes;
  }

  async open(): Promise<void> {
    const begun = performance.now();
    await this.storage.open();
    this.#live.open();
    const deployed = await this.storage.deployed();
    if (deployed) await this.#takeOver(deployed.document, "start");
    this.#counter = await this.#readCounter();
    this.#stopListening = this.storage.deploys(
      (other) => void this.#inTurn(() => this.#takeOver(other.document, "follow")).catch((thrown) => this.log.fault(thrown)),
    );
    this.#open = true;
    this.log.info("open", `the store ${this.storage.name} is open`, {
      storage: this.storage.name,
      schema: this.deployment !== undefined,
      durationMs: Math.round(performance.now() - begun),
    });
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#stopListening?.();
    this.#endpoints.leave();
    const live = this.#live.close();
    await this.#turn;
    await this.#admission.idle();
    await live;
    await closeHooks(this.deployment);
    this.#served = undefined;
    await this.storage.close();
    this.log.info("close", `the store ${this.storage.name} is closed`, { storage: this.storage.name });
    await this.log.flush();
  }

  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer> {
    return this.#admission.enter() ? this.#answer(request) : this.#wait(request);
  }

  /** Of a request that is let in. */
  #answer(request: GraphQLRequest, begun?: number): MaybePromise<GraphQLAnswer> {
    const answer = this.#pipeline.answer(request, this.#served, begun);
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

  subscribe(request: LiveRequest, subscriber: Subscriber): Subscription {
    return this.#live.subscribe(request, subscriber);
  }

  live<Data = Readonly<Record<string, unknown>>>(request: LiveRequest): AsyncIterableIterator<LiveAnswer<Data>> {
    return iterate<Data>((each, subscriber) => this.subscribe(each, subscriber), request);
  }

  http(request: HttpRequest): MaybePromise<HttpResponse> {
    return this.#endpoints.http(request);
  }

  fault(thrown: unknown): void {
    this.log.fault(thrown, { where: "transport" });
  }

  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse {
    return this.#endpoints.bodyTooLarge(request);
  }

  upgrade(request: Omit<HttpRequest, "body">): MaybePromise<HttpResponse | SocketAcceptance> {
    return this.#endpoints.upgrade(request);
  }

  deploy(text: string, options?: DeployOptions): Promise<void> {
    return this.#inTurn(() =>
      tellDeploy(this.log, options ?? {}, async (told) => {
        const changed = await this.#serve(text, "deploy", told);
        if (changed) await this.#count();
        return changed;
      }),
    );
  }

  compare(text: string): Promise<DeployComparison> {
    return this.#inTurn(async () => {
      const before = this.deployment;
      const next = prepareDeployment(text, this.#config.plugins ?? [], historyOf(before));
      try {
        await openHooks(next, "validate", this.log);
        return await compareDeployment(this.storage, { before, next });
      } finally {
        await closeHooks(next);
      }
    });
  }

  async validate(text: string): Promise<readonly QuernError[]> {
    try {
      const prepared = prepareDeployment(text, this.#config.plugins ?? [], historyOf(this.deployment));
      try {
        await openHooks(prepared, "validate", this.log);
      } finally {
        await closeHooks(prepared);
      }
      return [];
    } catch (thrown) {
      if (!(thrown instanceof QuernError)) throw thrown;
      return thrown.errors.length > 0 ? thrown.errors : [thrown];
    }
  }

  erase(what: Erase): Promise<void> {
    return this.#inTurn(async () => {
      const count = this.#counter;
      await this.storage.erase(what);
      this.log.warn("erase", `an administrator has dropped ${what.kind === "field" ? what.name : what.kind}`, { what: what.kind });
      this.#live.wakeAll();
      if (what.kind === "all") {
        await closeHooks(this.deployment);
        this.#served = undefined;
        this.#live.end("redeployed");
        this.#counter = count;
        await this.#count();
      }
    });
  }

  /** Serves what is deployed: by an earlier start, or by another server. */
  async #takeOver(text: string, takeOver: "start" | "follow"): Promise<void> {
    for (let document: string | undefined = text; document !== undefined; ) {
      try {
        await this.#serve(document, "restart", { takeOver });
        return;
      } catch (thrown) {
        if (!(thrown instanceof QuernError && thrown.code === "STALE_LAYOUT")) throw thrown;
        document = (await this.storage.deployed())?.document;
      }
    }
  }

  /** @returns whether the text is another than the one served before */
  async #serve(text: string, why: "deploy" | "restart", options: DeployOptions = {}): Promise<boolean> {
    const before = this.deployment;
    if (before?.document === text && (why === "deploy" || before.version === (await this.storage.deployed())?.version)) return false;
    const history = why === "deploy" ? historyOf(before) : { deployed: undefined, kept: await this.#readKept(text) };
    const prepared = prepareDeployment(text, this.#config.plugins ?? [], history);
    let unreachable: readonly Unreachable[] = [];
    try {
      await openHooks(prepared, why, this.log);
      if (before && why === "deploy") {
        unreachable = await findUnreachable(this.storage, { before, next: prepared, withinMs: countingMs });
        await writeKept(this.storage, before, prepared);
      }
      const { version } = await this.storage.migrate(prepared.layout, text, options);
      this.#served = this.#pipeline.serve({ ...prepared, version });
    } catch (thrown) {
      await closeHooks(prepared);
      throw thrown;
    }
    this.#live.end("redeployed");
    await closeHooks(before);
    for (const each of unreachable) {
      options.told?.(each);
      this.log.warn("unreachable", unreachableText(each), { ...each });
    }
    return true;
  }

  async #readKept(document: string): Promise<KeptNames> {
    const deployed = await this.storage.deployed();
    return await readKept(this.storage, { document, version: deployed?.version ?? 0 });
  }

  async #count(): Promise<void> {
    const next = this.#counter + 1;
    await this.storage.transact((transaction) => transaction.setMeta(counterName, next), { version: this.deployment?.version ?? 0 });
    this.#counter = next;
  }

  async #readCounter(): Promise<number> {
    const snapshot = this.storage.snapshot({ version: this.deployment?.version ?? 0 });
    try {
      const kept = await snapshot.meta(counterName);
      return typeof kept === "number" ? kept : 0;
    } finally {
      snapshot.close();
    }
  }

  get draining(): boolean {
    return this.#draining;
  }

  setDraining(on: boolean): void {
    if (on !== this.#draining) this.log.warn("draining", on ? "requests are kept away" : "requests are let in again", { on });
    this.#draining = on;
    if (!on) return;
    this.#endpoints.leave();
    this.#live.end("shutdown");
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

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

function historyOf(deployment: Deployment | undefined): History {
  return { deployed: deployment?.model, kept: deployment?.kept ?? nothingKept };
}

/** Somebody else's outage refuses a deploy; a schema that was accepted before is served in spite of it. */
async function openHooks({ hooks }: Pick<Deployment, "hooks">, why: "validate" | "deploy" | "restart", log: Log): Promise<void> {
  for (const each of hooks) {
    try {
      await each.hooks.open?.(why);
    } catch (thrown) {
      if (why !== "restart" || !(thrown instanceof QuernError)) throw thrown;
      log.warn("plugin", `the plugin ${each.plugin} starts without what it has to fetch: ${thrown.message}`, { plugin: each.plugin });
    }
  }
}

async function closeHooks(deployment: Pick<Deployment, "hooks"> | undefined): Promise<void> {
  for (const { hooks } of deployment?.hooks ?? []) await hooks.close?.();
}
