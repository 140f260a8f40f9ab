// Why a transaction cannot go on.

import { QuernError } from "../../../core/plugin.ts";

/** In Dgraph's words, by which clients know that they may begin again. */
export function aborted(reason: string): QuernError {
  return new QuernError("CONFLICT", `The transaction is aborted: ${reason} Begin a new one, and send everything again.`, {
    compatible: "rpc error: code = Aborted desc = Transaction has been aborted. Please retry",
  });
}

export function foreign(): QuernError {
  return new QuernError("REQUEST_REFUSED", "The transaction is another user's, or the hash that its first answer gave is missing.", {
    compatible: "hash mismatch the claimed startTs|namespace",
  });
}
