// Judges a configuration before anything is opened: each problem is one sentence with the way out.

import { isIP } from "node:net";
import { QuernError } from "../errors.ts";
import { checkOptions, isObject, type OptionKinds } from "./check-options.ts";
import { checkPlugins } from "./check-plugins.ts";
import type { AdminConfig, QuernConfig } from "./config.ts";
import type { Limits } from "./limits.ts";

const serverOptions: OptionKinds<QuernConfig> = {
  storage: { fits: isStorage, expected: 'a storage such as leveldbStorage({ path: "./data" })' },
  plugins: { fits: Array.isArray, expected: "a list of directive plugins" },
  limits: { fits: isObject, expected: "an object" },
  admin: { fits: isObject, expected: "an object" },
  debug: { fits: (value) => typeof value === "boolean", expected: "true or false" },
  envelop: { fits: Array.isArray, expected: "a list of envelop plugins" },
  transports: { fits: isTransportList, expected: "a list of at least one transport, such as [wsTransport()]" },
  schema: { fits: isText, expected: "the text of a schema" },
  host: { fits: isText, expected: "a host name or an address" },
  port: { fits: isPort, expected: "a whole number from 0 to 65535" },
};

const adminOptions: OptionKinds<AdminConfig> = {
  token: { fits: (value) => isText(value) && value !== "", expected: "a text that is not empty" },
  allow: { fits: isAddressList, expected: 'a list of addresses or ranges such as "10.0.0.0/8"' },
  drop: { fits: (value) => typeof value === "boolean", expected: "true or false" },
};

const positive = { fits: (value: unknown) => typeof value === "number" && value > 0, expected: "a number above 0" };
const limitOptions: OptionKinds<Limits> = {
  maxBodyBytes: positive,
  maxInflatedBytes: positive,
  maxDocumentTokens: positive,
  maxRootFields: positive,
  maxInputList: positive,
  maxDepth: positive,
  maxTouchedNodes: positive,
  maxTimeMs: positive,
  maxChanges: positive,
  maxCachedDocuments: positive,
};

/** Problems of what is given to `createKernel`; none: it can be used. A server's whole configuration is one too. */
export function checkKernelConfig(config: unknown): readonly QuernError[] {
  return checkConfig(config, ["storage"]);
}

/** Problems of what a config file exports; none: the server can start. */
export function checkServerConfig(config: unknown): readonly QuernError[] {
  return checkConfig(config, ["storage", "transports"]);
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
  const plugins = Array.isArray(config.plugins) ? checkPlugins(config.plugins) : [];
  return [...own, ...admin, ...limits, ...plugins];
}

function isStorage(value: unknown): boolean {
  return isObject(value) && ["open", "close", "snapshot", "transact", "migrate"].every((method) => typeof value[method] === "function");
}

function isTransportList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && typeof each.listen === "function");
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535;
}

function isAddressList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isText(each) && isAddressOrRange(each));
}

function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
