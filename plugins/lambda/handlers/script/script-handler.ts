// Dgraph's lambda scripts, in a worker thread with bounds for memory and time. A thread that has ended is replaced at the next call.

import { readFile } from "node:fs/promises";
import { type AnswerValue, type ExecuteAnswer, parseAnswerInTurns, QuernError, writeJson } from "../../../../core/plugin.ts";
import { type LambdaCall, type LambdaHandler, registeredName } from "../handler.ts";
import { withinTime } from "../within-time.ts";
import type { Question, ScriptCall } from "./messages.ts";
import { type ScriptText, ScriptWorker } from "./script-worker.ts";

export interface ScriptOptions {
  /** The path of the script. */
  readonly file: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly stuckMs: number;
  readonly maxConcurrent: number;
  readonly onLog: (text: string) => void;
}

export class ScriptHandler implements LambdaHandler {
  readonly #options: ScriptOptions;
  #text: ScriptText | undefined;
  #names: ReadonlySet<string> = new Set();
  #worker: ScriptWorker | undefined;
  #running = 0;

  constructor(options: ScriptOptions) {
    this.#options = options;
  }

  /** Loads the script. @throws QuernError when there is none, or when it fails */
  async open(): Promise<void> {
    const { file } = this.#options;
    try {
      this.#text = { text: await readFile(file, "utf8"), file };
      this.#names = await this.#current().ready;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new QuernError("CONFIG_INVALID", `The lambda script ${file} cannot be used: ${reason}`, { cause: thrown });
    }
  }

  handles(name: string): boolean {
    return this.#names.has(name);
  }

  async call(call: LambdaCall): Promise<AnswerValue> {
    const { timeoutMs, maxConcurrent } = this.#options;
    call.signal.throwIfAborted();
    if (this.#running >= maxConcurrent) throw new Error(`as many calls of the lambda script run as may (${maxConcurrent})`);
    this.#running++;
    try {
      const what = registeredName(call);
      const run = async () => await this.#current().call(writeJson(scriptCall(call)), (question) => answerTo(question, call));
      return await parseAnswerInTurns(await withinTime(run, { timeoutMs, signal: call.signal, what }));
    } finally {
      this.#running--;
    }
  }

  async close(): Promise<void> {
    await this.#worker?.close();
    this.#worker = undefined;
  }

  #current(): ScriptWorker {
    const script = this.#text;
    if (!script) throw new Error("the lambda script is not loaded");
    if (this.#worker === undefined || this.#worker.ended !== undefined) {
      const { memoryMb, stuckMs, onLog } = this.#options;
      this.#worker = new ScriptWorker({ script, memoryMb, stuckMs, onLog });
    }
    return this.#worker;
  }
}

function scriptCall(call: LambdaCall): ScriptCall {
  const { args, fieldArguments, parents, event, authHeader } = call;
  const values = args ?? fieldArguments;
  return { name: registeredName(call), ...(values && { args: values }), ...(parents && { parents }), ...(event && { event }), authHeader };
}

/** As Dgraph's lambda server: a script asks GraphQL without a token unless it passes one on. */
async function answerTo({ api, text, variables, authHeader }: Question, call: LambdaCall): Promise<string> {
  if (api === "dql.mutate") return errorText("DQL is read-only here: write with GraphQL mutations.");
  const headers = authHeader?.key && authHeader.value ? { [authHeader.key.toLowerCase()]: authHeader.value } : {};
  try {
    const given = variables === undefined ? undefined : (JSON.parse(variables) as Readonly<Record<string, unknown>>);
    // Dgraph asks DQL as an administrator.
    return answerText(await (api === "dql.query" ? call.quern.dql(text, given, { as: "admin" }) : call.quern.graphql(text, given, { headers })));
  } catch (thrown) {
    return errorText(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function answerText({ data, errors }: ExecuteAnswer): string {
  return writeJson({ ...(data && { data }), ...(errors.length > 0 && { errors }) });
}

function errorText(message: string): string {
  return JSON.stringify({ errors: [{ message }] });
}
