// Threads that run long queries beside the kernel's own. Each ends alone, when a query needs too much memory or time, and another one takes its place.

import {
  type HandedAnswer,
  type HandedQuery,
  type HandedQueryCaller,
  QuernError,
  type ReadWorkers,
  type ReadWorkersCounters,
  type ReadWorkersHost,
  type WorkerPlacement,
} from "../../core/index.ts";
import { ReadWorker } from "./read-worker.ts";
import { workerPlacement } from "./worker-placement.ts";

/** Options of `readWorkers`. */
export interface ReadWorkersOptions {
  /** How many threads at most, each started when it is first needed. Useful: one for each core that the kernel's own thread leaves. */
  readonly count: number;
  /**
   * URL of a module whose default export is the kernel's configuration, or a function that makes it: each thread loads it anew. Its storage and its plugins
   * must be those of the kernel.
   */
  readonly config: URL | string;
  /** The argument of that function; plain data. */
  readonly argument?: unknown;
  /**
   * Bound of the decoded data that all threads together keep in memory; each keeps at least 32 MiB. By default each keeps as much as the kernel's own
   * storage, and all together four times as much at most.
   */
  readonly cacheBytes?: number;
  /** Bound of the heap of one thread, beside its cache. A query that needs more ends its thread, and fails. Default: 512 MiB. */
  readonly maxHeapBytes?: number;
  /** Estimated cost, in nodes, from which a query that has never run begins in a worker; 0: every query. Default: 20,000. */
  readonly fromCost?: number;
  /** A thread that had no query for so long ends, in milliseconds: it takes some 60 MiB. The next long query starts another one. Default: 60,000. */
  readonly idleMs?: number;
  /** Each thread collects its garbage while it waits (`collectWhenIdle`), with a flag of V8 that is one of the whole process. Default: false. */
  readonly collectWhenIdle?: boolean;
}

const defaultMaxHeapBytes = 512 << 20;
const defaultIdleMs = 60_000;
const leastCacheBytes = 32 << 20;
/** Caches of the kernel's storage that all threads together have by default. */
const defaultCaches = 4;
/** Until a worker that could not start is tried again, the first time; each further time twice as long. */
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;

/**
 * Read workers for `KernelConfig.readWorkers`: one for each kernel, on a storage that several threads can read.
 *
 * @throws QuernError `CONFIG_INVALID`
 */
export function readWorkers(options: ReadWorkersOptions): ReadWorkers {
  if (!Number.isInteger(options.count) || options.count < 1) {
    throw new QuernError("CONFIG_INVALID", `readWorkers: count is ${options.count}; it must be a whole number from 1.`);
  }
  if (options.idleMs !== undefined && !(options.idleMs > 0)) {
    throw new QuernError("CONFIG_INVALID", `readWorkers: idleMs is ${options.idleMs}; it must be a number of milliseconds above 0.`);
  }
  return new Pool(options);
}

