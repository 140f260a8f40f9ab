// The status of an answer that is an error. Texts and codes are Dgraph's: its clients begin an aborted transaction again, and renew a token that has expired.

import { status } from "@grpc/grpc-js";
import { isObject } from "../../../core/plugin.ts";

export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** Names of codes in the texts of Dgraph: `rpc error: code = Aborted desc = Transaction has been aborted. Please retry`. */
const named: Readonly<Record<string, status>> = {
  Aborted: status.ABORTED,
  FailedPrecondition: status.FAILED_PRECONDITION,
  InvalidArgument: status.INVALID_ARGUMENT,
  NotFound: status.NOT_FOUND,
  PermissionDenied: status.PERMISSION_DENIED,
  ResourceExhausted: status.RESOURCE_EXHAUSTED,
  Unauthenticated: status.UNAUTHENTICATED,
  Unavailable: status.UNAVAILABLE,
};

const byHttpStatus: Readonly<Record<number, status>> = {
  401: status.PERMISSION_DENIED,
  403: status.PERMISSION_DENIED,
  404: status.UNIMPLEMENTED,
  413: status.RESOURCE_EXHAUSTED,
  429: status.RESOURCE_EXHAUSTED,
  500: status.INTERNAL,
  503: status.UNAVAILABLE,
};

/** Codes of the server's own refusals. */
const byCode: Readonly<Record<string, status>> = { ErrorUnauthorized: status.PERMISSION_DENIED };

/** @param errors of an answer over HTTP */
export function errorOf(errors: readonly unknown[], httpStatus: number): StatusError {
  const [first] = errors;
  const text = isObject(first) && typeof first.message === "string" ? first.message : "The request was refused.";
  const [, name = "", rest = text] = /^(?:Error: )?rpc error: code = (\w+) desc = (.*)$/s.exec(text) ?? [];
  const extensions = isObject(first) ? first.extensions : undefined;
  const code = isObject(extensions) && typeof extensions.code === "string" ? extensions.code : "";
  return new StatusError(named[name] ?? byCode[code] ?? byHttpStatus[httpStatus] ?? status.UNKNOWN, rest);
}

/** An answer that is no JSON. */
export function plainError(text: string, httpStatus: number): StatusError {
  return new StatusError(byHttpStatus[httpStatus] ?? status.UNKNOWN, text.trim());
}

export function unsupported(details: string): StatusError {
  return new StatusError(status.UNIMPLEMENTED, details);
}
