// The engine of `@withSubscription`: the live queries of the schema that is served, one after the other of those that are deployed.

import type { LiveClient, LiveEngine, LiveFigures, LiveHost, LiveOperation, LiveReport, MaybePromise } from "../../../core/plugin.ts";
import { type LiveCounters, LiveQueryEngine } from "./live-query-engine.ts";
import { RunQueue } from "./run-queue.ts";

export class LiveQueries implements LiveEngine {
  readonly #host: LiveHost;
  readonly #queue: RunQueue;
  readonly #counters: LiveCounters = { runs: 0, unchangedRuns: 0, results: 0, tests: 0 };
  #engine: LiveQueryEngine | undefined;

  constructor(host: LiveHost) {
    this.#host = host;
    this.#queue = new RunQueue((thrown) => host.log.fault(thrown));
  }

  get figures(): LiveFigures {
    const { runs, unchangedRuns: runsInVain, results, tests } = this.#counters;
    return { queries: this.#engine?.size ?? 0, due: (this.#engine?.due ?? 0) + this.#queue.length, runs, runsInVain, results, tests };
  }

  join(client: LiveClient, operation: LiveOperation): () => void {
    this.#engine ??= new LiveQueryEngine({ host: this.#host, schema: operation.schema, queue: this.#queue, counters: this.#counters });
    return this.#engine.join(client, operation);
  }

  invalidateAll(): void {
    this.#engine?.invalidateAll();
  }

  release(): MaybePromise<void> {
    this.#engine?.release();
    this.#engine = undefined;
    return this.#queue.idle();
  }

  report(most: number): LiveReport {
    return this.#engine?.report(most) ?? { total: 0, queries: [] };
  }
}
