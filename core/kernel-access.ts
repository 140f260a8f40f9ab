// Implements what plugins use of the running kernel.

import { fittingWrites } from "./background/hidden-writes.ts";
import type { ExecuteAnswer } from "./contracts/plugin/execute.ts";
import type { AccessOptions, AccessRequest, KernelAccess, PluginLog } from "./contracts/plugin/kernel-access.ts";
import type { ReadOptions, Snapshot } from "./contracts/storage/snapshot.ts";
import { parseJson } from "./ground/json/parse-json.ts";
import { andThen } from "./ground/maybe-promise.ts";
import type { Kernel } from "./kernel.ts";
import { pluginWork } from "./mutation/context/plugin-work.ts";
import { held, heldLong } from "./mutation/transaction/held-transaction.ts";
import { withAllPowers } from "./query/powers/all-powers.ts";
import { withNearest } from "./query/powers/scan-nearest.ts";
import { RequestBudget } from "./request/budget/budget.ts";
import type { GraphQLRequest } from "./request/caller/request.ts";
import type { Log } from "./telemetry/log.ts";

/** What the plugin named `plugin` uses of `kernel`. */
export function kernelAccess(kernel: Kernel, plugin: string): KernelAccess {
  const readOptions = ({ onGone }: AccessOptions = {}) => ({
    version: kernel.stored?.version ?? 0,
    budget: new RequestBudget({ limits: kernel.limits, onGone }),
  });
  const log = pluginLog(kernel.log, plugin);
  const logLong = (outsideMs: number) => log.warn("long-transaction", heldLong(`A transaction of the plugin "${plugin}"`, outsideMs), { outsideMs });
  return {
    get served() {
      return kernel.deployment;
    },
    limits: kernel.limits,
    snapshot: (options) => fullSnapshot(kernel, readOptions(options)),
    transact: (work, options) => {
      const reading = readOptions(options);
      const { deadline } = reading.budget;
      const { hookMs } = kernel.limits;
      const writing: typeof work = (transaction) => work(fittingWrites(transaction, plugin, kernel.deployment));
      const bounded = pluginWork({ plugin, hook: "transact" }, writing, { hookMs, deadline });
      return kernel.storage.transact((transaction) => held(transaction, bounded, logLong), reading);
    },
    write: (options, work) => kernel.write(options, work),
    changes: (listener) => kernel.storage.changes(listener),
    metaNames: (request) => kernel.storage.metaNames(request),
    rerunLiveQueries: () => kernel.rerunLiveQueries(),
    recheckCallers: (which) => kernel.recheckCallers(which),
    identify: (headers) => kernel.identify(headers),
    permissions: (headers) => kernel.permissions(headers),
    outsideRules: (snapshot, headers) => kernel.outsideRules(snapshot, headers),
    execute: (request) => foreignQuestion(request) ?? andThen(kernel.execute(accessRequest(request)), ({ body }) => executeAnswer(body)),
    log,
  };
}

/** What the storage lacks is added, as for requests. */
function fullSnapshot({ storage, stored }: Kernel, options: ReadOptions & { readonly budget: RequestBudget }): Snapshot {
  const { supports } = storage;
  const searching = withNearest(storage.snapshot(options), supports);
  return stored ? withAllPowers(searching, { supports, layout: stored.layout, budget: options.budget }) : searching;
}

function accessRequest({ query, variables = {}, headers = {}, as = "caller", onGone }: AccessRequest): GraphQLRequest {
  return { query, variables, headers, as, ...(onGone && { onGone }) };
}

/** The type has no `language`; what is ignored without a word would be taken for GraphQL. */
function foreignQuestion(request: AccessRequest & { readonly language?: string }): ExecuteAnswer | undefined {
  const { language = "graphql" } = request;
  if (language === "graphql") return undefined;
  return { data: undefined, errors: [{ message: `Paths of plugins ask in GraphQL, and not in ${language}.` }] };
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
