// The options of the plugin and their checks.

import { assertNoProblems, checkOptions, type OptionKind, type OptionKinds } from "../../../core/plugin.ts";
import { isAddressPattern } from "../../remote/index.ts";

/** Options of `customPlugin`. */
export interface CustomOptions {
  /** Milliseconds for one request, redirects and the reply included. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Bytes of one reply. Default: 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Bytes of the replies to all requests of one operation. Default: 64 MiB. */
  readonly maxOperationBytes?: number;
  /** Requests to one origin at the same time; further ones wait. Default: 64. */
  readonly maxConcurrent?: number;
  /**
   * How often a read is sent again after a broken connection or a status of 429, 502, 503 or 504: requests with GET, and BATCH requests of type
   * fields. Mutations are never repeated. Default: 0.
   */
  readonly retries?: number;
  /** Sends identical reads that one operation makes at the same time once. Default: true. Dgraph sends each. */
  readonly dedupe?: boolean;
  /**
   * Addresses and host names that may be asked although they are loopback or private: `["10.2.0.0/16", "127.0.0.1", "tides.internal"]`.
   * Link-local and metadata addresses cannot be allowed.
   */
  readonly allow?: readonly string[];
  /** Addresses and host names that may not be asked. Wins over `allow`. */
  readonly deny?: readonly string[];
  /**
   * Whether loopback and private addresses may be asked. Default: only while the server itself can be reached from its own machine alone.
   */
  readonly privateAddresses?: boolean;
}

/** Options with their defaults. */
export type ResolvedOptions = Required<Omit<CustomOptions, "privateAddresses">> & Pick<CustomOptions, "privateAddresses">;

const defaults: ResolvedOptions = {
  timeoutMs: 60_000,
  maxResponseBytes: 16 * 2 ** 20,
  maxOperationBytes: 64 * 2 ** 20,
  maxConcurrent: 64,
  retries: 0,
  dedupe: true,
  allow: [],
  deny: [],
};

/** @throws QuernError `CONFIG_INVALID` for an unknown option or a wrong value */
export function resolveOptions(options: CustomOptions): ResolvedOptions {
  assertNoProblems(checkOptions({ ...options }, kinds, { place: "customPlugin", required: [] }));
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

const number = (least: number): OptionKind => ({
  fits: (value) => typeof value === "number" && Number.isInteger(value) && value >= least,
  expected: `a whole number from ${least}`,
});
const switched: OptionKind = { fits: (value) => typeof value === "boolean", expected: "true or false" };
const addresses: OptionKind = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && isAddressPattern(each)),
  expected: 'a list of addresses, ranges and host names, such as ["10.2.0.0/16", "tides.internal"]',
};

const kinds: OptionKinds<CustomOptions> = {
  timeoutMs: number(1),
  maxResponseBytes: number(1),
  maxOperationBytes: number(1),
  maxConcurrent: number(1),
  retries: number(0),
  dedupe: switched,
  allow: addresses,
  deny: addresses,
  privateAddresses: switched,
};
