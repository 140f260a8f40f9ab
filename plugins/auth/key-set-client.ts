// The client that fetches key sets, and the addresses that it may ask.

import { assertNoProblems, checkOptions, type OptionKind, type OptionKinds } from "../../core/plugin.ts";
import { AddressPolicy, HttpClient, isAddressPattern } from "../remote/index.ts";

/** Where key sets may be. Link-local and metadata addresses are never asked. */
export interface KeySetOptions {
  /** Addresses, ranges and host names that may be asked although they are loopback or private: `["10.2.0.0/16", "keycloak"]`. */
  readonly allow?: readonly string[];
  /** Addresses and host names that are never asked. Wins over `allow`. */
  readonly deny?: readonly string[];
  /** Whether loopback and private addresses may be asked. Default: only while the server itself can be reached from its own machine alone. */
  readonly privateAddresses?: boolean;
}

/** @throws QuernError `CONFIG_INVALID` */
export function keySetPolicy(options: KeySetOptions): AddressPolicy {
  assertNoProblems(checkOptions({ ...options }, kinds, { place: "authPlugin keySets", required: [] }));
  const { allow = [], deny = [], privateAddresses } = options;
  return new AddressPolicy({ allow, deny, privateAddresses });
}

const timeoutMs = 10_000;
const maxBytes = 1_048_576;

/** For the key sets of one schema. */
export function keySetClient(policy: AddressPolicy): HttpClient {
  return new HttpClient({ timeoutMs, maxResponseBytes: maxBytes, maxOperationBytes: maxBytes, maxConcurrent: 4 }, policy);
}

const addresses: OptionKind = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string" && isAddressPattern(each)),
  expected: 'a list of addresses, ranges and host names, such as ["10.2.0.0/16", "keycloak"]',
};

const kinds: OptionKinds<KeySetOptions> = {
  allow: addresses,
  deny: addresses,
  privateAddresses: { fits: (value) => typeof value === "boolean", expected: "true or false" },
};
