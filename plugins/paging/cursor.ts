// Cursors: a place in an ordered list, as text that clients keep. It holds the values of the order and the uid, and grants nothing.

import { createHash } from "node:crypto";
import { fitsKind, type Place, QuernError, type Stored, type Uid, type ValueKind } from "../../core/plugin.ts";

/** The list to which a cursor belongs. */
export interface CursorList {
  /** Differs between lists of different types or orders. */
  readonly mark: string;
  /** Of the keys. */
  readonly kinds: readonly ValueKind[];
}

/** @param name of the list: its type, and the keys of its order */
export function cursorMark(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, 8);
}

export function writeCursor({ uid, keys }: Place, { mark }: CursorList): string {
  return Buffer.from(JSON.stringify([mark, uid, ...keys.map(written)])).toString("base64url");
}

/** @throws VALUE_INVALID for a text that is no cursor of this list */
export function readCursor(text: string, list: CursorList, argument: "after" | "before"): Place {
  const { kinds } = list;
  const parts = parse(text);
  const [mark, uid, ...values] = parts ?? [];
  if (!parts || typeof mark !== "string" || !isUid(uid)) throw unknown(text, argument);
  if (mark !== list.mark) {
    throw new QuernError(
      "VALUE_INVALID",
      `The cursor in "${argument}" belongs to another list or another order. Pass it to the field that gave it, with the same order.`,
    );
  }
  const keys = values.map((value, k) => readValue(value, kinds[k]));
  if (keys.length !== kinds.length || keys.includes("unfit")) throw unknown(text, argument);
  return { uid, keys: keys.map((key) => (key === "unfit" ? undefined : key.value)) };
}

/** Integers beyond 2^53 as text in an object; missing values as null. */
function written(value: Stored | undefined): unknown {
  if (typeof value === "bigint") return { i: String(value) };
  return typeof value === "object" ? null : (value ?? null);
}

function readValue(value: unknown, kind: ValueKind | undefined): { readonly value: Stored | undefined } | "unfit" {
  if (kind === undefined) return "unfit";
  if (value === null) return { value: undefined };
  const read = bigintIn(value) ?? value;
  if (typeof read !== "string" && typeof read !== "number" && typeof read !== "boolean" && typeof read !== "bigint") return "unfit";
  return fitsKind(kind, read) ? { value: read } : "unfit";
}

function bigintIn(value: unknown): bigint | undefined {
  if (typeof value !== "object" || value === null || !("i" in value) || typeof value.i !== "string") return undefined;
  return /^-?\d{1,19}$/.test(value.i) ? BigInt(value.i) : undefined;
}

function parse(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isUid(value: unknown): value is Uid {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function unknown(text: string, argument: string): QuernError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new QuernError(
    "VALUE_INVALID",
    `${JSON.stringify(shown)} in "${argument}" is no cursor. Pass the cursor of an edge, or startCursor or endCursor of a page, unchanged.`,
  );
}
