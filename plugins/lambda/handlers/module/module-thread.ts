// What runs in the thread of a module of functions.

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Failure } from "../failure.ts";
import { functionsHandler } from "../functions.ts";
import { type GraphQLCall, type LambdaHandler, mutateWith, type QuernClient } from "../handler.ts";
import type { FromThread, ToThread } from "../thread/messages.ts";
import { loadFunctions } from "./load-functions.ts";
import type { ModuleAnswer, ModuleCall, ModuleExchange, ModuleQuestion, ModuleStart } from "./module-messages.ts";
import { RunningCalls } from "./running-calls.ts";

if (parentPort) void run(parentPort, workerData);

async function run(port: MessagePort, { module, timeoutMs, cells }: ModuleStart): Promise<void> {
  const post = (message: FromThread<ModuleExchange>): void => port.postMessage(message);
  // The module may take its time, and is asked meanwhile whether it is stuck.
  const waiting: ToThread<ModuleExchange>[] = [];
  let take = (message: ToThread<ModuleExchange>): void => {
    if (message.kind === "ping") post({ kind: "pong" });
    else waiting.push(message);
  };
  port.on("message", (message: ToThread<ModuleExchange>) => take(message));
  try {
    const functions = await loadFunctions(module);
    const calls = new Calls(functionsHandler(functions, timeoutMs), new RunningCalls(cells), post);
    take = (message) => calls.take(message);
    post({ kind: "ready", names: Object.keys(functions) });
    waiting.forEach(take);
  } catch (thrown) {
    post({ kind: "broken", reason: textOf(thrown) });
  }
}

type Post = (message: FromThread<ModuleExchange>) => void;

class Calls {
  readonly #handler: LambdaHandler;
  readonly #running: RunningCalls;
  readonly #post: Post;
  /** By the id of a call. */
  readonly #endings = new Map<number, AbortController>();
  /** By the id of a question. */
  readonly #asking = new Map<number, (answer: ModuleAnswer) => void>();
  #questions = 0;

  constructor(handler: LambdaHandler, running: RunningCalls, post: Post) {
    this.#handler = handler;
    this.#running = running;
    this.#post = post;
  }

  take(message: ToThread<ModuleExchange>): void {
    switch (message.kind) {
      case "call":
        this.#running.run(message.id, () => void this.#answer(message.id, message.call));
        return;
      case "gone":
        this.#endings.get(message.id)?.abort(new Error("nobody waits for the result any longer"));
        return;
      case "answer":
        this.#asking.get(message.id)?.(message.answer);
        this.#asking.delete(message.id);
        return;
      case "ping":
        this.#post({ kind: "pong" });
    }
  }

  async #answer(id: number, call: ModuleCall): Promise<void> {
    const ending = new AbortController();
    this.#endings.set(id, ending);
    try {
      const result = await this.#handler.call({ ...call, quern: this.#clientOf(id), signal: ending.signal });
      this.#post({ kind: "result", id, result });
    } catch (thrown) {
      this.#post({ kind: "failed", id, reason: textOf(thrown), isWorded: thrown instanceof Failure });
    } finally {
      this.#endings.delete(id);
    }
  }

  #clientOf(call: number): QuernClient {
    const asking =
      (api: ModuleQuestion["api"]): GraphQLCall =>
      (query, variables, options) =>
        this.#ask(call, { api, query, variables, options });
    return { graphql: asking("graphql"), dql: asking("dql"), dqlMutate: mutateWith(asking("dqlMutate")) };
  }

  async #ask(call: number, question: ModuleQuestion): ReturnType<GraphQLCall> {
    const id = ++this.#questions;
    const given = await new Promise<ModuleAnswer>((resolve) => {
      this.#asking.set(id, resolve);
      this.#post({ kind: "ask", id, call, question });
    });
    if ("failed" in given) throw new Error(given.failed);
    return given.answer;
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
