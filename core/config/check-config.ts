// Judges a configuration before anything is opened: each problem is one sentence with the way out.

import { parseAllowEntry } from "../../adapters/server/config/allow-list.ts";
import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import { isLogLevel, type LogConfig } from "../telemetry/log.ts";
import { checkOptions, isObject, type OptionKinds } from "./check-options.ts";
import { checkPlugins } from "./check-plugins.ts";
import type { AdminConfig, ApiKey, QuernConfig } from "./config.ts";

const serverOptions: OptionKinds<QuernConfig> = {
  storage: { fits: isStorage, expected: 'a storage such as leveldbStorage({ path: "./data" })' },
  plugins: { fits: Array.isArray, expected: "a list of directive plugins" },
  limits: { fits: isObject, expected: "an object" },
  admin: { fits: isObject, expected: "an object" },
  apiKeys: { fits: Array.isArray, expected: "a list of keys" },
  anonymousAccess: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  debug: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  graphiql: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  introspection: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  log: { fits: isObject, expected: 'an object such as { level: "info" }' },
  metrics: { fits: isMetrics, expected: "metrics such as prometheusMetrics()" },
  envelop: { fits: Array.isArray, expected: "a list of envelop plugins" },
  transports: { fits: isTransportList, expected: "a list of at least one transport, such as [wsTransport()]" },
  schema: { fits: isText, expected: "the text of a schema" },
  host: { fits: isText, expected: "a host name or an address" },
  port: { fits: isPort, expected: "a whole number from 0 to 65535" },
};

const adminOptions: OptionKinds<AdminConfig> = {
  token: {
    fits: (value) => isToken(value) || (Array.isArray(value) && value.every(isToken)),
    expected: "a text that is not empty, or a list of such",
  },
  open: { fits: (value) => value === "loopback", expected: '"loopback"' },
  origins: { fits: (value) => isTextList(value) && value.every(isOrigin), expected: 'a list of origins such as "https://console.example", or ["*"]' },
  allow: { fits: isTextList, expected: 'a list of addresses or ranges such as "10.0.0.0/8"' },
  drop: { fits: (value) => typeof value === "boolean", expected: "true or false" },
};

const keyOptions: OptionKinds<ApiKey> = {
  name: { fits: isText, expected: "a text" },
  kind: { fits: (value) => value === "admin" || value === "client", expected: '"admin" or "client"' },
  hash: { fits: (value) => isText(value) && /^[0-9a-f]{64}$/i.test(value), expected: "the SHA-256 of the key, 64 hexadecimal digits" },
};

const level = { fits: isLogLevel, expected: '"debug", "info", "warn", "error" or "silent"' };
const logOptions: OptionKinds<LogConfig> = {
  level,
  requests: { fits: (value) => isLogLevel(value) && value !== "silent", expected: '"debug", "info", "warn" or "error"' },
  slowQueryMs: { fits: (value) => typeof value === "number" && value >= 0, expected: "a number of milliseconds, Infinity for never" },
  to: { fits: (value) => isObject(value) && typeof value.write === "function", expected: "a logger such as pinoLogger()" },
};

const positive = { fits: (value: unknown) => typeof value === "number" && value > 0, expected: "a number above 0" };
/** Timers of Node take no more. */
const maxTimerMs = 2 ** 31 - 1;
const interval = {
  fits: (value: unknown) => typeof value === "number" && value >= 0 && value <= maxTimerMs,
  expected: `a number from 0 to ${maxTimerMs}`,
};
const timeout = { fits: (value: unknown) => value !== 0 && interval.fits(value), expected: `a number above 0, up to ${maxTimerMs}` };
const limitOptions: OptionKinds<Limits> = {
  maxBodyBytes: positive,
  maxInflatedBytes: positive,
  maxDocumentTokens: positive,
  maxRootFields: positive,
  maxSelections: positive,
  maxInputList: positive,
  maxDepth: positive,
  maxTouchedNodes: positive,
  maxTimeMs: positive,
  maxChanges: positive,
  maxConcurrentRequests: positive,
  maxWaitingRequests: { fits: (value) => typeof value === "number" && value >= 0, expected: "a number, 0 or above" },
  maxQueuedWrites: positive,
  maxCachedDocuments: positive,
  maxLiveClients: positive,
  maxSubscriptions: positive,
  maxSubscriptionMs: positive,
  maxOperationsPerSocket: positive,
  maxMessageBytes: positive,
  socketInitMs: timeout,
  socketPingMs: interval,
  liveKeepAliveMs: interval,
};

