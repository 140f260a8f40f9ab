// Dgraph's lambda scripts: a text that runs in the global scope of a thread and registers resolvers.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { type ExecuteAnswer, parseAnswerInTurns, writeJson } from "../../../../core/plugin.ts";
import { type LambdaCall, registeredName } from "../handler.ts";
import type { ThreadForm } from "../thread/thread-form.ts";
import type { ScriptCall, ScriptExchange, ScriptQuestion } from "./script-messages.ts";
import { scriptProgram } from "./script-program.ts";

/** @param file the path of the script */
export function scriptForm(file: string): ThreadForm<ScriptExchange> {
  return {
    title: `lambda script ${file}`,
    subject: "the script",
    async load() {
      const script = { text: await readFile(file, "utf8"), file };
      return ({ cells, env, resourceLimits }) =>
        new Worker(programText(), { eval: true, workerData: { script, cells }, env, argv: [], execArgv: [], stdin: false, resourceLimits });
    },
    callOf: (call) => writeJson(scriptCall(call)),
    answerOf: (result) => parseAnswerInTurns(result),
    answerTo,
  };
}

/** Some compilers name functions by a helper that does not exist in the worker. */
function programText(): string {
  return `const __name = (made) => made;
const { parentPort, workerData } = require("node:worker_threads");
const { runInThisContext } = require("node:vm");
(${scriptProgram.toString()})({ port: parentPort, run: (text, filename) => runInThisContext(text, { filename }), ...workerData });`;
}

function scriptCall(call: LambdaCall): ScriptCall {
  const { args, fieldArguments, parents, event, authHeader } = call;
  const values = args ?? fieldArguments;
  return { name: registeredName(call), ...(values && { args: values }), ...(parents && { parents }), ...(event && { event }), authHeader };
}

/** As Dgraph's lambda server: a script asks GraphQL without a token unless it passes one on. */
async function answerTo({ api, text, variables, authHeader }: ScriptQuestion, call: LambdaCall): Promise<string> {
  const headers = authHeader?.key && authHeader.value ? { [authHeader.key.toLowerCase()]: authHeader.value } : {};
  try {
    const given = variables === undefined ? undefined : (JSON.parse(variables) as Readonly<Record<string, unknown>>);
    // Dgraph asks and writes DQL as an administrator.
    if (api === "dql.mutate") return answerText(await call.quern.dqlMutate(text, { as: "admin" }));
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
