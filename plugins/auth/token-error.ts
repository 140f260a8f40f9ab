// Errors for invalid tokens, with Dgraph's texts.

import { QuernError } from "../../core/plugin.ts";

/** The error for a token that cannot be parsed or verified. */
export function unusable(reason: string): QuernError {
  return refused(`unable to parse jwt token:${reason}`);
}

/** The error for a token for which there is no key. */
export function unverifiable(reason: string): QuernError {
  return unusable(`token is unverifiable: error while executing keyfunc: ${reason}`);
}

/** The algorithm that a token names, for messages: anything else may be there, such as a part of another token. */
export function shownAlgorithm(algorithm: string): string {
  return /^[A-Za-z0-9]{1,10}$/u.test(algorithm) ? algorithm : "unknown";
}

export function refused(message: string): QuernError {
  return new QuernError("UNAUTHENTICATED", message);
}
