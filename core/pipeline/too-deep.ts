// Nesting without bounds ends where the call stack does. That is the request's doing, so it is told and not logged as a fault.

import { QuernError } from "../errors.ts";

export function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === "Maximum call stack size exceeded";
}

export function tooDeep(): QuernError {
  return new QuernError("LIMIT_REACHED", "The request is nested more deeply than this server can follow. Ask for fewer levels at once.");
}
