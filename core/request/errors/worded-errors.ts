// Words what failed for the client who gets it: in Quern's own words, with a code and its place, or exactly as Dgraph does.

import { isRetryable } from "../../ground/error-catalogue.ts";
import type { ErrorStyle } from "../../ground/error-style.ts";
import type { FailedField, ResponseError } from "../../query/operation-context.ts";

/** The entries of `errors`. Those that have a code already stand as they are. */
export function worded(failed: readonly FailedField[], style: ErrorStyle): readonly ResponseError[] {
  if (failed.length === 0) return failed;
  return style === "compatible" ? failed.map(asDgraph) : failed.flatMap((each) => inOwnWords(each));
}

/** Of an error that Dgraph does not have, clients get the code all the same. */
function asDgraph({ code, message, compatible = message, locations, path, extensions }: FailedField): ResponseError {
  return entry({ message: compatible, locations, path, extensions: code === "COUNT_MISMATCH" ? { code, ...extensions } : extensions });
}

function inOwnWords({ parts, ...failed }: FailedField): readonly ResponseError[] {
  if (parts !== undefined && parts.length > 0) return parts.flatMap((part) => inOwnWords({ ...placeOf(failed), ...part }));
  const { message, locations, ownPath, path = ownPath, code = "OPERATION_FAILED", input, rule, extensions } = failed;
  if (extensions !== undefined && "code" in extensions && failed.code === undefined) return [entry(failed)];
  const own = { code, retryable: isRetryable(code), ...(input && { input }), ...(rule && { rule }) };
  return [entry({ message, locations, path, extensions: { ...own, ...extensions } })];
}

function placeOf({ locations, path }: FailedField): Pick<ResponseError, "locations" | "path"> {
  return { ...(locations && { locations }), ...(path && { path }) };
}

interface Entry {
  readonly message: string;
  readonly locations?: ResponseError["locations"] | undefined;
  readonly path?: ResponseError["path"] | undefined;
  readonly extensions?: ResponseError["extensions"] | undefined;
}

function entry({ message, locations, path, extensions }: Entry): ResponseError {
  return { message, ...(locations && { locations }), ...(path && { path }), ...(extensions && { extensions }) };
}
