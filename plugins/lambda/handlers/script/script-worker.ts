// One worker thread that runs a script: calls in, answers out. It ends with its first fault; `ScriptHandler` starts another one.

import { Worker } from "node:worker_threads";
import type { FromWorker, Question, ToWorker } from "./messages.ts";
import { workerProgram } from "./worker-program.ts";

export interface ScriptText {
  readonly text: string;
  readonly file: string;
}

export interface WorkerOptions {
  readonly script: ScriptText;
  readonly memoryMb: number;
  /** A thread that does not answer a ping for so long is stuck, and is ended. */
  readonly stuckMs: number;
  readonly onLog: (text: string) => void;
}

/** Answers what a script asks within a call: JSON text. */
export type AnswerQuestion = (question: Question) => Promise<string>;

interface Pending {
  readonly resolve: (result: string) => void;
  readonly reject: (reason: Error) => void;
  readonly answer: AnswerQuestion;
}

export class ScriptWorker {
  /** The names that the script has registered. Rejects when the script is broken. */
  readonly ready: Promise<ReadonlySet<string>>;
  /** Set when the thread has ended: why. */
  ended: string | undefined;
  readonly #worker: Worker;
  readonly #options: WorkerOptions;
  readonly #pending = new Map<number, Pending>();
  #calls = 0;
  #settle: { readonly resolve: (names: ReadonlySet<string>) => void; readonly reject: (reason: Error) => void } | undefined;
  #pings: NodeJS.Timeout | undefined;
  #pinged = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.ready.catch(() => undefined);
    this.#worker = new Worker(programText(), {
      eval: true,
      workerData: options.script,
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: Math.max(4, Math.ceil(options.memoryMb / 8)) },
    });
    this.#worker.unref();
    this.#worker.on("message", (message: FromWorker) => this.#receive(message));
    this.#worker.on("error", (thrown) => this.#end(faultOf(thrown, options.memoryMb)));
    this.#worker.on("exit", () => this.#end("the script has ended its thread"));
    this.#watch();
  }

  /** @param call JSON of a `ScriptCall`; the result is JSON too */
  call(call: string, answer: AnswerQuestion): Promise<string> {
    if (this.ended !== undefined) return Promise.reject(new Error(this.ended));
    const id = ++this.#calls;
    const result = new Promise<string>((resolve, reject) => this.#pending.set(id, { resolve, reject, answer }));
    this.#send({ kind: "call", id, call });
    this.#watch();
    return result;
  }

  async close(): Promise<void> {
    this.#end("the script is no longer in use");
    await this.#worker.terminate();
  }

  #receive(message: FromWorker): void {
    this.#pinged = 0;
    if (message.kind === "result") this.#take(message.id)?.resolve(message.result);
    else if (message.kind === "failed") this.#take(message.id)?.reject(new Error(message.reason));
    else if (message.kind === "ask") void this.#answer(message.id, message.question, this.#pending.get(message.call)?.answer);
    else if (message.kind === "log") this.#options.onLog(message.text);
    else if (message.kind === "broken") this.#end(`the script fails when it is loaded: ${message.reason}`);
    else if (message.kind === "ready") {
      this.#settle?.resolve(new Set(message.names));
      this.#settle = undefined;
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  async #answer(id: number, question: Question, answer: AnswerQuestion | undefined): Promise<void> {
    const text = answer ? await answer(question) : JSON.stringify({ errors: [{ message: "the call has ended" }] });
    if (this.ended === undefined) this.#send({ kind: "answer", id, answer: text });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  /** While something is under way, asks whether the thread still turns. */
  #watch(): void {
    if (this.#pings !== undefined) return;
    const { stuckMs } = this.#options;
    const parts = 4;
    this.#pings = setInterval(() => {
      if (this.#pending.size === 0 && this.#settle === undefined) return this.#unwatch();
      if (this.#pinged >= parts) return this.#end(`the script does not answer for ${stuckMs} ms: it may be in an endless loop`);
      this.#pinged++;
      this.#send({ kind: "ping" });
    }, stuckMs / parts);
    this.#pings.unref();
  }

  #unwatch(): void {
    clearInterval(this.#pings);
    this.#pings = undefined;
    this.#pinged = 0;
  }

  #end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.#unwatch();
    this.#settle?.reject(new Error(reason));
    for (const { reject } of this.#pending.values()) reject(new Error(reason));
    this.#pending.clear();
    void this.#worker.terminate();
  }
}

function faultOf(thrown: unknown, memoryMb: number): string {
  const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return `the script needs more than ${memoryMb} MB of memory`;
  return `the script has ended with an error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}

/** Some compilers name functions by a helper that does not exist in the worker. */
function programText(): string {
  return `const __name = (made) => made;
const { parentPort, workerData } = require("node:worker_threads");
const { runInThisContext } = require("node:vm");
(${workerProgram.toString()})({ port: parentPort, run: (text, filename) => runInThisContext(text, { filename }), script: workerData });`;
}
