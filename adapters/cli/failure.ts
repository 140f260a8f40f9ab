// What people read when a command fails: one sentence, the way out, and for schemas the place in the text.

import { printSourceLocation, Source } from "graphql";
import type { Location } from "../../core/index.ts";

/** A text that locations point into. */
export interface SchemaText {
  readonly name: string;
  readonly text: string;
}

/** A failure about a schema whose text is at hand: its locations are shown as excerpts. */
export class SchemaFailure extends Error {
  override readonly name = "SchemaFailure";
  readonly source: SchemaText;

  constructor(source: SchemaText, cause: unknown) {
    super(`${source.name} is refused.`, { cause });
    this.source = source;
  }
}

/** What `work` gives; its failures point into `source`. */
export async function about<T>(source: SchemaText | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw source === undefined ? error : new SchemaFailure(source, error);
  }
}

/** An error as far as it is meant for people. Looked at by shape: a config file may bring its own copy of the package. */
interface Told {
  readonly message: string;
  readonly hint: string | undefined;
  readonly locations: readonly Location[];
  readonly errors: readonly unknown[];
}

/**
 * The whole text to print for `error`; for a schema that is refused every single error with its excerpt.
 *
 * @param source the schema that locations point into
 */
export function explainFailure(error: unknown, source?: SchemaText): string {
  if (error instanceof SchemaFailure) return explainFailure(error.cause, error.source);
  const told = toldBy(error);
  if (told === undefined) return unexpected(error);
  if (told.errors.length > 0) return told.errors.map((each) => explainFailure(each, source)).join("\n\n");
  const way = told.hint === undefined ? [] : [told.hint];
  const excerpts = source === undefined ? [] : told.locations.map((location) => excerpt(source, location));
  return [told.message, ...way, ...excerpts].join("\n");
}

/** The single problems of a refused schema as `quern validate --json` lists them; undefined for other failures. */
export function schemaProblems(error: unknown): readonly { readonly message: string; readonly locations: readonly Location[] }[] | undefined {
  const told = error instanceof SchemaFailure ? toldBy(error.cause) : undefined;
  if (told === undefined) return undefined;
  const single = told.errors.flatMap((each) => toldBy(each) ?? []);
  return (single.length > 0 ? single : [told]).map(({ message, locations }) => ({ message, locations }));
}

/** `schema.graphql:7:3`, the line with its neighbours, and a caret under the column. */
export function excerpt(source: SchemaText, location: Location): string {
  const lines = source.text.split(/\r\n|[\n\r]/).length;
  const line = Math.min(Math.max(location.line, 1), lines);
  return printSourceLocation(new Source(source.text, source.name), { line, column: Math.max(location.column, 1) });
}

function toldBy(error: unknown): Told | undefined {
  if (!(error instanceof Error) || error.name !== "QuernError") return undefined;
  return {
    message: error.message,
    hint: "hint" in error && typeof error.hint === "string" ? error.hint : undefined,
    locations: "locations" in error && Array.isArray(error.locations) ? error.locations : [],
    errors: "errors" in error && Array.isArray(error.errors) ? error.errors : [],
  };
}

function unexpected(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Quern met an unexpected fault; please report it with these lines.\n${text}`;
}
