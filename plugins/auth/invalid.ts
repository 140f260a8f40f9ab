// Why an Authorization line refuses a deploy.

import { QuernError, withoutLocation } from "../../core/index.ts";

/** Clients know these texts as they are, without a place before them. */
export function invalid(message: string, options: ErrorOptions = {}): QuernError {
  return new QuernError("SCHEMA_INVALID", message, { ...options, details: withoutLocation });
}
