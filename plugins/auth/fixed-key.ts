// The verification key of an Authorization line: a shared secret, or a public RSA key in PEM.

import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { invalid } from "./invalid.ts";

export const algorithms = ["HS256", "HS384", "HS512", "RS256", "RS384", "RS512"] as const;
export type Algorithm = (typeof algorithms)[number];

export interface FixedKey {
  readonly kind: "key";
  readonly algorithm: Algorithm;
  /** The secret, or a PEM public key. */
  readonly key: string;
}

/** Crypto libraries refuse shorter RSA keys. */
const shortestRsaBits = 2048;

export function assertUsableKey(fixed: FixedKey): void {
  keyObject(fixed);
}

/** @throws QuernError `SCHEMA_INVALID` for a text that is not such a key; the message does not contain the text */
export function keyObject({ algorithm, key }: FixedKey): KeyObject {
  return algorithm.startsWith("HS") ? createSecretKey(Buffer.from(key, "utf8")) : rsaKey(key);
}

function rsaKey(pem: string): KeyObject {
  const [, label] = /-----BEGIN ([A-Z ]+)-----\r?\n[\s\S]*-----END \1-----/u.exec(pem) ?? [];
  if (label === undefined) throw invalid("invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key");
  const key = label === "PUBLIC KEY" || label === "RSA PUBLIC KEY" ? publicKey(pem) : undefined;
  if (key?.asymmetricKeyType !== "rsa") throw invalid("key is not a valid RSA public key");
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < shortestRsaBits)
    throw invalid(`key is not a valid RSA public key: it has fewer than ${shortestRsaBits} bits`);
  return key;
}

function publicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
