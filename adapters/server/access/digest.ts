// Secrets as what they are compared by.

import { createHash } from "node:crypto";

/** SHA-256: of equal length whatever the text, so that comparing tells nothing about it. */
export function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
