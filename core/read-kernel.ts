// The kernel of a read worker: it answers queries that another kernel of the process has handed over, from the store which that one has open.

import type { DirectivePlugin } from "./contracts/plugin/directive-plugin.ts";
import type { HandedAnswer, HandedQuery, ReadSettings } from "./contracts/read-workers.ts";
import type { Storage } from "./contracts/storage/storage.ts";
import { QuernError } from "./ground/errors.ts";
import { compilePattern } from "./query/read/pattern.ts";
import { type LongWork, longWorkWithin } from "./request/budget/long-work.ts";
import { type ActiveSchema, serve } from "./request/documents/active-schema.ts";
import type { ContextOptions } from "./request/operation/request-context.ts";
import { answerHanded } from "./request/pipeline/answer-handed.ts";
import { nestedRuns } from "./request/pipeline/run-nested.ts";
import { Deployments } from "./schema/deployment/deployments.ts";
import { isDevelopment } from "./schema/plugins/frozen-arguments.ts";
import { guardLanguages } from "./schema/plugins/guard-languages.ts";
import { HookHost } from "./schema/plugins/hook-host.ts";
import { logHeld } from "./telemetry/held.ts";
import type { LogConfig } from "./telemetry/log.ts";
import { openLog } from "./telemetry/log.ts";

/** The configuration of `createReadKernel`. */
export interface ReadKernelConfig {
  /** Made by `StoreReaders.storage`. The kernel opens and closes it. */
  readonly storage: Storage;
  /** The plugins of the kernel that hands queries over, configured in the same way. Those that administrate users may be absent. */
  readonly plugins: readonly DirectivePlugin[];
  readonly settings: ReadSettings;
  readonly log: Pick<LogConfig, "to">;
}

/** Answers queries that were handed over. It reads, and knows its callers from who hands over. */
export interface ReadKernel {
  /** Opens the storage, and serves the schema that is deployed. */
  open(): Promise<void>;
  /** Closes the storage. */
  close(): Promise<void>;
  /** The schema that is served; undefined: none is deployed. */
  readonly deployed: { readonly version: number; readonly document: string } | undefined;
  /**
   * Undefined: the query was planned for another deployment. Never rejects.
   *
   * @param onGone calls its listener when the client no longer waits
   */
  answer(query: HandedQuery, onGone: (listener: () => void) => void): Promise<HandedAnswer | undefined>;
  /** What the server holds of answers that no client has taken has grown, or shrunk, by `bytes`. */
  unsent(bytes: number): void;
}

/** Creates the kernel of a read worker; `open` starts it. `readWorkers` of `quern/adapters/read-workers` calls it in each thread. */
export function createReadKernel(config: ReadKernelConfig): ReadKernel {
  return new RunningReadKernel(config);
}

class RunningReadKernel implements ReadKernel {
  readonly #storage: Storage;
  readonly #options: ContextOptions;
  readonly #longWork: LongWork;
  readonly #deployments: Deployments<ActiveSchema>;

  constructor({ storage, plugins, settings, log }: ReadKernelConfig) {
    const { limits, debug, errors, extensions, logLevel } = settings;
    this.#storage = storage;
    this.#longWork = longWorkWithin(limits);
    const ownLog = openLog({ ...log, level: logLevel }, undefined);
    const host = new HookHost({ limits, held: (place, ms) => logHeld(ownLog, place, ms) });
    this.#options = {
      limits,
      longWork: this.#longWork,
      debug,
      errors,
      extensions: extensions ? {} : false,
      log: ownLog,
      languages: guardLanguages(plugins, host),
    };
    this.#deployments = new Deployments({
      storage,
      plugins,
      compilePattern,
      maxSchemaTokens: limits.maxSchemaTokens,
      errors,
      freezesArguments: debug || isDevelopment(),
      log: this.#options.log,
      host,
      serve: (deployment) => serve(deployment, { limits, nested: (schema) => nestedRuns(schema, this.#options) }),
      replaced: () => undefined,
      erased: () => undefined,
      findBroken: async () => [],
    });
  }

  get deployed(): ReadKernel["deployed"] {
    return this.#deployments.deployment;
  }

  async open(): Promise<void> {
    await this.#storage.open();
    try {
      await this.#deployments.open();
    } catch (thrown) {
      await this.#storage.close();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.#deployments.stopListening();
    await this.#deployments.close();
    await this.#storage.close();
  }

  unsent(bytes: number): void {
    this.#longWork.unsent(bytes);
  }

  async answer(query: HandedQuery, onGone: (listener: () => void) => void): Promise<HandedAnswer | undefined> {
    const { served } = this.#deployments;
    if (served === undefined || served.deployment.version !== query.version || this.#isStale()) return undefined;
    const answer = await answerHanded(query, served, { ...this.#options, storage: this.#storage, onGone });
    // A deploy may have come between.
    return answer.outcome !== "ok" && this.#isStale() ? undefined : answer;
  }

  /** Another schema was deployed since this one was opened. */
  #isStale(): boolean {
    try {
      this.#storage.snapshot({ version: this.deployed?.version ?? 0 }).close();
      return false;
    } catch (thrown) {
      if (thrown instanceof QuernError) return true;
      throw thrown;
    }
  }
}