class Pool implements ReadWorkers {
  readonly placement: WorkerPlacement;
  readonly #options: ReadWorkersOptions;
  readonly #workers = new Set<ReadWorker>();
  /** How many workers queries have asked for. Each costs memory, and processor time when it starts: there are no more than are used. */
  #wanted = 0;
  #host: ReadWorkersHost | undefined;
  #unsent = 0;
  #handed = 0;
  #restarts = 0;
  /** Starts in a row of which none was successful. */
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: ReadWorkersOptions) {
    this.#options = options;
    this.placement = workerPlacement(options.fromCost);
  }

  get counters(): ReadWorkersCounters {
    const deployed = this.#host?.deployed();
    const all = [...this.#workers];
    return {
      ready: deployed === undefined ? 0 : all.filter((each) => each.serves(deployed)).length,
      running: all.reduce((sum, { running }) => sum + running, 0),
      handedTotal: this.#handed,
      restartsTotal: this.#restarts,
    };
  }

  open(host: ReadWorkersHost): void {
    this.#host = host;
  }

  async close(): Promise<void> {
    this.#host = undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    await Promise.all([...this.#workers].map((each) => each.leave()));
  }

  run(query: HandedQuery, caller: HandedQueryCaller): Promise<HandedAnswer | undefined> | undefined {
    const worker = this.#leastBusy();
    if (worker === undefined || worker.running > 0) this.#want();
    const running = worker?.run(query, caller);
    if (worker === undefined || running === undefined) return undefined;
    this.#handed++;
    return running.then((answer) => {
      // What it serves is not deployed any more.
      if (answer === undefined) this.#replace(worker);
      return answer;
    });
  }

  replaced(): void {
    const deployed = this.#host?.deployed();
    for (const each of this.#workers) if (deployed === undefined || !each.mayServe(deployed)) void each.leave();
    this.#failures = 0;
    this.#fill();
  }

  unsent(bytes: number): void {
    this.#unsent += bytes;
    for (const each of this.#workers) each.unsent(bytes);
  }

  /** One more, unless one is still starting. */
  #want(): void {
    const deployed = this.#host?.deployed();
    if (deployed === undefined || this.#wanted >= this.#options.count) return;
    const staying = this.#staying();
    if (staying.length < this.#wanted || staying.some((each) => !each.serves(deployed))) return;
    this.#wanted++;
    this.#fill();
  }

  #staying(): readonly ReadWorker[] {
    return [...this.#workers].filter((each) => !each.isLeaving);
  }

  #leastBusy(): ReadWorker | undefined {
    const deployed = this.#host?.deployed();
    if (deployed === undefined) return undefined;
    let found: ReadWorker | undefined;
    for (const each of this.#workers) if (each.serves(deployed) && each.running < (found?.running ?? Number.POSITIVE_INFINITY)) found = each;
    return found;
  }

  #replace(worker: ReadWorker): void {
    void worker.leave();
    this.#fill();
  }

  #fill(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#host?.deployed() === undefined) return;
    for (let i = this.#staying().length; i < this.#wanted; i++) this.#workers.add(this.#started(this.#host));
  }

  #started(host: ReadWorkersHost): ReadWorker {
    const { config, argument, maxHeapBytes = defaultMaxHeapBytes, collectWhenIdle = false, idleMs = defaultIdleMs } = this.#options;
    const cacheBytes = Math.max(leastCacheBytes, this.#shareOfCache(host));
    return new ReadWorker({
      host,
      config: String(config),
      argument,
      cacheBytes,
      maxHeapBytes: maxHeapBytes + cacheBytes,
      collectWhenIdle,
      unsentBytes: this.#unsent,
      idleMs,
      ready: () => {
        this.#failures = 0;
      },
      rested: (worker) => {
        this.#wanted--;
        void worker.leave();
      },
      ended: (worker, reason) => this.#ended(worker, reason),
    });
  }

  /** Scans of more than a thread keeps decode all of it again: too small a share costs half of the rate. */
  #shareOfCache({ storage }: ReadWorkersHost): number {
    const { count, cacheBytes } = this.#options;
    if (cacheBytes !== undefined) return cacheBytes / count;
    const own = storage.cache?.maxBytes ?? 0;
    return Math.min(own, (own * defaultCaches) / count);
  }

  #ended(worker: ReadWorker, reason: string | undefined): void {
    this.#workers.delete(worker);
    if (this.#host === undefined) return;
    if (reason === undefined) {
      this.#fill();
      return;
    }
    this.#restarts++;
    this.#host.log.write({ level: "warn", event: "reader", message: `a read worker has ended: ${reason}; another one starts`, facts: { reason } });
    if (worker.wasReady) {
      this.#fill();
      return;
    }
    const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** this.#failures++);
    this.#retry ??= setTimeout(() => this.#fill(), delayMs).unref();
  }
}
