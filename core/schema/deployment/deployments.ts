// Holds the served deployment and replaces it: on deploys, on erasures, and when another server on the same store deploys.

import { setTimeout as pause } from "node:timers/promises";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { MigrateOptions } from "../../contracts/storage/migration.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { Deployed, Erase, Storage } from "../../contracts/storage/storage.ts";
import type { ErrorStyle } from "../../ground/error-style.ts";
import { type ErrorCode, QuernError } from "../../ground/errors.ts";
import type { PluginFault } from "../../ground/plugin-fault.ts";
import { run } from "../../ground/work.ts";
import type { Log } from "../../telemetry/log.ts";
import { logDeploy, migrationLog } from "../../telemetry/log-deploy.ts";
import type { Api } from "../api/api.ts";
import { standingLayout } from "../layout/layout.ts";
import { type History, type KeptNames, nothingKept } from "../model/kept-names.ts";
import { keepPluginNames, missingPlugins } from "../plugins/deployed-plugins.ts";
import type { GuardOptions } from "../plugins/guard-hooks.ts";
import type { HookHost } from "../plugins/hook-host.ts";
import { type BrokenDocument, compareDeployment, type DeployComparison } from "./compare-deployment.ts";
import { declaredFields } from "./declared-fields.ts";
import { keepDeploy, type PastDeploy, readPastDeploys, readPastText } from "./deploy-history.ts";
import type { Deployment, PreparedDeployment, StoredLayout } from "./deployment.ts";
import { readKept, writeKept } from "./kept-store.ts";
import type { DeployOptions, OpenOptions, ValidateOptions } from "./options.ts";
import { closeHooks, openHooks } from "./plugin-hooks.ts";
import { type CompilePattern, type PrepareOptions, prepareSchema } from "./prepare-deployment.ts";
import { surveyed, warningsOf } from "./survey.ts";
import { findUnreachable, type Unreachable, unreachableText } from "./unreachable.ts";
import { UpdateCounter } from "./update-counter.ts";

/** Time limit for counting hidden nodes in a deploy. */
const countingMs = 500;

/** A server that misses the notice of a deploy sees it by itself within ten seconds. */
const followsWithinMs = 12_000;

/** Why a deployed schema cannot be served that the next deploy replaces. */
const replaceable: ReadonlySet<ErrorCode> = new Set(["PLUGIN_MISSING", "MIGRATION_REFUSED"]);

/** The document under which the storage has what plugins store while no schema is deployed. */
const noSchema = "";

function isSchema(deployed: Deployed | undefined): deployed is Deployed {
  return deployed !== undefined && deployed.document !== noSchema;
}

/** The state that serves requests of one deployment. */
interface Serving {
  readonly deployment: Deployment;
}

export interface DeploymentsOptions<Served extends Serving> extends GuardOptions {
  readonly storage: Storage;
  readonly plugins: readonly DirectivePlugin[];
  readonly compilePattern: CompilePattern;
  /** Tokens of a schema that is new. */
  readonly maxSchemaTokens: number;
  readonly errors: ErrorStyle;
  readonly log: Log;
  /** What calls the hooks. */
  readonly host: HookHost;
  readonly serve: (deployment: Deployment) => Served;
  /** Called after the served schema has changed or gone. */
  readonly replaced: () => void;
  /** Finds trusted documents that are invalid under an API. */
  readonly findBroken: (api: Api) => Promise<readonly BrokenDocument[]>;
  /** Called after data were erased: no change record says which. */
  readonly erased: () => void;
}

