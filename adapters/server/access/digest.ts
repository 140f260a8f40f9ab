// Digests of secrets, for comparison.

import { createHash } from "node:crypto";

/** SHA-256: a fixed length, so that a comparison in constant time shows nothing about the secret. */
export function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
