// Validates a configuration before anything is opened. Each problem is one sentence that includes the fix.

import { isErrorStyle } from "../ground/error-style.ts";
import { QuernError } from "../ground/errors.ts";
import type { CallerLimits, Limits, PersistedQueryLimits } from "../ground/limits.ts";
import type { ExtensionOptions } from "../request/operation/trace.ts";
import { isLogLevel, type LogConfig } from "../telemetry/log.ts";
import { checkOptions, isObject, type OptionKind, type OptionKinds } from "./check-options.ts";
import { checkPlugins } from "./check-plugins.ts";
import type { KernelConfig } from "./config.ts";

const kernelOptions: OptionKinds<KernelConfig> = {
  storage: { fits: isStorage, expected: 'a storage such as leveldbStorage({ path: "./data" })' },
  plugins: { fits: Array.isArray, expected: "a list of directive plugins" },
  limits: { fits: isObject, expected: "an object" },
  debug: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  introspection: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  errors: { fits: isErrorStyle, expected: '"plain" or "compatible"' },
  extensions: { fits: (value) => value === false || isObject(value), expected: "false, or an object such as { tracing: true }" },
  log: { fits: isObject, expected: 'an object such as { level: "info" }' },
  metrics: { fits: isMetrics, expected: "metrics such as prometheusMetrics()" },
  envelop: { fits: Array.isArray, expected: "a list of envelop plugins" },
  budget: { fits: isObject, expected: "a budget that kernels share, from processBudget" },
  readWorkers: {
    fits: (value) => isObject(value) && typeof value.run === "function" && isObject(value.placement),
    expected: "read workers such as readWorkers({ count: 2, config })",
  },
};

const extensionOptions: OptionKinds<ExtensionOptions> = {
  tracing: { fits: (value) => typeof value === "boolean", expected: "true or false" },
};

const level = { fits: isLogLevel, expected: '"debug", "info", "warn", "error" or "silent"' };
const logOptions: OptionKinds<LogConfig> = {
  level,
  requests: { fits: (value) => isLogLevel(value) && value !== "silent", expected: '"debug", "info", "warn" or "error"' },
  slowQueryMs: { fits: (value) => typeof value === "number" && value >= 0, expected: "a number of milliseconds, Infinity for never" },
  to: { fits: (value) => isObject(value) && typeof value.write === "function", expected: "a logger such as pinoLogger()" },
};

const positive = { fits: (value: unknown) => typeof value === "number" && value > 0, expected: "a number above 0" };
/** The longest delay that Node's timers accept. */
const maxTimerMs = 2 ** 31 - 1;
const interval = {
  fits: (value: unknown) => typeof value === "number" && value >= 0 && value <= maxTimerMs,
  expected: `a number from 0 to ${maxTimerMs}`,
};
const timeout = { fits: (value: unknown) => value !== 0 && interval.fits(value), expected: `a number above 0, up to ${maxTimerMs}` };
const notNegative = { fits: (value: unknown) => typeof value === "number" && value >= 0, expected: "a number, 0 or above" };
const persistedOptions: OptionKinds<PersistedQueryLimits> = { maxDocuments: notNegative, maxBytes: notNegative, maxDocumentBytes: notNegative };
const callerOptions: OptionKinds<CallerLimits> = {
  maxRunning: positive,
  maxRequestsPerMinute: positive,
  maxCostPerMinute: positive,
  maxSubscriptions: positive,
};
const limitOptions: OptionKinds<Limits> = {
  maxBodyBytes: positive,
  maxInflatedBytes: positive,
  maxAdminBodyBytes: positive,
  maxBodyValues: positive,
  maxAdminBodyValues: positive,
  maxObjectMembers: positive,
  maxBufferedBytes: positive,
  maxDocumentTokens: positive,
  maxSchemaTokens: positive,
  maxRootFields: positive,
  maxSelections: positive,
  maxInputList: positive,
  maxConditions: positive,
  maxValueCharacters: positive,
  maxTokensPerValue: positive,
  maxDepth: positive,
  maxTouchedNodes: positive,
  maxTimeMs: positive,
  hookMs: positive,
  openMs: positive,
  surveyMs: positive,
  closeMs: timeout,
  maxAnswerBytes: positive,
  maxUnsentBytes: positive,
  stallMs: timeout,
  maxLongRequests: positive,
  maxWaitingLongRequests: notNegative,
  maxChanges: positive,
  maxTransactionMs: timeout,
  perCaller: { fits: isObject, expected: "an object" },
  maxConcurrentRequests: positive,
  maxWaitingRequests: notNegative,
  maxQueuedWrites: positive,
  maxCachedDocuments: positive,
  persistedQueries: { fits: isObject, expected: "an object" },
  maxLiveClients: positive,
  maxSubscriptions: positive,
  maxSubscriptionMs: positive,
  maxOperationsPerSocket: positive,
  maxStartingPerSocket: positive,
  maxMessageBytes: positive,
  socketInitMs: timeout,
  socketPingMs: interval,
  liveKeepAliveMs: interval,
};