/** Runs deploys and erasures one after the other, and holds the result. */
export class Deployments<Served extends Serving> {
  readonly #options: DeploymentsOptions<Served>;
  #served: Served | undefined;
  /** What plugins store while no schema is deployed. Undefined: nothing. */
  #standing: StoredLayout | undefined;
  readonly #counter = new UpdateCounter();
  /** Called when another schema is served, or none. */
  readonly #waiting = new Set<() => void>();
  /** The deployed schema that cannot be served: plugins are missing, or lay it out in another way. */
  #unserved: Pick<Deployment, "document" | "version" | "kept"> | undefined;
  /** Deploys and erasures run one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #stopListening: (() => void) | undefined;

  constructor(options: DeploymentsOptions<Served>) {
    this.#options = options;
  }

  get served(): Served | undefined {
    return this.#served;
  }

  get deployment(): Deployment | undefined {
    return this.#served?.deployment;
  }

  /** The layout of the store, as far as this server knows it. */
  get stored(): StoredLayout | undefined {
    return this.deployment ?? this.#standing;
  }

  /** What is served in the place of `served`, as soon as it is; undefined: nothing within some seconds, or the server closes. */
  async servedAfter(served: Served): Promise<Served | undefined> {
    if (this.#served === served) {
      const changed = new Promise<void>((resolve) => this.#waiting.add(resolve));
      await Promise.race([changed, pause(followsWithinMs, undefined, { ref: false })]);
    }
    return this.#served === served ? undefined : this.#served;
  }

  /** The schema update counter: the number of changes of the served schema. */
  get counter(): number {
    return this.#counter.value;
  }

  /** Serves the schema that was deployed last, and follows deploys of other servers. Requires an open storage. */
  async open({ replacing = false, replaceLayout = false, deferIndexes = false }: OpenOptions = {}): Promise<void> {
    const { storage, log } = this.#options;
    const deployed = await this.#deployedAfterStanding({ replaceLayout });
    this.#unserved = undefined;
    if (deployed) {
      try {
        const takeOver = storage.supports.shared && !replaceLayout ? "follow" : "start";
        await this.#takeOver(deployed.document, { takeOver, deferIndexes, progress: migrationLog(log) });
      } catch (thrown) {
        if (!replacing || !(thrown instanceof QuernError && replaceable.has(thrown.code))) throw thrown;
        log.warn("deploy", thrown.message);
        this.#unserved = { ...deployed, kept: await this.#readKept(deployed.document) };
      }
    }
    await this.#viewed((view) => this.#counter.read(view));
    this.#stopListening = storage.deploys((other) => void this.#serialize(() => this.#follow(other)).catch((thrown) => log.fault(thrown)));
  }

  async #follow({ document }: Deployed): Promise<void> {
    if (document === noSchema) await this.#layOut({ takeOver: "follow" });
    else await this.#takeOver(document, { takeOver: "follow" });
  }

