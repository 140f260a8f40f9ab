// The entry of a node in a compound index as one text: builds and changes handle it as they handle a token. Texts of one list sort as its values do.

import type { ValueKind } from "../../../core/storage.ts";
import type { CompoundEntry } from "../structures/compound-index.ts";
import { formOf } from "../structures/index-blocks.ts";
import type { SortKey } from "../structures/sort-keys.ts";

/** Behind the name of the list. A node without a value comes last. */
const [valued, missing] = ["v", "w"] as const;
/** Of a half of a double. */
const halfDigits = 8;
const bigintDigits = 20;
/** Above every long integer, and every date in nanoseconds. */
const bigintShift = 1n << 72n;

const bytes = new DataView(new ArrayBuffer(8));

/** `list` may hold any character: its length stands before it. */
export function compoundText({ list, key }: CompoundEntry): string {
  return `${list.length}:${list}${key === undefined ? missing : `${valued}${sortableText(key)}`}`;
}

/** @param kind of the last field */
export function compoundEntry(text: string, kind: ValueKind): CompoundEntry {
  const colon = text.indexOf(":");
  const end = colon + 1 + Number(text.slice(0, colon));
  const list = text.slice(colon + 1, end);
  return { list, key: text[end] === missing ? undefined : keyFrom(text.slice(end + 1), kind) };
}

function sortableText(key: SortKey): string {
  if (typeof key === "string") return key;
  return typeof key === "number" ? doubleText(key) : (key + bigintShift).toString(16).padStart(bigintDigits, "0");
}

/** The bits of a double, turned round so that they order as the numbers do. Two halves of it: no bigint is made. */
function doubleText(value: number): string {
  bytes.setFloat64(0, value);
  const [high, low] = [bytes.getUint32(0), bytes.getUint32(4)];
  return high < signBit ? hexText(high + signBit) + hexText(low) : hexText(~high >>> 0) + hexText(~low >>> 0);
}

function hexText(half: number): string {
  return half.toString(16).padStart(halfDigits, "0");
}

const signBit = 2 ** 31;

function keyFrom(text: string, kind: ValueKind): SortKey {
  const form = formOf(kind);
  if (form === "text") return text;
  if (form === "bigint") return BigInt(`0x${text}`) - bigintShift;
  const [high, low] = [Number.parseInt(text.slice(0, halfDigits), 16), Number.parseInt(text.slice(halfDigits), 16)];
  bytes.setUint32(0, high < signBit ? ~high >>> 0 : high - signBit);
  bytes.setUint32(4, high < signBit ? ~low >>> 0 : low);
  return bytes.getFloat64(0);
}
