// The JSON around an answer: errors, data, extensions, in this order, absent ones left out.

import { type JsonText, joinTexts } from "../../ground/json/long-text.ts";
import { writeJson } from "../../ground/json/write-json.ts";
import type { ResponseError } from "../../query/operation-context.ts";

/** The parts of an answer. */
export interface EnvelopeParts {
  readonly errors: readonly ResponseError[];
  /** JSON; undefined when the request was refused as a whole. */
  readonly data: JsonText | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/** An answer as JSON. */
export function writeEnvelope(parts: EnvelopeParts & { readonly data: string | undefined }): string;
export function writeEnvelope(parts: EnvelopeParts): JsonText;
export function writeEnvelope({ errors, data, extensions }: EnvelopeParts): JsonText {
  const before = errors.length > 0 ? `"errors":${writeJson(errors)}` : "";
  const after = extensions && Object.keys(extensions).length > 0 ? `"extensions":${writeJson(extensions)}` : "";
  if (data === undefined) return `{${before}${before && after ? "," : ""}${after}}`;
  const opening = `{${before}${before ? "," : ""}"data":`;
  const closing = `${after ? "," : ""}${after}}`;
  return typeof data === "string" ? `${opening}${data}${closing}` : joinTexts([opening, data, closing]);
}
