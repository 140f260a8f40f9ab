// Errors of an Authorization line, which refuse the deploy.

import { QuernError, withoutLocation } from "../../core/plugin.ts";

/** Dgraph's texts have no location prefix, so these have none. */
export function invalid(message: string, options: ErrorOptions = {}): QuernError {
  return new QuernError("SCHEMA_INVALID", message, { ...options, details: withoutLocation });
}
