// Formats the failure of a command: the message, a hint, and for schemas an excerpt of the text.

import { printSourceLocation, Source } from "graphql";
import type { ErrorStyle, Location, QuernError } from "../../../core/index.ts";

/** The text of a schema, and its file name for messages. */
export interface SchemaText {
  readonly name: string;
  readonly text: string;
}

/** An error with its schema, so that its locations can be shown as excerpts. */
export class SchemaFailure extends Error {
  override readonly name = "SchemaFailure";
  readonly source: SchemaText;

  constructor(source: SchemaText, cause: unknown) {
    super(`${source.name} is refused.`, { cause });
    this.source = source;
  }
}

/** Runs `work`; wraps what it throws in a `SchemaFailure` of `source`, if there is one. */
export async function withSource<T>(source: SchemaText | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw source === undefined ? error : new SchemaFailure(source, error);
  }
}

/** The readable parts of a `QuernError`. Recognized by shape, because a configuration file may import another copy of the package. */
interface ReadableError {
  readonly message: string;
  readonly hint: string | undefined;
  readonly locations: readonly Location[];
  readonly errors: readonly unknown[];
}

/**
 * The text to print for `error`; for a refused schema, every error with its excerpt.
 *
 * @param source the schema that locations point into
 */
export function explainFailure(error: unknown, source?: SchemaText): string {
  if (error instanceof SchemaFailure) return explainFailure(error.cause, error.source);
  const readable = readableError(error);
  if (readable === undefined) return unexpected(error);
  if (readable.errors.length > 0) return explainAll(readable.errors, source);
  const hint = readable.hint === undefined ? [] : [readable.hint];
  const excerpts = source === undefined ? [] : readable.locations.map((location) => excerpt(source, location));
  return [readable.message, ...hint, ...excerpts].join("\n");
}

/** Errors that are printed; the others are counted. */
const maxPrinted = 50;

/** Every error with its excerpt, up to 50. */
export function explainAll(errors: readonly unknown[], source?: SchemaText): string {
  const printed = errors.slice(0, maxPrinted).map((each) => explainFailure(each, source));
  const more = errors.length - printed.length;
  return [...printed, ...(more > 0 ? [`... and ${more} more.`] : [])].join("\n\n");
}

/** An error of a schema in the JSON that commands print. */
export interface PrintedProblem {
  readonly message: string;
  readonly locations: readonly Location[];
  /** What to do about it, such as the name that is probably meant. Not in the compatible style: its errors are those of Dgraph. */
  readonly hint?: string;
}

export function printedProblem(
  { message, locations = [], hint }: Pick<QuernError, "message" | "locations" | "hint">,
  errors: ErrorStyle,
): PrintedProblem {
  return { message, locations, ...(hint !== undefined && errors === "plain" && { hint }) };
}

/** The errors of a refused schema as `quern diff --json` lists them; undefined for other failures. */
export function schemaProblems(error: unknown): readonly PrintedProblem[] | undefined {
  const whole = error instanceof SchemaFailure ? readableError(error.cause) : undefined;
  if (whole === undefined) return undefined;
  const single = whole.errors.flatMap((each) => readableError(each) ?? []);
  return (single.length > 0 ? single : [whole]).map(({ message, locations }) => ({ message, locations }));
}

/** Lines of a schema for the server, such as `# Service.Secret KEY "value"`: keys and secrets. */
const setting = /^(\s*#\s*\w+\.\w+)\b.*$/gmu;

/** `schema.graphql:7:3`, the line with its neighbours, and a caret under the column. Of settings only their names are shown. */
export function excerpt(source: SchemaText, location: Location): string {
  const lines = source.text.split(/\r\n|[\n\r]/).length;
  const line = Math.min(Math.max(location.line, 1), lines);
  return printSourceLocation(new Source(source.text.replace(setting, "$1 ..."), source.name), { line, column: Math.max(location.column, 1) });
}

function readableError(error: unknown): ReadableError | undefined {
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
  return `Unexpected error in Quern. Please report it with these lines:\n${text}`;
}
