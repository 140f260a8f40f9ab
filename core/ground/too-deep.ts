// Stack overflow and string overflow, which a request can cause by its nesting and its size. They are reported to the client as exceeded limits
// and are not logged as internal errors.

import { QuernError } from "./errors.ts";

/** Whether V8 threw it because the call stack is full. */
export function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === "Maximum call stack size exceeded";
}

/** The error for a request that overflows the call stack. */
export function tooDeep(): QuernError {
  return new QuernError("LIMIT_REACHED", "The request is nested more deeply than this server can follow. Ask for fewer levels at once.");
}

/** Whether V8 threw it because a string would exceed its maximum length (about 512 MiB). */
export function isTooLong(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === "Invalid string length";
}

/** The error for an answer that exceeds the maximum length of a string. */
export function tooLong(): QuernError {
  return new QuernError("LIMIT_REACHED", "The answer is longer than this server can write. Ask for fewer objects at once.");
}
