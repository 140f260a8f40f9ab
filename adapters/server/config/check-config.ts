// Validates the configuration of a server before anything is opened. Each problem is one sentence that says what fits.

import { QuernError } from "../../../core/index.ts";
import { checkOptions, isObject, type OptionKinds } from "../../../core/plugin.ts";
import { checkConfig } from "../../../core/server.ts";
import { parseAllowEntry } from "./allow-list.ts";
import type { AdminConfig, ApiKey, EndpointConfig, QuernConfig, TrustedDocumentsConfig } from "./config.ts";
import { isHashOfNothing, reachableTokenProblems } from "./weak-secrets.ts";

const isBoolean = (value: unknown) => typeof value === "boolean";

const endpointOptions: OptionKinds<EndpointConfig> = {
  admin: { fits: isObject, expected: "an object" },
  apiKeys: { fits: Array.isArray, expected: "a list of keys" },
  anonymousAccess: { fits: isBoolean, expected: "true or false" },
  graphiql: { fits: isBoolean, expected: "true or false" },
  console: { fits: isBoolean, expected: "true or false" },
  trustProxy: {
    fits: (value) => isTextList(value) && value.every(isAddressEntry),
    expected: 'a list of addresses, CIDR blocks and ranges such as ["10.0.0.0/8"]',
  },
  trustedDocuments: {
    fits: (value) => isFileName(value) || isObject(value),
    expected: 'a file name such as "persisted-documents.json", or { file, only }',
  },
  namespace: { fits: isObject, expected: "a namespace of a server with several" },
};

const serverOptions: OptionKinds<
  Pick<QuernConfig, "transports" | "schema" | "host" | "port" | "workers" | "collectWhenIdle" | "namespaces"> & EndpointConfig
> = {
  ...endpointOptions,
  transports: { fits: isTransportList, expected: "a list of at least one transport, such as [wsTransport()]" },
  schema: { fits: isText, expected: "the text of a schema" },
  host: { fits: isText, expected: "a host name or an address" },
  port: { fits: isPort, expected: "a whole number from 0 to 65535" },
  workers: { fits: (value) => Number.isInteger(value) && Number(value) >= 0, expected: "a whole number, 0 or above" },
  collectWhenIdle: { fits: isBoolean, expected: "true or false" },
  namespaces: {
    fits: (value) => isObject(value) && isObject(value.stores) && typeof value.plugins === "function",
    expected: "an object with stores, such as leveldbNamespaces({ path }), and a function plugins",
  },
};

const adminOptions: OptionKinds<AdminConfig> = {
  token: {
    fits: isTokenOrList,
    expected: "a text that is not empty, or a list of such",
  },
  open: { fits: (value) => value === "loopback", expected: '"loopback"' },
  origins: { fits: (value) => isTextList(value) && value.every(isOrigin), expected: 'a list of origins such as "https://console.example", or ["*"]' },
  allow: { fits: isTextList, expected: 'a list of addresses or ranges such as "10.0.0.0/8"' },
  exports: { fits: isText, expected: "the path of a folder" },
  drop: { fits: isBoolean, expected: "true or false" },
};

const trustedOptions: OptionKinds<TrustedDocumentsConfig> = {
  file: { fits: isFileName, expected: 'a file name such as "persisted-documents.json"' },
  only: { fits: isBoolean, expected: "true or false" },
};

const keyOptions: OptionKinds<ApiKey> = {
  name: { fits: isText, expected: "a text" },
  kind: { fits: (value) => value === "admin" || value === "client", expected: '"admin" or "client"' },
  hash: {
    fits: (value) => isText(value) && /^[0-9a-f]{64}$/i.test(value) && !isHashOfNothing(value),
    expected: "the SHA-256 of the key, 64 hexadecimal digits, and not that of an empty text",
  },
};

/** The problems of what a config file exports; empty: the server can start. */
export function checkServerConfig(config: unknown): readonly QuernError[] {
  return [
    ...checkConfig(config, { options: serverOptions, required: ["transports"] }),
    ...endpointProblems(config),
    ...closedProblems(config),
    ...tokenProblems(config),
  ];
}

function tokenProblems(config: unknown): readonly QuernError[] {
  if (!isObject(config) || !isObject(config.admin)) return [];
  const { token } = config.admin;
  return isTokenOrList(token) && (config.host === undefined || isText(config.host)) ? reachableTokenProblems(token, config.host) : [];
}

/** The problems of the options of `createServerKernel`; empty: none. */
export function checkServerKernelConfig(config: unknown): readonly QuernError[] {
  return [...checkConfig(config, { options: endpointOptions, required: [] }), ...endpointProblems(config)];
}

function endpointProblems(config: unknown): readonly QuernError[] {
  if (!isObject(config)) return [];
  const admin = isObject(config.admin) ? checkOptions(config.admin, adminOptions, { place: "admin", required: [] }) : [];
  const { trustedDocuments } = config;
  const trusted = isObject(trustedDocuments) ? checkOptions(trustedDocuments, trustedOptions, { place: "trustedDocuments", required: ["file"] }) : [];
  return [...admin, ...allowProblems(config.admin), ...keyProblems(config.apiKeys), ...trusted];
}

/** A server that admits no caller is a mistake. */
function closedProblems(config: unknown): readonly QuernError[] {
  if (!isObject(config) || config.anonymousAccess !== false) return [];
  if (Array.isArray(config.apiKeys) && config.apiKeys.length > 0) return [];
  const message =
    "anonymousAccess is false and apiKeys is empty, so every request would be refused; add a key to apiKeys, or remove anonymousAccess.";
  return [new QuernError("CONFIG_INVALID", message)];
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
      ? checkOptions(key, keyOptions, { place: `apiKeys[${i}]`, required: ["name", "kind", "hash"] })
      : [new QuernError("CONFIG_INVALID", `apiKeys[${i}] is no object; it must hold name, kind and hash.`)],
  );
}

function isTransportList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && typeof each.listen === "function");
}

function isAddressEntry(text: string): boolean {
  const { kind } = parseAllowEntry(text);
  return kind === "address" || kind === "block" || kind === "range";
}

function isTokenOrList(value: unknown): value is string | readonly string[] {
  return isToken(value) || (Array.isArray(value) && value.every(isToken));
}

function isToken(value: unknown): value is string {
  return isText(value) && value !== "";
}

/** As browsers write origins: without a path, in lower case, without the default port. */
function isOrigin(value: string): boolean {
  return value === "*" || (URL.canParse(value) && new URL(value).origin === value);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isFileName(value: unknown): value is string {
  return isText(value) && value !== "";
}
