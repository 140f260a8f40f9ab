// Answers of the plugin's paths in JSON, and its refusals with a status that says what went wrong.

import { type ErrorCode, type HttpResponse, isRetryable, QuernError, writeJson } from "../../../core/plugin.ts";

const headers = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function jsonAnswer(value: unknown, status: number): HttpResponse {
  return { status, headers, body: writeJson(value) };
}

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  CONFIG_INVALID: 501,
  FORBIDDEN: 403,
  LIMIT_REACHED: 413,
  NOT_FOUND: 404,
  OVERLOADED: 503,
  PLUGIN_TIMEOUT: 503,
  REQUEST_REFUSED: 403,
  STORE_CLOSED: 503,
  STORE_UNAVAILABLE: 503,
  TOO_MANY_REQUESTS: 429,
  UNAUTHENTICATED: 401,
  VALUE_INVALID: 415,
};

/** How long to wait, in seconds. */
const retryAfter = "10";

/** The answer to what is refused. Anything else is thrown again: it is a fault. */
export function refusal(thrown: unknown): HttpResponse {
  if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
  const { code, message, hint } = thrown;
  const extensions = { code, retryable: isRetryable(code), ...(hint !== undefined && { hint }) };
  const answer = jsonAnswer({ errors: [{ message, extensions }] }, isFull(thrown) ? 507 : (statuses[code] ?? 400));
  return isRetryable(code) ? { ...answer, headers: { ...headers, "retry-after": retryAfter } } : answer;
}

function isFull({ cause }: QuernError): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT");
}
