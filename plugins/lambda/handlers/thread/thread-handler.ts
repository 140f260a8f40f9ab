// A handler in a worker thread, with bounds for memory and time. A thread that has ended is replaced at the next call.

import { QuernError } from "../../../../core/plugin.ts";
import { type LambdaAnswer, type LambdaCall, type LambdaHandler, registeredName } from "../handler.ts";
import { LateSignal, withinTime } from "../within-time.ts";
import { HandlerThread, ThreadEnded } from "./handler-thread.ts";
import type { Exchange } from "./messages.ts";
import type { StartThread, ThreadForm } from "./thread-form.ts";

export interface ThreadHandlerOptions {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly stuckMs: number;
  readonly maxConcurrent: number;
  /** Names of environment variables that the thread sees. */
  readonly environment: readonly string[];
  readonly onLog: (text: string) => void;
}

export class ThreadHandler<X extends Exchange> implements LambdaHandler {
  readonly #form: ThreadForm<X>;
  readonly #options: ThreadHandlerOptions;
  #start: StartThread | undefined;
  #names: ReadonlySet<string> = new Set();
  #thread: HandlerThread<X> | undefined;
  #running = 0;

  constructor(form: ThreadForm<X>, options: ThreadHandlerOptions) {
    this.#form = form;
    this.#options = options;
  }

  /** What it handles; nothing before it is open. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Loads it. @throws QuernError `CONFIG_INVALID` when it is missing, or fails */
  async open(): Promise<void> {
    try {
      this.#start = await this.#form.load();
      this.#names = await this.#current().ready;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new QuernError("CONFIG_INVALID", `The ${this.#form.title} cannot be used: ${reason}`, { cause: thrown });
    }
  }

  handles(name: string): boolean {
    return this.#names.has(name);
  }

  async call(call: LambdaCall): Promise<LambdaAnswer> {
    const { timeoutMs, maxConcurrent } = this.#options;
    call.signal.throwIfAborted();
    if (this.#running >= maxConcurrent) throw new Error(`as many calls of the ${this.#form.title} run as may (${maxConcurrent})`);
    this.#running++;
    const ending = new LateSignal();
    try {
      const what = registeredName(call);
      const run = () => this.#insist(call, ending.signal);
      return await this.#form.answerOf(await withinTime(run, { timeoutMs, signal: call.signal, ending, what }));
    } finally {
      this.#running--;
    }
  }

  /** A call whose thread another call has ended runs again in the next thread, unless it may have changed something. */
  async #insist(call: LambdaCall, gone: AbortSignal): Promise<X["result"]> {
    const body = this.#form.callOf(call);
    const answer = (question: X["question"]) => this.#form.answerTo(question, call);
    for (;;) {
      try {
        return await this.#current().call(body, { answer, gone });
      } catch (thrown) {
        if (!(thrown instanceof ThreadEnded) || gone.aborted || !thrown.isInnocent || (thrown.hadBegun && mayWrite(call))) throw thrown;
      }
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close();
    this.#thread = undefined;
    this.#start = undefined;
  }

  #current(): HandlerThread<X> {
    if (!this.#start) throw new Error(`the ${this.#form.title} is not loaded`);
    if (this.#thread === undefined || this.#thread.ended !== undefined) {
      const { memoryMb, stuckMs, environment, onLog } = this.#options;
      this.#thread = new HandlerThread({ start: this.#start, subject: this.#form.subject, memoryMb, stuckMs, environment, onLog });
    }
    return this.#thread;
  }
}

function mayWrite({ resolver, event }: LambdaCall): boolean {
  return event !== undefined || resolver.startsWith("Mutation.");
}
