// The answer to a request whose namespace cannot be opened. It says nothing of the store.

import { QuernError, writeJson } from "../../core/plugin.ts";
import type { HttpResponse } from "../../core/transport.ts";

const retryAfterSeconds = 1;

export function refusalOf(thrown: unknown): HttpResponse {
  const isBusy = thrown instanceof QuernError && thrown.code === "OVERLOADED";
  const code = isBusy ? "OVERLOADED" : "STORE_UNAVAILABLE";
  const message = isBusy ? thrown.message : "The namespace cannot be opened now. Try again in a moment.";
  return {
    status: 503,
    headers: { "content-type": "application/json", "access-control-allow-origin": "*", "retry-after": String(retryAfterSeconds) },
    body: writeJson({ errors: [{ message, extensions: { code } }] }),
  };
}
