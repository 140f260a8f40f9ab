// One worker thread of a handler: calls in, answers out. It ends with its first fault; `ThreadHandler` starts another one.

import type { Worker } from "node:worker_threads";
import { Failure } from "../failure.ts";
import { begunCell, callCells, type Exchange, type FromThread, runningCell, type ToThread } from "./messages.ts";
import type { StartThread } from "./thread-form.ts";

export interface ThreadOptions {
  readonly start: StartThread;
  /** `the script` */
  readonly subject: string;
  readonly memoryMb: number;
  readonly environment: readonly string[];
  /** A thread that does not answer a ping for so long is stuck, and is ended. */
  readonly stuckMs: number;
  readonly onLog: (text: string) => void;
}

export interface Caller<X extends Exchange> {
  /** Answers what the handler asks within the call. */
  readonly answer: (question: X["question"]) => Promise<X["answer"]>;
  /** Aborted when nobody waits for the result any longer. */
  readonly gone: AbortSignal;
}

/** The thread has ended while it had the call. */
export class ThreadEnded extends Error {
  /** The code of another call was running. */
  readonly isInnocent: boolean;
  readonly hadBegun: boolean;

  constructor(reason: string, { isInnocent, hadBegun }: Pick<ThreadEnded, "isInnocent" | "hadBegun">) {
    super(reason);
    this.isInnocent = isInnocent;
    this.hadBegun = hadBegun;
  }
}

interface Pending<X extends Exchange> extends Pick<Caller<X>, "answer"> {
  readonly resolve: (result: X["result"]) => void;
  readonly reject: (reason: Error) => void;
}

/** A thread may be busy for so long before it takes calls: modules are compiled meanwhile. */
const loadWithinMs = 60_000;
/** Pings while a thread may be stuck. */
const pings = 4;

export class HandlerThread<X extends Exchange> {
  /** The names that it handles. Rejects when it cannot be loaded. */
  readonly ready: Promise<ReadonlySet<string>>;
  /** Set when the thread has ended: why. */
  ended: string | undefined;
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  readonly #cells = callCells();
  readonly #pending = new Map<number, Pending<X>>();
  #calls = 0;
  #settle: { readonly resolve: (names: ReadonlySet<string>) => void; readonly reject: (reason: Error) => void } | undefined;
  #pings: NodeJS.Timeout | undefined;
  #unanswered = 0;

  constructor(options: ThreadOptions) {
    const { start, memoryMb, subject, environment } = options;
    this.#options = options;
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.ready.catch(() => undefined);
    this.#worker = start({
      cells: this.#cells,
      env: Object.fromEntries(environment.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.max(4, Math.ceil(memoryMb / 8)) },
    });
    this.#worker.unref();
    this.#worker.on("message", (message: FromThread<X>) => this.#receive(message));
    this.#worker.on("error", (thrown) => this.#end(this.#faultOf(thrown)));
    this.#worker.on("exit", () => this.#end(`${subject} has ended its thread`));
    this.#watch();
  }

  call(call: X["call"], { answer, gone }: Caller<X>): Promise<X["result"]> {
    if (this.ended !== undefined) return Promise.reject(new Error(this.ended));
    const id = ++this.#calls;
    const result = new Promise<X["result"]>((resolve, reject) => this.#pending.set(id, { resolve, reject, answer }));
    this.#send({ kind: "call", id, call });
    gone.addEventListener("abort", () => this.#leave(id), { once: true });
    this.#watch();
    return result;
  }

  async close(): Promise<void> {
    this.#end(`${this.#options.subject} is no longer in use`);
    await this.#worker.terminate();
  }

  #receive(message: FromThread<X>): void {
    this.#unanswered = 0;
    if (message.kind === "result") this.#take(message.id)?.resolve(message.result);
    else if (message.kind === "failed") this.#take(message.id)?.reject(message.isWorded ? new Failure(message.reason) : new Error(message.reason));
    else if (message.kind === "ask") void this.#answer(message.id, message.question, this.#pending.get(message.call)?.answer);
    else if (message.kind === "log") this.#options.onLog(message.text);
    else if (message.kind === "broken") this.#end(`${this.#options.subject} fails when it is loaded: ${message.reason}`);
    else if (message.kind === "ready") {
      this.#settle?.resolve(new Set(message.names));
      this.#settle = undefined;
    }
  }

  #take(id: number): Pending<X> | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** The caller that ended the call early has its reason. */
  #leave(id: number): void {
    if (this.#take(id) && this.ended === undefined) this.#send({ kind: "gone", id });
  }

  async #answer(id: number, question: X["question"], answer: Caller<X>["answer"] | undefined): Promise<void> {
    // The call has ended, and what asks in it with it.
    if (answer === undefined) return;
    const given = await answer(question);
    if (this.ended === undefined) this.#send({ kind: "answer", id, answer: given });
  }

  #send(message: ToThread<X>): void {
    this.#worker.postMessage(message);
  }

  /** While something is under way, asks whether the thread still turns. */
  #watch(): void {
    if (this.#pings !== undefined) return;
    const { stuckMs, subject } = this.#options;
    const pauseMs = stuckMs / pings;
    this.#pings = setInterval(() => {
      const isLoading = this.#settle !== undefined;
      const allowedMs = isLoading ? Math.max(loadWithinMs, stuckMs) : stuckMs;
      if (this.#isIdle && !isLoading) return this.#unwatch();
      if (this.#unanswered * pauseMs >= allowedMs) return this.#end(`${subject} does not answer for ${allowedMs} ms: it may be in an endless loop`);
      this.#unanswered++;
      this.#send({ kind: "ping" });
    }, pauseMs);
    this.#pings.unref();
  }

  /** A call that was given up may still run: its thread is of no use until it turns again. */
  get #isIdle(): boolean {
    return this.#pending.size === 0 && Atomics.load(this.#cells, runningCell) === 0;
  }

  #unwatch(): void {
    clearInterval(this.#pings);
    this.#pings = undefined;
    this.#unanswered = 0;
  }

  #end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.#unwatch();
    this.#settle?.reject(new Error(reason));
    const [culprit, begun] = [Atomics.load(this.#cells, runningCell), Atomics.load(this.#cells, begunCell)];
    for (const [id, { reject }] of this.#pending) {
      reject(new ThreadEnded(reason, { isInnocent: culprit !== 0 && culprit !== id, hadBegun: id <= begun }));
    }
    this.#pending.clear();
    void this.#worker.terminate();
  }

  #faultOf(thrown: unknown): string {
    const { subject, memoryMb } = this.#options;
    const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (code === "ERR_WORKER_OUT_OF_MEMORY") return `${subject} needs more than ${memoryMb} MB of memory`;
    return `${subject} has ended with an error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}
