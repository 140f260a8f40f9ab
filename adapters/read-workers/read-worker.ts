// One read worker, as the kernel's thread sees it: it starts, takes queries, and ends, on its own or because it is asked to.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type HandedAnswer, type HandedQuery, type HandedQueryCaller, QuernError, type ReadWorkersHost } from "../../core/index.ts";
import type { Deployed, FromThread, ThreadStart, ToThread } from "./messages.ts";

/** The build gathers modules in chunks: there the thread's module lies beside the entry of this folder. */
const entry = extname(import.meta.url) === ".ts" ? import.meta.url : import.meta.resolve("quern/adapters/read-workers");
const thread = new URL(`./thread${extname(entry)}`, entry);

export interface ReadWorkerOptions {
  readonly host: ReadWorkersHost;
  readonly config: string;
  readonly argument: unknown;
  /** Bound of decoded data in memory. */
  readonly cacheBytes: number;
  /** Bound of the thread's heap, its cache included. */
  readonly maxHeapBytes: number;
  readonly collectWhenIdle: boolean;
  /** What clients have not taken when it starts. */
  readonly unsentBytes: number;
  /** After so long without a query it is of no use. */
  readonly idleMs: number;
  /** It takes queries from now on. */
  readonly ready: () => void;
  /** No query has come for `idleMs`; called again after the next ones. */
  readonly rested: (worker: ReadWorker) => void;
  /** The thread has ended. @param reason why it did so on its own; undefined: it was asked to */
  readonly ended: (worker: ReadWorker, reason: string | undefined) => void;
}

interface Waiting {
  readonly resolve: (answer: HandedAnswer | undefined) => void;
  readonly reject: (error: QuernError) => void;
  readonly late: NodeJS.Timeout;
}

/** A query whose time is over ends by itself. A worker in which one does not, ends so much later. */
const graceMs = 5_000;
/** How long queries of a worker that must leave the store may take to end. */
const revokedWithinMs = 5_000;
/** How long a thread may take to close the store when nothing runs in it. */
const closedWithinMs = 5_000;
/** A worker is sent the number of unsent bytes when it has changed by as much. */
const reportedBytes = 4 << 20;
/** `setTimeout` takes no longer ones. */
const maxTimerMs = 2 ** 31 - 1;

export class ReadWorker {
  readonly #options: ReadWorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #deployed: Deployed | undefined;
  #nextId = 1;
  /** What the thread does not know yet. */
  #unsent: number;
  #isLeaving = false;
  #wasReady = false;
  /** Why it ends, where that is not what its thread says. */
  #reason: string | undefined;
  #whenIdle: (() => void) | undefined;
  #rest: NodeJS.Timeout | undefined;
  /** Resolves when the thread has ended, or never began. */
  readonly ended: Promise<void>;
  #settleEnded: () => void = () => {};

