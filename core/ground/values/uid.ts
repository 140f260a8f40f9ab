// Node ids in the API. Output is lower-case hexadecimal; input is any integer literal of Go.

import type { Uid } from "./value.ts";

/** The text of a uid in the API: 42 is `0x2a`. */
export function formatUid(uid: Uid): string {
  return `0x${uid.toString(16)}`;
}

const integer = /^\+?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;

/**
 * Parses a uid of up to 64 bits in hexadecimal (`0x2A`), decimal, octal (`017`, `0o17`) or binary (`0b11`); undefined for other texts. A value
 * that no node can have (0, or beyond 2^53 - 1) gives 0, which is well-formed and matches no node.
 */
export function parseUid(text: string): Uid | undefined {
  if (!integer.test(text)) return undefined;
  const digits = text.startsWith("+") ? text.slice(1) : text;
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  if (value > 0xffff_ffff_ffff_ffffn) return undefined;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(value);
}
