// The options of the plugin: their defaults and their checks.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { assertNoProblems, checkOptions, type OptionKind, type OptionKinds } from "../../../core/plugin.ts";
import { isAddressPattern } from "../../remote/index.ts";
import { isFunctions, type LambdaFunctions } from "./functions.ts";

/** Where functions are, and how long and how often they run. */
export interface LambdaOptions {
  /** The address of a lambda server. Default: the environment variable `QUERN_LAMBDA_URL`. */
  readonly url?: string | undefined;
  /**
   * A module that exports `functions`, of JavaScript or TypeScript, by its URL or its path from the working folder. It runs in a worker thread. Or the functions
   * themselves, which run in this thread. They come before `script`, and that before `url`.
   */
  readonly functions?: LambdaFunctions | URL | string | undefined;
  /** The path of a lambda script of Dgraph, which runs in a worker thread. */
  readonly script?: string | undefined;
  /**
   * Names of environment variables of the server that the worker threads see, as in `process.env`: `["STRIPE_KEY"]`. Default: none. Functions that run in the
   * thread of the server see its whole environment.
   */
  readonly environment?: readonly string[] | undefined;
  /** The time limit of one call, one delivery of an event and one webhook, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of one answer of a lambda server. Default: 16 MiB. What a webhook answers is not read. */
  readonly maxResponseBytes?: number | undefined;
  /** Bytes of all answers of a lambda server to one operation. Default: 64 MiB. */
  readonly maxOperationBytes?: number | undefined;
  /** The memory of a worker thread, that of a module of functions or of a script, in MiB. Default: 128. */
  readonly workerMemoryMb?: number | undefined;
  /** A worker thread that is blocked for so long is ended and started again, in milliseconds. Default: 5,000. */
  readonly workerStuckMs?: number | undefined;
  /** Calls of each worker thread, and requests to the lambda server, that run at a time. Default: 1,000. */
  readonly maxConcurrentCalls?: number | undefined;
  /** An event that could not be delivered for so long is given up, in milliseconds. Default: 24 hours. */
  readonly maxAgeMs?: number | undefined;
  /** The longest pause before the first repetition of a failed delivery, in milliseconds. It doubles with each failure, up to 5 minutes. Default: 10,000. */
  readonly firstRetryMs?: number | undefined;
  /** Events under delivery at a time. Default: 16. */
  readonly maxConcurrentDeliveries?: number | undefined;
  /** How long other servers on the same database wait for a sign of life of the one that delivers events, in milliseconds. Default: 15,000. */
  readonly leaseMs?: number | undefined;
  /**
   * Addresses and host names to which webhooks may lead although they are loopback or private: `["10.2.0.0/16", "hooks.internal"]`. Link-local and metadata
   * addresses cannot be allowed. The host of `url` is always allowed for the lambda server.
   */
  readonly allow?: readonly string[] | undefined;
  /** Addresses and host names that are never asked. Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
  /** Whether webhooks may lead to loopback and private addresses. Default: only while the server itself can be reached from its own machine alone. */
  readonly privateAddresses?: boolean | undefined;
  /** Signs the requests of webhooks that have no `signedBy`. Default: they are not signed. */
  readonly signingKey?: string | undefined;
}

/** Options without a default. */
type Chosen = "url" | "functions" | "script" | "signingKey" | "privateAddresses";

/** The options with their defaults. */
export type LambdaSettings = Pick<LambdaOptions, Exclude<Chosen, "functions">> & {
  readonly [name in Exclude<keyof LambdaOptions, Chosen>]-?: NonNullable<LambdaOptions[name]>;
} & {
  readonly functions?: LambdaFunctions;
  readonly functionsModule?: URL;
};

const defaults = {
  environment: [],
  timeoutMs: 60_000,
  maxResponseBytes: 16 * 1024 * 1024,
  maxOperationBytes: 64 * 1024 * 1024,
  workerMemoryMb: 128,
  workerStuckMs: 5_000,
  maxConcurrentCalls: 1_000,
  maxAgeMs: 86_400_000,
  firstRetryMs: 10_000,
  maxConcurrentDeliveries: 16,
  leaseMs: 15_000,
  allow: [],
  deny: [],
} as const;

/** @throws QuernError `CONFIG_INVALID` */
export function lambdaSettings(options: LambdaOptions, fromEnvironment = process.env.QUERN_LAMBDA_URL): LambdaSettings {
  const problems = checkOptions({ ...options }, kinds, { place: "lambdaPlugin", required: [] });
  assertNoProblems(problems);
  const { functions, ...others } = options;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { ...defaults, ...(fromEnvironment ? { url: fromEnvironment } : {}), ...given, ...functionsOf(functions) };
}

function functionsOf(functions: LambdaOptions["functions"]): Pick<LambdaSettings, "functions" | "functionsModule"> {
  if (functions === undefined) return {};
  if (functions instanceof URL) return { functionsModule: functions };
  return typeof functions === "string" ? { functionsModule: pathToFileURL(resolve(functions)) } : { functions };
}

const text: OptionKind = { fits: (value) => typeof value === "string" && value !== "", expected: "a text" };
const milliseconds: OptionKind = { fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1, expected: "a whole number of milliseconds" };
const count: OptionKind = { fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1, expected: "a whole number, at least 1" };
const address: OptionKind = {
  fits: (value) => typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value),
  expected: "a URL that begins with http:// or https://",
};
const addresses: OptionKind = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && isAddressPattern(each)),
  expected: 'a list of addresses, ranges and host names, such as ["10.2.0.0/16", "hooks.internal"]',
};
const switched: OptionKind = { fits: (value) => typeof value === "boolean", expected: "true or false" };
const functionsOrModule: OptionKind = {
  fits: (value) => (typeof value === "string" && value !== "") || (value instanceof URL ? value.protocol === "file:" : isFunctions(value)),
  expected:
    'a module of functions, new URL("../functions.ts", import.meta.url), or an object of functions by name: { "Query.nearest": ({ args }) => ... }',
};

const kinds: OptionKinds<LambdaOptions> = {
  url: address,
  functions: functionsOrModule,
  script: text,
  environment: {
    fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && each !== ""),
    expected: 'a list of names of environment variables, such as ["STRIPE_KEY"]',
  },
  timeoutMs: milliseconds,
  maxResponseBytes: count,
  maxOperationBytes: count,
  workerMemoryMb: count,
  workerStuckMs: milliseconds,
  maxConcurrentCalls: count,
  maxAgeMs: milliseconds,
  firstRetryMs: milliseconds,
  maxConcurrentDeliveries: count,
  leaseMs: milliseconds,
  allow: addresses,
  deny: addresses,
  privateAddresses: switched,
  signingKey: text,
};
