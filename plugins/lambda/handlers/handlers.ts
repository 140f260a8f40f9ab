// Joins the forms of a handler: functions come first, then the script, then the lambda server.

import type { HttpClient } from "../../remote/index.ts";
import { functionsHandler } from "./functions.ts";
import { type LambdaHandler, registeredName } from "./handler.ts";
import { lambdaServer } from "./lambda-server.ts";
import { moduleForm } from "./module/module-form.ts";
import type { LambdaSettings } from "./options.ts";
import { scriptForm } from "./script/script-form.ts";
import { ThreadHandler } from "./thread/thread-handler.ts";

export interface Handlers extends LambdaHandler {
  /** False: there is nobody to call at all. */
  readonly isConfigured: boolean;
  /** Those in threads of their own: what they handle is known only when they are open. */
  readonly threads: readonly Pick<ThreadHandler<never>, "open" | "names">[];
}

export function isConfigured({ functions, functionsModule, script, url }: LambdaSettings): boolean {
  return [functions, functionsModule, script, url].some((each) => each !== undefined);
}

export interface HandlerParts {
  /** Asks the lambda server. */
  readonly client: HttpClient;
  /** Gets what a script writes to its console. */
  readonly onLog: (text: string) => void;
}

export function handlersOf(settings: LambdaSettings, { client, onLog }: HandlerParts): Handlers {
  const { functions, functionsModule: module, script, url, timeoutMs } = settings;
  const { workerMemoryMb: memoryMb, workerStuckMs: stuckMs, maxConcurrentCalls: maxConcurrent } = settings;
  const bounds = { timeoutMs, memoryMb, stuckMs, maxConcurrent, environment: settings.environment, onLog };
  const threads = [
    ...(module ? [new ThreadHandler(moduleForm({ module, timeoutMs }), bounds)] : []),
    ...(script === undefined ? [] : [new ThreadHandler(scriptForm(script), bounds)]),
  ];
  const all: readonly LambdaHandler[] = [
    ...(functions ? [functionsHandler(functions, timeoutMs)] : []),
    ...threads,
    ...(url === undefined ? [] : [lambdaServer(url, client)]),
  ];
  return {
    isConfigured: isConfigured(settings),
    threads,
    handles: (name) => all.some((each) => each.handles(name)),
    call(call) {
      const name = registeredName(call);
      for (const each of all) if (each.handles(name)) return each.call(call);
      throw new Error(`resolver ${name} not found`);
    },
    close: async () => {
      for (const each of all) await each.close?.();
    },
  };
}
