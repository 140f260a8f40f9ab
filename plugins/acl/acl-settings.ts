// The options of the plugin, and the secret that signs tokens.

import { createSecretKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { checkOptions, type OptionKinds, QuernError } from "../../core/plugin.ts";

/** Give `secretFile` or `secret`. */
export interface AclOptions {
  /** Path of a file that holds the secret, at least 32 bytes. White space around it does not count. */
  readonly secretFile?: string;
  /** The secret itself, at least 32 bytes. Take it from the environment. */
  readonly secret?: string;
  /** Life of an access token, in milliseconds. Default: 6 hours. */
  readonly accessTtlMs?: number;
  /** Life of a refresh token, in milliseconds. Default: 30 days. */
  readonly refreshTtlMs?: number;
  /**
   * How many logins of one user from one address may fail before more are refused; five times as many of one address. Every three seconds one more
   * is allowed. Default: 200.
   */
  readonly maxFailedLogins?: number;
}

export interface AclSettings {
  readonly key: KeyObject;
  readonly accessTtlMs: number;
  readonly refreshTtlMs: number;
  readonly maxFailedLogins: number;
}

const hourMs = 3_600_000;
const leastSecretBytes = 32;

const text = { fits: (value: unknown) => typeof value === "string" && value !== "", expected: "a text" };
const life = { fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1_000, expected: "a number of milliseconds, at least 1000" };
const count = { fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1, expected: "a whole number, at least 1" };
const kinds: OptionKinds<AclOptions> = { secretFile: text, secret: text, accessTtlMs: life, refreshTtlMs: life, maxFailedLogins: count };

/** @throws QuernError `CONFIG_INVALID` */
export function aclSettings(options: AclOptions): AclSettings {
  const [problem] = checkOptions({ ...options }, kinds, { place: "aclPlugin", required: [] });
  if (problem !== undefined) throw problem;
  const { accessTtlMs = 6 * hourMs, refreshTtlMs = 30 * 24 * hourMs, maxFailedLogins = 200 } = options;
  return { key: createSecretKey(secretOf(options)), accessTtlMs, refreshTtlMs, maxFailedLogins };
}

function secretOf({ secretFile, secret }: AclOptions): Buffer {
  if ((secretFile === undefined) === (secret === undefined)) throw invalid("aclPlugin needs secretFile or secret, one of them.");
  const bytes = Buffer.from(secret ?? readSecret(String(secretFile)));
  if (bytes.byteLength >= leastSecretBytes) return bytes;
  throw invalid(
    `The secret of aclPlugin has ${bytes.byteLength} bytes and needs at least ${leastSecretBytes}. Make one with: openssl rand -base64 48`,
  );
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QuernError("CONFIG_INVALID", `The secret file of aclPlugin cannot be read: ${reason}`, { cause });
  }
}

function invalid(message: string): QuernError {
  return new QuernError("CONFIG_INVALID", message);
}
