// A module of functions, in a thread of its own.

import { access } from "node:fs/promises";
import { extname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { LambdaCall } from "../handler.ts";
import type { ThreadForm } from "../thread/thread-form.ts";
import type { ModuleAnswer, ModuleCall, ModuleExchange, ModuleQuestion, ModuleStart } from "./module-messages.ts";

/** The build gathers modules in chunks: there the thread's module lies below the entry of this plugin. */
const program =
  extname(import.meta.url) === ".ts"
    ? new URL("./module-thread.ts", import.meta.url)
    : new URL("./handlers/module/module-thread.js", import.meta.resolve("quern/plugins/lambda"));

export interface ModuleOptions {
  readonly module: URL;
  readonly timeoutMs: number;
}

export function moduleForm({ module, timeoutMs }: ModuleOptions): ThreadForm<ModuleExchange> {
  const file = fileURLToPath(module);
  return {
    title: `module of functions ${relative("", file)}`,
    subject: "the module of functions",
    async load() {
      await access(file);
      return ({ cells, env, resourceLimits }) => {
        const workerData: ModuleStart = { module: module.href, timeoutMs, cells };
        return new Worker(program, { name: "quern-functions", workerData, env, argv: [], stdin: false, resourceLimits });
      };
    },
    callOf: moduleCall,
    answerOf: (result) => result,
    answerTo,
  };
}

function moduleCall({ quern: _quern, signal: _signal, ...call }: LambdaCall): ModuleCall {
  return call;
}

async function answerTo({ api, query, variables, options }: ModuleQuestion, { quern }: LambdaCall): Promise<ModuleAnswer> {
  try {
    return { answer: await quern[api](query, variables, options) };
  } catch (thrown) {
    return { failed: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