/** Problems of a `createKernel` configuration; empty if it is valid. */
export function checkKernelConfig(config: unknown): readonly QuernError[] {
  return checkConfig(config, { options: {}, required: [] });
}

/** Options that a caller validates together with those of the kernel. */
export interface MoreOptions {
  /** In addition to the kernel's options, by name. */
  readonly options: Readonly<Record<string, OptionKind>>;
  /** Names of options that must be present. `storage` always is. */
  readonly required: readonly string[];
}

/** Refuses a configuration that has problems. @throws QuernError the single problem, or one error that lists all of them in `errors` */
export function assertNoProblems(problems: readonly QuernError[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new QuernError(first.code, problems.map((each) => each.message).join("\n"), { errors: problems });
}

/** Problems of a configuration that contains the kernel's options and those of `more`. */
export function checkConfig(config: unknown, { options, required }: MoreOptions): readonly QuernError[] {
  if (!isObject(config)) {
    return [new QuernError("CONFIG_INVALID", "The configuration is not an object; export what defineConfig({...}) returns.")];
  }
  const own = checkOptions(config, { ...kernelOptions, ...options }, { place: "The configuration", required: ["storage", ...required] });
  const limits = isObject(config.limits) ? limitProblems(config.limits) : [];
  const extensions = isObject(config.extensions) ? checkOptions(config.extensions, extensionOptions, { place: "extensions", required: [] }) : [];
  const log = isObject(config.log) ? checkOptions(config.log, logOptions, { place: "log", required: [] }) : [];
  const plugins = Array.isArray(config.plugins) ? checkPlugins(config.plugins) : [];
  return [...own, ...limits, ...extensions, ...log, ...environmentProblems(), ...plugins];
}

function limitProblems(limits: Readonly<Record<string, unknown>>): readonly QuernError[] {
  const own = checkOptions(limits, limitOptions, { place: "limits", required: [] });
  const { persistedQueries, perCaller } = limits;
  const persisted = isObject(persistedQueries)
    ? checkOptions(persistedQueries, persistedOptions, { place: "limits.persistedQueries", required: [] })
    : [];
  const callers = isObject(perCaller) ? checkOptions(perCaller, callerOptions, { place: "limits.perCaller", required: [] }) : [];
  return [...own, ...persisted, ...callers];
}

function environmentProblems(): readonly QuernError[] {
  const given = process.env.QUERN_LOG;
  if (given === undefined || given === "" || isLogLevel(given)) return [];
  return [new QuernError("CONFIG_INVALID", `The environment variable QUERN_LOG has a wrong value: it must be ${level.expected}.`)];
}

function isStorage(value: unknown): boolean {
  return isObject(value) && ["open", "close", "snapshot", "transact", "migrate"].every((method) => typeof value[method] === "function");
}

function isMetrics(value: unknown): boolean {
  return isObject(value) && typeof value.expose === "function";
}
