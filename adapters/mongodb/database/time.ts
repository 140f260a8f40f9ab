// Commit tokens are MongoDB's cluster times: sixteen hexadecimal digits, which sort as text.

import { Timestamp } from "mongodb";
import type { CommitToken } from "../../../core/storage.ts";

export function tokenOf(time: Timestamp): CommitToken {
  return hex(time.getHighBitsUnsigned()) + hex(time.getLowBitsUnsigned());
}

/** Undefined for a text that is not a token. */
export function timeOf(token: CommitToken): Timestamp | undefined {
  if (!/^[0-9a-f]{16}$/.test(token)) return undefined;
  return new Timestamp({ t: Number.parseInt(token.slice(0, 8), 16), i: Number.parseInt(token.slice(8), 16) });
}

export const beginning: CommitToken = "0".repeat(16);

export function later(a: Timestamp, b: Timestamp | undefined): Timestamp {
  return b?.greaterThan(a) ? b : a;
}

function hex(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}
