// What runs in the worker thread of a handler: a script, or a module of functions.

import type { Worker } from "node:worker_threads";
import type { MaybePromise } from "../../../../core/plugin.ts";
import type { LambdaAnswer, LambdaCall } from "../handler.ts";
import type { CallCells, Exchange } from "./messages.ts";

export interface ThreadForm<X extends Exchange> {
  /** For errors of the configuration: `lambda script ./lambda.js`. */
  readonly title: string;
  /** The subject of errors of calls: `the script`. */
  readonly subject: string;
  /** Reads what a thread needs. The result starts one. A rejection is an error of the configuration. */
  load(): Promise<StartThread>;
  callOf(call: LambdaCall): X["call"];
  answerOf(result: X["result"]): MaybePromise<LambdaAnswer>;
  /** Answers what the handler asks of this server within `call`. */
  answerTo(question: X["question"], call: LambdaCall): Promise<X["answer"]>;
}

export type StartThread = (options: StartOptions) => Worker;

export interface StartOptions {
  readonly cells: CallCells;
  /** The environment of the thread: keys and passwords of the server are not in it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly resourceLimits: { readonly maxOldGenerationSizeMb: number; readonly maxYoungGenerationSizeMb: number };
}
