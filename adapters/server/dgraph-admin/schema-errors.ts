// The errors of a refused schema: as one text of a line for each, and as data with places and hints.

import type { ErrorStyle } from "../../../core/index.ts";
import { QuernError } from "../../../core/index.ts";
import { withoutLocation } from "../../../core/plugin.ts";
import type { ServerParts } from "../parts/server-parts.ts";

/** Errors that a text names; it counts the others. The data have all. */
const maxNamed = 50;

export function styleOf({ kernel: { config } }: ServerParts): ErrorStyle {
  return config.errors ?? "plain";
}

/** One entry for each error, with locations and hint. */
export function errorEntries(thrown: QuernError): readonly object[] {
  const errors = thrown.errors.length > 0 ? thrown.errors : [thrown];
  return errors.map((error) => ({ message: error.message, ...placeOf(error), extensions: { code: error.code, ...hintOf(error) } }));
}

/** What the entry of a refused schema has beside its text: each error with column and hint. Nothing if there are none, and in the compatible style. */
export function refusedExtensions(thrown: unknown, style: ErrorStyle): { readonly errors?: readonly object[] } {
  if (style === "compatible" || !(thrown instanceof QuernError) || thrown.code !== "SCHEMA_INVALID") return {};
  const saysMore = thrown.errors.some(({ hint, locations = [] }) => hint !== undefined || locations.length > 0);
  return saysMore ? { errors: errorEntries(thrown) } : {};
}

/** An entry of the answer about a text that is only validated. */
export function validationEntry(error: QuernError, style: ErrorStyle): object {
  const more = style === "plain" ? { place: placeOf(error), hint: hintOf(error) } : undefined;
  return { message: schemaErrorText(error), ...more?.place, extensions: { code: "ErrorInvalidRequest", ...more?.hint } };
}

function placeOf({ locations = [] }: QuernError) {
  return locations.length > 0 ? { locations: locations.map(({ line, column }) => ({ line, column })) } : {};
}

function hintOf({ hint }: QuernError) {
  return hint === undefined ? {} : { hint };
}

/** The reasons of a refused deploy, one error a line. The plain style names the first ones and counts the others. */
export function refusalText(error: QuernError, style: ErrorStyle): string {
  const errors = error.errors.length > 0 ? error.errors : [error];
  if (error.code !== "SCHEMA_INVALID" && error.code !== "PLUGIN_MISSING") return errors.map(({ message }) => message).join("\n");
  if (errors.every((each) => lineOf(each) === undefined)) return namedTexts(errors, style).join("\n");
  if (style === "plain")
    return namedTexts(errors, style)
      .map((text) => `${text}\n`)
      .join("");
  return errors.map((each) => (lineOf(each) === undefined ? schemaErrorText(each) : `${schemaErrorText(each)}\n`)).join("");
}

function namedTexts(errors: readonly QuernError[], style: ErrorStyle): readonly string[] {
  const named = style === "plain" ? errors.slice(0, maxNamed) : errors;
  const more = errors.length - named.length;
  return [...named.map(schemaErrorText), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** `input:3: Type Boat; ...`, or without a location `input: ...`. */
function schemaErrorText(error: QuernError): string {
  const line = lineOf(error);
  if (line !== undefined) return `input:${line}: ${error.message}`;
  return standsAlone(error) ? error.message : `input: ${error.message}`;
}

/** The line that the text of an error names. Where clients expect none, only the data have its place. */
function lineOf(error: QuernError): number | undefined {
  return error.details.place === undefined ? error.locations?.[0]?.line : undefined;
}

function standsAlone({ details }: QuernError): boolean {
  return details.standsAlone === withoutLocation.standsAlone;
}
