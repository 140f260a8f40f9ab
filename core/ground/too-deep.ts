// Nesting without bounds ends where the call stack does, an answer without bounds where texts do. That is the request's doing, so it is
// told and not logged as a fault.

import { QuernError } from "./errors.ts";

export function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === "Maximum call stack size exceeded";
}

export function tooDeep(): QuernError {
  return new QuernError("LIMIT_REACHED", "The request is nested more deeply than this server can follow. Ask for fewer levels at once.");
}

export function isTooLong(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === "Invalid string length";
}

export function tooLong(): QuernError {
  return new QuernError("LIMIT_REACHED", "The answer is longer than this server can write. Ask for fewer objects at once.");
}
