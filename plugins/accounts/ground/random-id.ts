// IDs and tokens as better-auth makes them: 32 letters and digits.

import { randomBytes } from "node:crypto";

export function randomId(): string {
  return randomBytes(24).toString("base64url").replaceAll(/[-_]/g, "0");
}
