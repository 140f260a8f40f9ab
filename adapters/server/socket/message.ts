// Parses messages of both dialects: a JSON object with `type`, and optional `id` and `payload`.

import { parseJson } from "../../../core/index.ts";

export interface Message {
  /** Empty when there is none. */
  readonly type: string;
  /** Empty when there is none. */
  readonly id: string;
  /** Undefined: none; `null` is a payload. */
  readonly payload: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined: not a message. `null` is a message without members, as in Dgraph. */
export function readMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (value === null) return { type: "", id: "", payload: undefined };
  if (!isObject(value)) return undefined;
  const { type, id, payload } = value;
  return isTextOrNothing(type) && isTextOrNothing(id) ? { type: type ?? "", id: id ?? "", payload } : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTextOrNothing(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}
