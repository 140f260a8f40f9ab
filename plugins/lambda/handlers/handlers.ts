// Joins the forms of a handler: functions come first, then the script, then the lambda server.

import type { HttpClient } from "../../../core/plugin.ts";
import type { LambdaSettings } from "../options.ts";
import { functionsHandler } from "./functions.ts";
import { type LambdaHandler, registeredName } from "./handler.ts";
import { lambdaServer } from "./lambda-server.ts";
import { ScriptHandler } from "./script/script-handler.ts";

export interface Handlers extends LambdaHandler {
  /** False: there is nobody to call at all. */
  readonly isConfigured: boolean;
  /** Which names are answered is known only when the script has run. */
  readonly script: ScriptHandler | undefined;
}

export interface HandlerParts {
  /** Asks the lambda server. */
  readonly client: HttpClient;
  /** Gets what a script writes to its console. */
  readonly onLog: (text: string) => void;
}

export function handlersOf(settings: LambdaSettings, { client, onLog }: HandlerParts): Handlers {
  const { functions, script: file, url, timeoutMs } = settings;
  const { scriptMemoryMb: memoryMb, scriptStuckMs: stuckMs, maxConcurrentCalls: maxConcurrent } = settings;
  const script = file === undefined ? undefined : new ScriptHandler({ file, timeoutMs, memoryMb, stuckMs, maxConcurrent, onLog });
  const all: readonly LambdaHandler[] = [
    ...(functions ? [functionsHandler(functions, timeoutMs)] : []),
    ...(script ? [script] : []),
    ...(url === undefined ? [] : [lambdaServer(url, client)]),
  ];
  return {
    isConfigured: all.length > 0,
    script,
    handles: (name) => all.some((each) => each.handles(name)),
    call(call) {
      const name = registeredName(call);
      const handler = all.find((each) => each.handles(name));
      if (!handler) throw new Error(`resolver ${name} not found`);
      return handler.call(call);
    },
    close: async () => {
      for (const each of all) await each.close?.();
    },
  };
}
