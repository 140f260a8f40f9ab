// One background task of a plugin while its schema is served: called again after errors, on one server at a time if it must be.

import { setTimeout as pause } from "node:timers/promises";
import type { BackgroundContext } from "../contracts/plugin/background.ts";
import type { Transaction } from "../contracts/storage/snapshot.ts";
import { QuernError } from "../ground/errors.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { pluginWork } from "../mutation/context/plugin-work.ts";
import { held, heldLong } from "../mutation/transaction/held-transaction.ts";
import { hiddenWrites } from "./hidden-writes.ts";
import { Lease } from "./lease.ts";
import type { TaskOptions } from "./options.ts";
import { rewrite } from "./rewrite.ts";

const defaultLeaseMs = 15_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

export class RunningTask {
  readonly #options: TaskOptions;
  readonly #ending = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(options: TaskOptions) {
    this.#options = options;
  }

  start(): void {
    if (!this.#ending.signal.aborted) this.#ended = this.#repeat();
  }

  abort(): void {
    this.#ending.abort();
  }

  /** A task that does not end in time is left alone; the store refuses its later calls. */
  async end(): Promise<void> {
    this.abort();
    const { closeMs } = this.#options.limits;
    const patience = new AbortController();
    const waited = pause(closeMs, "late", { signal: patience.signal }).catch(() => undefined);
    const late = await Promise.race([this.#ended, waited]);
    patience.abort();
    if (late === "late") this.#log("warn", `does not end: ${closeMs / 1_000} s are over, and it is left alone`);
  }

  /** Until `run` returns or the task is ended. */
  async #repeat(): Promise<void> {
    const { signal } = this.#ending;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const begun = performance.now();
      try {
        if ((await this.#run()) === "done") return;
      } catch (thrown) {
        if (signal.aborted) return;
        this.#report(thrown);
      }
      if (performance.now() - begun > longestPauseMs) pauseMs = firstPauseMs;
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #run(): Promise<"done" | "lost"> {
    const lease = await this.#lease();
    const { signal } = this.#ending;
    const working = lease ? AbortSignal.any([signal, lease.lost.signal]) : signal;
    const releases: (() => void)[] = [];
    try {
      await this.#options.task.run(this.#context(working, { lease, releases }));
      return lease?.lost.signal.aborted && !signal.aborted ? "lost" : "done";
    } catch (thrown) {
      // Work that is cut off when the lease is gone has not failed.
      if (lease?.lost.signal.aborted) return "lost";
      throw thrown;
    } finally {
      for (const release of releases) release();
      await lease?.release().catch((thrown) => this.#log("debug", `its lease ends later, on its own: ${String(thrown)}`));
    }
  }

  /** A store with a folder of its own is open in one process: nobody else could run the task. */
  async #lease(): Promise<Lease | undefined> {
    const { storage, task, plugin, deployment } = this.#options;
    if (task.runs === "everywhere" || storage.folder !== undefined) return undefined;
    const { leaseMs: durationMs = defaultLeaseMs } = task;
    return await Lease.take({ storage, version: deployment.version, name: `lease:${plugin}/${task.name}`, durationMs, signal: this.#ending.signal });
  }

  #context(signal: AbortSignal, run: { readonly lease: Lease | undefined; readonly releases: (() => void)[] }): BackgroundContext {
    const { storage, deployment, gauges, execute, limits, closing, plugin, task } = this.#options;
    const { version } = deployment;
    const { lease, releases } = run;
    const place = { plugin, hook: `background task ${task.name}, a transaction` };
    const logLong = (outsideMs: number) => this.#log("warn", heldLong("A transaction", outsideMs), { outsideMs });
    const transact = <T>(work: (transaction: Transaction) => MaybePromise<T>) => {
      const bounded = pluginWork(place, work, { hookMs: limits.hookMs, closing });
      const leased = async (transaction: Transaction) => {
        if (lease && !(await lease.isHeld(transaction))) throw new QuernError("CANCELLED", "another server has the lease of this task");
        return await held(transaction, bounded, logLong);
      };
      return storage.transact(leased, { version });
    };
    return {
      signal,
      snapshot: () => storage.snapshot({ version }),
      transact: (work) => transact((transaction) => work(hiddenWrites(transaction, this.#options))),
      rewrite: (pass) => rewrite(pass, { ...this.#options, signal, transact }),
      changes: (listener) => void releases.push(storage.changes(listener)),
      execute,
      log: (level, message, facts = {}) => this.#log(level, message, facts),
      gauge: (name, read) => void releases.push(gauges.add(name, read)),
    };
  }

  #report(thrown: unknown): void {
    const { log, plugin, task } = this.#options;
    // Another schema is about to be served here, or another server has taken over.
    if (thrown instanceof QuernError && (thrown.code === "STALE_LAYOUT" || thrown.code === "CANCELLED")) this.#log("debug", thrown.message);
    else log.fault(thrown, { plugin, task: task.name, where: "background work" });
  }

  #log(level: Parameters<BackgroundContext["log"]>[0], message: string, facts: Parameters<BackgroundContext["log"]>[2] = {}): void {
    const { log, plugin, task } = this.#options;
    log.write(level, "plugin", `${plugin}, ${task.name}: ${message}`, { plugin, task: task.name, ...facts });
  }
}
