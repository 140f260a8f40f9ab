// Keys as text: uids in numeric order, and user texts of any length.

import { createHash } from "node:crypto";
import { wellFormed } from "../../storage-kit/index.ts";

/** Text that sorts as the numbers do: the count of base-36 digits as a letter, then the digits. 2^53 - 1 has eleven. */
export function uidText(uid: number): string {
  const digits = uid.toString(36);
  return String.fromCharCode(96 + digits.length) + digits;
}

export function uidFromText(text: string): number {
  return Number.parseInt(text.slice(1), 36);
}

const longestText = 200;

/** Texts up to 200 units as they are; longer ones by their SHA-256, which no two texts share in practice. */
export function boundedText(given: string): string {
  const text = wellFormed(given);
  if (text.length <= longestText) return `=${text}`;
  return `#${createHash("sha256").update(text).digest("base64url")}`;
}
