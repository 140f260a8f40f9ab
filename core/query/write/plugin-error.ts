// Errors that plugins report with their values.

import type { AnswerError } from "../../contracts/plugin/root-answer.ts";
import type { Location } from "../../ground/errors.ts";
import type { FailedField } from "../operation-context.ts";

/** The entry of `errors` for an error of a plugin. */
export function pluginError(error: AnswerError, location: Location, path?: readonly (string | number)[]): FailedField {
  const place = error.path ?? path;
  return {
    message: error.message,
    ...(error.code !== undefined && { code: error.code }),
    ...(error.compatible !== undefined && { compatible: error.compatible }),
    locations: error.locations ?? [location],
    ...(place && { path: place }),
    ...(error.extensions && { extensions: error.extensions }),
  };
}
