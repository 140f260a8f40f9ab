// Errors by their codes.

import { type ErrorCode, QuernError } from "../../../core/plugin.ts";

export function isCoded(thrown: unknown, code: ErrorCode): thrown is QuernError {
  return thrown instanceof QuernError && thrown.code === code;
}
