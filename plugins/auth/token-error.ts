// Why a token does not count, in the words that clients know.

import { QuernError } from "../../core/index.ts";

/** Any failure to parse or to verify. */
export function unusable(reason: string): QuernError {
  return refused(`unable to parse jwt token:${reason}`);
}

export function refused(message: string): QuernError {
  return new QuernError("REQUEST_REFUSED", message);
}
