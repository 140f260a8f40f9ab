// Implements what plugins use of the running kernel.

import type { ExecuteAnswer } from "./contracts/plugin/execute.ts";
import type { AccessOptions, AccessRequest, KernelAccess, PluginLog } from "./contracts/plugin/kernel-access.ts";
import type { ReadOptions, Snapshot } from "./contracts/storage/snapshot.ts";
import { parseJson } from "./ground/json/parse-json.ts";
import { andThen } from "./ground/maybe-promise.ts";
import type { Kernel } from "./kernel.ts";
import { withAllPowers } from "./query/powers/all-powers.ts";
import { withNearest } from "./query/powers/scan-nearest.ts";
import { RequestBudget } from "./request/budget.ts";
import type { Log } from "./telemetry/log.ts";

/** What the plugin named `plugin` uses of `kernel`. */
export function kernelAccess(kernel: Kernel, plugin: string): KernelAccess {
  const readOptions = ({ onGone }: AccessOptions = {}) => ({
    version: kernel.deployment?.version ?? 0,
    budget: new RequestBudget({ limits: kernel.limits, onGone }),
  });
  return {
    get served() {
      return kernel.deployment;
    },
    limits: kernel.limits,
    snapshot: (options) => fullSnapshot(kernel, readOptions(options)),
    transact: (work, options) => kernel.storage.transact(work, readOptions(options)),
    changes: (listener) => kernel.storage.changes(listener),
    metaNames: (request) => kernel.storage.metaNames(request),
    rerunLiveQueries: () => kernel.rerunLiveQueries(),
    permissions: (headers) => kernel.permissions(headers),
    outsideRules: (snapshot, headers) => kernel.outsideRules(snapshot, headers),
    execute: (request) => andThen(kernel.execute(clientRequest(request)), ({ body }) => executeAnswer(body)),
    log: pluginLog(kernel.log, plugin),
  };
}

/** What the storage lacks is added, as for requests. */
function fullSnapshot({ storage, deployment }: Kernel, options: ReadOptions & { readonly budget: RequestBudget }): Snapshot {
  const { supports } = storage;
  const searching = withNearest(storage.snapshot(options), supports);
  return deployment ? withAllPowers(searching, { supports, layout: deployment.layout, budget: options.budget }) : searching;
}

function clientRequest({ query, variables = {}, headers = {}, onGone }: AccessRequest) {
  return { query, variables, headers, ...(onGone && { onGone }) };
}

function executeAnswer(body: string): ExecuteAnswer {
  const envelope = objectOf(parseJson(body));
  const data = envelope.data === undefined || envelope.data === null ? undefined : objectOf(envelope.data);
  const errors: readonly unknown[] = Array.isArray(envelope.errors) ? envelope.errors : [];
  return { data, errors: errors.map(errorOf) };
}

function errorOf(value: unknown): ExecuteAnswer["errors"][number] {
  const { message, path } = objectOf(value);
  return { message: String(message), ...(Array.isArray(path) && { path }) };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

export function pluginLog(log: Log, plugin: string): PluginLog {
  return {
    info: (event, message, facts) => log.info(event, message, { ...facts, plugin }),
    warn: (event, message, facts) => log.warn(event, message, { ...facts, plugin }),
    fault: (thrown) => log.fault(thrown, { plugin }),
  };
}
