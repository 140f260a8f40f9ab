// The spelling of node ids at the API: lower-case hexadecimal out, any Go integer literal in.

import type { Uid } from "./value.ts";

/** `0x2a` */
export function formatUid(uid: Uid): string {
  return `0x${uid.toString(16)}`;
}

const integer = /^\+?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;

/**
 * The id that `text` spells: hexadecimal `0x2A`, decimal, octal (`017`, `0o17`) or binary, up to 64 bits; undefined for anything else.
 * A value no node can have (0, or above 2^53) comes back as 0: well formed, and nobody's.
 */
export function parseUid(text: string): Uid | undefined {
  if (!integer.test(text)) return undefined;
  const digits = text.startsWith("+") ? text.slice(1) : text;
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  if (value > 0xffff_ffff_ffff_ffffn) return undefined;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(value);
}
