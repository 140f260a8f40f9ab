// The kernel: one storage, a list of plugins, and the schema that is deployed. Transports and embedding applications talk to it.

import { assertNoProblems, checkKernelConfig } from "./config/check-config.ts";
import type { KernelConfig } from "./config/config.ts";
import { type Limits, resolveLimits } from "./config/limits.ts";
import type { Erase, MigrateOptions, Storage } from "./contracts/storage.ts";
import type { Door, HttpRequest, HttpResponse, SocketAcceptance } from "./contracts/transport.ts";
import type { MaybePromise } from "./contracts/values.ts";
import type { Deployment } from "./deploy/deployment.ts";
import { prepareDeployment } from "./deploy/prepare-deployment.ts";
import { QuernError } from "./errors.ts";
import { drainingText } from "./http/draining.ts";
import { HttpEndpoints } from "./http/endpoints.ts";
import type { LiveRequest, Subscriber, Subscription } from "./live/live.ts";
import { subscribeOnce } from "./live/subscribe-once.ts";
import { isPromise } from "./maybe-promise.ts";
import { logFault, logHidden } from "./pipeline/faults.ts";
import { Pipeline, type Served } from "./pipeline/pipeline.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./pipeline/request.ts";

/** Where the schema update counter is kept in storage. */
const counterName = "schemaUpdateCounter";

export interface Kernel extends Door {
  readonly storage: Storage;
  readonly limits: Limits;
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
   * Serves `text` from now on, over all the data there are. Resolves when the new API answers. An unchanged text succeeds and
   * changes nothing. Errors: `SCHEMA_INVALID`, `PLUGIN_MISSING`, `MIGRATION_REFUSED`; then the old schema goes on.
   */
  deploy(text: string, options?: MigrateOptions): Promise<void>;
  /** The errors that `deploy` would refuse `text` with, as far as they do not depend on the data. Fetches what the text refers to. */
  validate(text: string): Promise<readonly QuernError[]>;
  /** Forgets data, or data and schema, or one field. */
  erase(what: Erase): Promise<void>;
  /** While it is true, `/graphql` and `execute` answer no root field. */
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
  readonly #config: KernelConfig;
  readonly #pipeline: Pipeline;
  readonly #endpoints: HttpEndpoints;
  #served: Served | undefined;
  #counter = 0;
  #open = false;
  #running = 0;
  #whenIdle: (() => void) | undefined;
  /** Deploys and erasures run one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #stopListening: (() => void) | undefined;
  #draining = false;
  readonly #shutdownListeners = new Set<() => void>();

  constructor(config: KernelConfig) {
    this.#config = config;
    this.storage = config.storage;
    this.limits = resolveLimits(config.limits);
    const errors = { debug: config.debug ?? false, log: logFault, logHidden };
    this.#pipeline = new Pipeline({
      storage: this.storage,
      limits: this.limits,
      errors,
      plugins: config.envelop ?? [],
      unavailable: () => (this.#draining ? drainingText : undefined),
    });
    this.#endpoints = new HttpEndpoints(this, config);
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
    await this.storage.open();
    const deployed = await this.storage.deployed();
    if (deployed) await this.#serve(deployed.document, "restart");
    this.#counter = await this.#readCounter();
    this.#stopListening = this.storage.deploys((other) => void this.#inTurn(() => this.#serve(other.document, "restart")).catch(logFault));
    this.#open = true;
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#stopListening?.();
    await this.#turn;
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await closeHooks(this.deployment);
    this.#served = undefined;
    await this.storage.close();
  }

  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer> {
    this.#running++;
    const answer = this.#pipeline.answer(request, this.#served);
    if (!isPromise(answer)) {
      this.#ended();
      return answer;
    }
    return answer.then((value) => {
      this.#ended();
      return value;
    });
  }

  subscribe(request: LiveRequest, subscriber: Subscriber): Subscription {
    return subscribeOnce((each) => this.execute(each), request, subscriber);
  }

  http(request: HttpRequest): MaybePromise<HttpResponse> {
    return this.#endpoints.http(request);
  }

  bodyTooLarge(request: Omit<HttpRequest, "body">): HttpResponse {
    return this.#endpoints.bodyTooLarge(request);
  }

  upgrade(request: Omit<HttpRequest, "body">): MaybePromise<HttpResponse | SocketAcceptance> {
    return this.#endpoints.http({ ...request, body: new Uint8Array(0) });
  }

  deploy(text: string, options?: MigrateOptions): Promise<void> {
    return this.#inTurn(async () => {
      const changed = await this.#serve(text, "deploy", options);
      if (changed) await this.#count();
    });
  }

  async validate(text: string): Promise<readonly QuernError[]> {
    try {
      const prepared = prepareDeployment(text, this.#config.plugins ?? []);
      try {
        await openHooks(prepared, "validate");
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
      if (what.kind === "all") {
        await closeHooks(this.deployment);
        this.#served = undefined;
        this.#counter = count;
        await this.#count();
      }
    });
  }

  /** @returns whether the text is another than the one served before */
  async #serve(text: string, why: "deploy" | "restart", options?: MigrateOptions): Promise<boolean> {
    const before = this.deployment;
    if (before?.document === text) return false;
    const prepared = prepareDeployment(text, this.#config.plugins ?? []);
    try {
      await openHooks(prepared, why);
      const { version } = await this.storage.migrate(prepared.layout, text, options);
      this.#served = this.#pipeline.serve({ ...prepared, version });
    } catch (thrown) {
      await closeHooks(prepared);
      throw thrown;
    }
    await closeHooks(before);
    return true;
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
    this.#draining = on;
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

  #ended(): void {
    this.#running--;
    if (this.#running === 0) this.#whenIdle?.();
  }
}

/** Somebody else's outage refuses a deploy; a schema that was accepted before is served in spite of it. */
async function openHooks({ hooks }: Pick<Deployment, "hooks">, why: "validate" | "deploy" | "restart"): Promise<void> {
  for (const each of hooks) {
    try {
      await each.hooks.open?.(why);
    } catch (thrown) {
      if (why !== "restart" || !(thrown instanceof QuernError)) throw thrown;
      process.emitWarning(`The plugin ${each.plugin} starts without what it has to fetch: ${thrown.message}`, "QuernPluginWarning");
    }
  }
}

async function closeHooks(deployment: Pick<Deployment, "hooks"> | undefined): Promise<void> {
  for (const { hooks } of deployment?.hooks ?? []) await hooks.close?.();
}
