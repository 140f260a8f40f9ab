// Errors of DQL documents. A document fails as a whole; there is no partial answer.

import { QuernError } from "../../../core/plugin.ts";

/** A place in a document, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mistake in the text, with its place. */
export function mistake(message: string, { line, column }: Place): QuernError {
  return new QuernError("REQUEST_INVALID", `line ${line} column ${column}: ${message}`, { locations: [{ line, column }] });
}

/** A mistake that no single place has: in variables, or in what the schema allows. */
export function refusal(message: string): QuernError {
  return new QuernError("REQUEST_INVALID", message);
}

/** The document asks for more than one request may use. */
export function excess(message: string): QuernError {
  return new QuernError("LIMIT_REACHED", message);
}