  /** The deployed schema. Where there is none, what plugins store all the same is laid out. */
  async #deployedAfterStanding({ replaceLayout }: Required<Pick<OpenOptions, "replaceLayout">>): Promise<Deployed | undefined> {
    const { storage } = this.#options;
    const deployed = await storage.deployed();
    if (isSchema(deployed)) return deployed;
    try {
      const follows = deployed !== undefined && storage.supports.shared && !replaceLayout;
      await this.#layOut({ takeOver: follows ? "follow" : "start" });
      return undefined;
    } catch (thrown) {
      // Another server may have deployed meanwhile.
      const now = await storage.deployed();
      if (thrown instanceof QuernError && thrown.code === "STALE_LAYOUT" && isSchema(now)) return now;
      throw thrown;
    }
  }

  async #layOut(options: MigrateOptions): Promise<void> {
    const { storage, plugins } = this.#options;
    const layout = standingLayout(plugins);
    const isNothing = layout.types.length === 0 && (await storage.deployed()) === undefined;
    this.#standing = isNothing ? undefined : { layout, version: (await storage.migrate(layout, noSchema, options)).version };
  }

  #serveNext(served: Served | undefined): void {
    this.#served = served;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Stops following deploys of other servers. */
  stopListening(): void {
    this.#stopListening?.();
    this.#wake();
  }

  /** Resolves when no deploy is running. */
  idle(): Promise<void> {
    return this.#queue;
  }

  /** Stops serving. Never rejects: returns the errors of the plugins' `close` hooks. */
  close(): Promise<readonly PluginFault[]> {
    const { deployment } = this;
    this.#serveNext(undefined);
    return closeHooks(deployment, this.#options.log);
  }

  deploy(text: string, options?: DeployOptions): Promise<void> {
    return this.#serialize(() =>
      logDeploy(this.#options.log, options ?? {}, async (logged) => {
        if (this.#changesIndexes(text, logged)) {
          await this.#serve(text, "restart", logged);
          return false;
        }
        const before = this.deployment?.document ?? this.#unserved?.document;
        const changed = await this.#serve(text, "deploy", logged);
        if (changed)
          await this.#counter.increment(this.#options.storage, this.#version, async (transaction) => {
            await keepPluginNames(text, this.#options.plugins, transaction);
            await keepDeploy(transaction, { before, next: text });
          });
        return changed;
      }),
    );
  }

  compare(text: string): Promise<DeployComparison> {
    return this.#serialize(async () => {
      const before = this.deployment;
      const next = await this.#prepareNew(text, historyOf(before));
      try {
        await openHooks(next, "validate", this.#options.log);
        const comparison = await compareDeployment(this.#options.storage, { before, next });
        const brokenDocuments = await this.#options.findBroken(next.api);
        return brokenDocuments.length === 0 ? comparison : { ...comparison, brokenDocuments };
      } finally {
        await closeHooks(next, this.#options.log);
      }
    });
  }

  async validate(text: string, { alone = false }: ValidateOptions = {}): Promise<readonly QuernError[]> {
    try {
      const prepared = await this.#prepareNew(text, alone ? undefined : historyOf(this.deployment));
      try {
        if (!alone) await openHooks(prepared, "validate", this.#options.log);
      } finally {
        await closeHooks(prepared, this.#options.log);
      }
      return [];
    } catch (thrown) {
      if (!(thrown instanceof QuernError)) throw thrown;
      return thrown.errors.length > 0 ? thrown.errors : [thrown];
    }
  }

  /** The deploys that the store remembers, the newest first. */
  pastDeploys(): Promise<readonly PastDeploy[]> {
    return this.#viewed(readPastDeploys);
  }

  /** The text of a deploy; undefined: the store does not have it, or no longer. */
  pastText(id: number): Promise<string | undefined> {
    return this.#viewed((view) => readPastText(view, id));
  }

  erase(what: Erase): Promise<void> {
    return this.#serialize(async () => {
      await this.#options.storage.erase(what);
      this.#options.log.warn("erase", `an administrator has dropped ${what.kind === "field" ? what.name : what.kind}`, { what: what.kind });
      if (what.kind !== "all") return this.#options.erased();
      const before = this.deployment;
      this.#serveNext(undefined);
      this.#unserved = undefined;
      await this.#layOut({ takeOver: "start" });
      this.#options.replaced();
      await closeHooks(before, this.#options.log);
      await this.#counter.increment(this.#options.storage, this.#version);
    });
  }

  /** Serves the schema that an earlier run or another server has deployed. */
  async #takeOver(text: string, options: MigrateOptions): Promise<void> {
    for (let document: string | undefined = text; document !== undefined; ) {
      try {
        await this.#assertPlugins(document);
        await this.#serve(document, "restart", options);
        return;
      } catch (thrown) {
        if (!(thrown instanceof QuernError && thrown.code === "STALE_LAYOUT")) throw thrown;
        const now = await this.#options.storage.deployed();
        document = isSchema(now) ? now.document : undefined;
      }
    }
  }

  async #assertPlugins(document: string): Promise<void> {
    const deployed = await this.#options.storage.deployed();
    const snapshot = this.#options.storage.snapshot({ version: deployed?.version ?? 0 });
    try {
      const missing = await missingPlugins(document, this.#options.plugins, snapshot);
      if (missing) throw missing;
    } finally {
      snapshot.close();
    }
  }

  /** The state that the next deploy replaces. */
  #history(): History {
    return this.#unserved ? { deployed: undefined, kept: this.#unserved.kept } : historyOf(this.deployment);
  }

  get #version(): number {
    return this.deployment?.version ?? this.#unserved?.version ?? this.#standing?.version ?? 0;
  }

  /** Whether a deploy of the schema that is served defers indexes, or builds those that were deferred. */
  #changesIndexes(text: string, { deferIndexes }: MigrateOptions): boolean {
    return deferIndexes !== undefined && this.#options.storage.supports.deferredIndexes === true && this.deployment?.document === text;
  }

  /** @returns whether the served schema changed */
  async #serve(text: string, why: "deploy" | "restart", options: DeployOptions = {}): Promise<boolean> {
    const before = this.deployment;
    const isServed = before?.document === text && before.version === (await this.#options.storage.deployed())?.version;
    if (isServed && !this.#changesIndexes(text, options)) return false;
    const history = why === "deploy" ? this.#history() : { deployed: undefined, kept: await this.#readKept(text) };
    // What the store holds is served whatever its length.
    const prepared = await (why === "deploy" ? this.#prepareNew(text, history) : this.#prepare(text, { history }));
    let unreachable: readonly Unreachable[] = [];
    try {
      await openHooks(prepared, why, this.#options.log);
      if (before && why === "deploy") {
        unreachable = await findUnreachable(this.#options.storage, { before, next: prepared, withinMs: countingMs });
      }
      const replaced = before ?? this.#unserved;
      if (replaced && why === "deploy") await writeKept(this.#options.storage, replaced, prepared);
      const report = (sentence: string) => {
        this.#options.log.warn("migration", sentence);
        options.onWarning?.(sentence);
      };
      const { version } = await this.#options.storage.migrate(prepared.layout, text, {
        ...options,
        report,
        declared: declaredFields(prepared.model),
      });
      this.#serveNext(this.#options.serve({ ...prepared, version }));
      this.#unserved = undefined;
    } catch (thrown) {
      await closeHooks(prepared, this.#options.log);
      throw thrown;
    }
    this.#options.replaced();
    await closeHooks(before, this.#options.log);
    if (why === "deploy") await this.#warn(prepared, options);
    for (const each of unreachable) {
      options.onUnreachable?.(each);
      this.#options.log.warn("unreachable", unreachableText(each), { ...each });
    }
    return true;
  }

  async #warn({ hooks }: PreparedDeployment, { onWarning }: DeployOptions): Promise<void> {
    const { log, storage, host } = this.#options;
    const found = await surveyed(hooks, { storage, version: this.#version, log, patience: host.surveying });
    for (const { plugin, message, at } of [...warningsOf(hooks), ...found]) {
      const { line, column } = at?.loc?.startToken ?? {};
      log.warn("schema", message, { plugin, ...(line !== undefined && { line }), ...(column !== undefined && { column }) });
      onWarning?.(message);
    }
  }

  #prepareNew(text: string, history: History | undefined): Promise<PreparedDeployment> {
    return this.#prepare(text, { history, maxTokens: this.#options.maxSchemaTokens });
  }

  /** Requests are answered between two steps. */
  async #prepare(text: string, options: Pick<PrepareOptions, "history" | "maxTokens">): Promise<PreparedDeployment> {
    const { plugins, compilePattern, errors, host, freezesArguments } = this.#options;
    return await run(prepareSchema(text, { plugins, compilePattern, errors, host, freezesArguments, ...options }));
  }

  async #readKept(document: string): Promise<KeptNames> {
    const deployed = await this.#options.storage.deployed();
    return await readKept(this.#options.storage, { document, version: deployed?.version ?? 0 });
  }

  async #viewed<T>(read: (view: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#options.storage.snapshot({ version: this.#version });
    try {
      return await read(snapshot);
    } finally {
      snapshot.close();
    }
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}

function historyOf(deployment: Deployment | undefined): History {
  return { deployed: deployment?.model, kept: deployment?.kept ?? nothingKept };
}