  constructor(options: ReadWorkerOptions) {
    this.#options = options;
    this.#unsent = options.unsentBytes;
    this.ended = new Promise((resolve) => (this.#settleEnded = resolve));
    void this.#start().catch((thrown) => this.#end(messageOf(thrown)));
  }

  get running(): number {
    return this.#waiting.size;
  }

  /** Whether it has ended, or takes no more queries. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Whether it has ever been able to take queries. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** Whether it takes queries of this deployment. */
  serves({ version, document }: Deployed): boolean {
    const deployed = this.#deployed;
    return !this.#isLeaving && deployed !== undefined && deployed.version === version && deployed.document === document;
  }

  /** Whether it does, or may when it is ready. */
  mayServe(deployed: Deployed): boolean {
    return !this.#isLeaving && (this.#deployed === undefined || this.serves(deployed));
  }

  async #start(): Promise<void> {
    const { host, config, argument, cacheBytes, maxHeapBytes, collectWhenIdle } = this.#options;
    const { storage, settings } = host;
    const seat = await storage.readers?.admit({ cacheBytes, revoke: () => this.#revoked() });
    if (seat === undefined) throw new TypeError(`the storage ${storage.name} cannot be read by several threads`);
    void this.ended.then(() => seat.leave());
    if (this.#isLeaving) return this.#end(undefined);
    const start: ThreadStart = { config, argument, seat: seat.data, settings, collectWhenIdle };
    this.#thread = new Worker(thread, {
      name: "quern-reader",
      workerData: start,
      transferList: [...seat.transfer],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(maxHeapBytes / 2 ** 20) },
    });
    this.#thread.unref();
    this.#thread.on("message", (message: FromThread) => this.#take(message));
    this.#thread.on("error", (error) => {
      this.#reason ??= isOutOfMemory(error) ? outOfMemory : messageOf(error);
    });
    this.#thread.on("exit", () => this.#end(this.#reason ?? (this.#isLeaving ? undefined : "its thread has ended")));
  }

  #take(message: FromThread): void {
    switch (message.kind) {
      case "ready":
        this.#deployed = message.deployed;
        this.#wasReady = true;
        this.#rest ??= setTimeout(() => this.#rested(), Math.min(maxTimerMs, this.#options.idleMs)).unref();
        this.#options.ready();
        return;
      case "failed":
        this.#reason = message.reason;
        void this.#thread?.terminate();
        return;
      case "log":
        this.#options.host.log.write(message.entry);
        return;
      case "answer":
        this.#settle(message.id)?.resolve(message.answer);
    }
  }

  /** Undefined: the query holds something that cannot be sent to a thread. */
  run(query: HandedQuery, caller: HandedQueryCaller): Promise<HandedAnswer | undefined> | undefined {
    const id = this.#nextId++;
    try {
      this.#post({ kind: "query", id, query });
    } catch (thrown) {
      if (thrown instanceof DOMException && thrown.name === "DataCloneError") return undefined;
      throw thrown;
    }
    caller.onGone(() => this.#waiting.has(id) && this.#post({ kind: "gone", id }));
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => this.#giveUp(id, caller), Math.min(maxTimerMs, Math.max(0, query.leftMs) + graceMs)).unref();
      this.#waiting.set(id, { resolve, reject, late });
    });
  }

  unsent(bytes: number): void {
    this.#unsent += bytes;
    if (this.#thread === undefined || Math.abs(this.#unsent) < reportedBytes) return;
    this.#post({ kind: "unsent", bytes: this.#unsent });
    this.#unsent = 0;
  }

  /** Takes no more queries; ends when those that it has are answered. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#close();
  }

  /** The store closes. */
  async #revoked(): Promise<void> {
    const late = setTimeout(() => void this.#close(), revokedWithinMs);
    await this.leave();
    clearTimeout(late);
  }

  async #close(): Promise<void> {
    if (this.#thread === undefined) return;
    // One that has not started yet has nothing to finish.
    if (this.#wasReady) this.#post({ kind: "close" });
    else void this.#thread.terminate();
    const late = setTimeout(() => void this.#thread?.terminate(), closedWithinMs);
    await this.ended;
    clearTimeout(late);
  }

  #post(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  /** A query goes on although its time is over: only the end of its thread ends it. */
  #giveUp(id: number, caller: HandedQueryCaller): void {
    this.#settle(id)?.reject(caller.tooLate());
    this.#reason = "a query did not end in time";
    void this.#thread?.terminate();
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.late);
    this.#rest?.refresh();
    if (this.#waiting.size === 0) this.#whenIdle?.();
    return waiting;
  }

  /** The end of a query that still runs begins the time anew. */
  #rested(): void {
    if (this.#waiting.size === 0 && !this.#isLeaving) this.#options.rested(this);
  }

  #end(reason: string | undefined): void {
    this.#isLeaving = true;
    clearTimeout(this.#rest);
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(this.#lost(reason));
    this.#settleEnded();
    this.#options.ended(this, reason);
  }

  #lost(reason: string | undefined): QuernError {
    if (reason !== outOfMemory) return new QuernError("OVERLOADED", "The thread that ran the query has ended. Try again in a moment.");
    const mebibytes = Math.round(this.#options.maxHeapBytes / 2 ** 20);
    return new QuernError(
      "LIMIT_REACHED",
      `The query, or one beside it, needed more memory than a read worker has (${mebibytes} MiB). Narrow its filter, or read page by page.`,
    );
  }
}

const outOfMemory = "it ran out of memory";

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