/** Problems of what is given to `createKernel`; none: it can be used. A server's whole configuration is one too. */
export function checkKernelConfig(config: unknown): readonly QuernError[] {
  return checkConfig(config, ["storage"]);
}

/** Problems of what a config file exports; none: the server can start. */
export function checkServerConfig(config: unknown): readonly QuernError[] {
  return [...checkConfig(config, ["storage", "transports"]), ...closedProblems(config)];
}

/** A server that lets nobody in is a slip. */
function closedProblems(config: unknown): readonly QuernError[] {
  if (!isObject(config) || config.anonymousAccess !== false) return [];
  if (Array.isArray(config.apiKeys) && config.apiKeys.length > 0) return [];
  const message =
    "anonymousAccess is false and apiKeys holds no key, so nobody could ask anything; add a key to apiKeys, or take anonymousAccess out.";
  return [new QuernError("CONFIG_INVALID", message)];
}

/** Throws what `check` found: the one problem itself, or one error that lists them. */
export function assertNoProblems(problems: readonly QuernError[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new QuernError(first.code, problems.map((each) => each.message).join("\n"), { errors: problems });
}

function checkConfig(config: unknown, needed: readonly string[]): readonly QuernError[] {
  if (!isObject(config)) {
    return [new QuernError("CONFIG_INVALID", "The configuration is not an object; export what defineConfig({...}) returns.")];
  }
  const own = checkOptions(config, serverOptions, { place: "The configuration", needed });
  const admin = isObject(config.admin) ? checkOptions(config.admin, adminOptions, { place: "admin", needed: [] }) : [];
  const limits = isObject(config.limits) ? checkOptions(config.limits, limitOptions, { place: "limits", needed: [] }) : [];
  const log = isObject(config.log) ? checkOptions(config.log, logOptions, { place: "log", needed: [] }) : [];
  const plugins = Array.isArray(config.plugins) ? checkPlugins(config.plugins) : [];
  return [...own, ...admin, ...allowProblems(config.admin), ...keyProblems(config.apiKeys), ...limits, ...log, ...environmentProblems(), ...plugins];
}

function environmentProblems(): readonly QuernError[] {
  const given = process.env.QUERN_LOG;
  if (given === undefined || given === "" || isLogLevel(given)) return [];
  return [new QuernError("CONFIG_INVALID", `The environment variable QUERN_LOG has a wrong value: it must be ${level.expected}.`)];
}

function allowProblems(admin: unknown): readonly QuernError[] {
  const allow = isObject(admin) && isTextList(admin.allow) ? admin.allow : [];
  return allow.flatMap((text) => {
    const entry = parseAllowEntry(text);
    return entry.kind === "invalid" ? [new QuernError("CONFIG_INVALID", `admin.allow: ${entry.problem}`)] : [];
  });
}

function keyProblems(keys: unknown): readonly QuernError[] {
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [];
  return list.flatMap((key, i) =>
    isObject(key)
      ? checkOptions(key, keyOptions, { place: `apiKeys[${i}]`, needed: ["name", "kind", "hash"] })
      : [new QuernError("CONFIG_INVALID", `apiKeys[${i}] is no object; it must hold name, kind and hash.`)],
  );
}

function isStorage(value: unknown): boolean {
  return isObject(value) && ["open", "close", "snapshot", "transact", "migrate"].every((method) => typeof value[method] === "function");
}

function isTransportList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && typeof each.listen === "function");
}

function isMetrics(value: unknown): boolean {
  return isObject(value) && typeof value.expose === "function";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isToken(value: unknown): boolean {
  return isText(value) && value !== "";
}

/** As browsers write them: without a path, in lower case, without the scheme's own port. */
function isOrigin(value: string): boolean {
  return value === "*" || (URL.canParse(value) && new URL(value).origin === value);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
