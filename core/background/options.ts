// What background work needs of the kernel, and one task of a plugin.

import type { BackgroundTask } from "../contracts/plugin/background.ts";
import type { ExecuteAnswer, ExecuteRequest } from "../contracts/plugin/execute.ts";
import type { Storage } from "../contracts/storage/storage.ts";
import type { Limits } from "../ground/limits.ts";
import type { Closing } from "../ground/patience.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Gauges } from "../telemetry/gauges.ts";
import type { Log } from "../telemetry/log.ts";

export interface BackgroundOptions {
  readonly storage: Storage;
  readonly log: Log;
  readonly gauges: Gauges;
  readonly execute: (request: ExecuteRequest) => Promise<ExecuteAnswer>;
  readonly limits: Pick<Limits, "hookMs" | "closeMs">;
  readonly closing: Closing;
}

export interface TaskOptions extends BackgroundOptions {
  readonly plugin: string;
  readonly task: BackgroundTask;
  readonly deployment: Deployment;
}
