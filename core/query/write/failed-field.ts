// An expected error as what failed in an answer.

import type { QuernError } from "../../ground/errors.ts";
import type { FailedField } from "../operation-context.ts";

/** An expected error as what failed. @param path where the error itself has none */
export function failedField(error: QuernError, path?: readonly (string | number)[]): FailedField {
  const { code, message, compatible, locations, input, rule } = error;
  const place = error.path ?? path;
  return {
    code,
    message,
    ...(compatible !== undefined && { compatible }),
    ...(locations && { locations }),
    ...(place && { path: place }),
    ...(input && { input }),
    ...(rule && { rule }),
    ...(error.errors.length > 0 && { parts: error.errors.map((each) => failedField(each, path)) }),
  };
}
