// What is said of failures while reading.

import { type ErrorText, QuernError } from "../../ground/errors.ts";
import type { Value, ValueKind } from "../../ground/values/value.ts";

const continuation =
  "This indicates an internal error - probably a mismatch between the GraphQL and Dgraph/remote schemas. The value was resolved as null (which may trigger GraphQL error propagation) and as much other data as possible returned.";

/** Several values where one is expected. */
export const listForItem = misfit("There is a list where the schema has one value.", "A list was returned, but GraphQL was expecting just one item.");
/** One value where a list is expected. */
export const itemForList = misfit(
  "There is one value where the schema has a list.",
  "An item was returned, but GraphQL was expecting a list of items.",
);
/** An object where a scalar is expected. */
export const objectForScalar = misfit(
  "There is an object where the schema has a scalar.",
  "An object type was returned, but GraphQL was expecting a scalar.",
);

function misfit(message: string, compatible: string): ErrorText {
  return { code: "FIELD_FAILED", message, compatible: `${compatible} ${continuation}` };
}

export function missingNonNull(field: string, type: string): ErrorText {
  return {
    code: "FIELD_FAILED",
    message: `The field ${field} (${type}) must have a value and has none.`,
    compatible: `Non-nullable field '${field}' (type ${type}) was not present in result from Dgraph.  GraphQL error propagation triggered.`,
  };
}

export function fieldHidden(field: string): ErrorText {
  return { code: "FORBIDDEN", message: `Not authorized to see field '${field}'.` };
}

/** The log has the reason. */
export function notShown(field: string, plugin: string): string {
  return `The value of the field '${field}' cannot be shown: the plugin "${plugin}" failed. The server's log holds the error.`;
}

export function uncoercible(value: string, field: string, type: string): ErrorText {
  return { code: "FIELD_FAILED", message: `Error coercing value '${value}' for field '${field}' to type ${type}.` };
}

/** A sum that its type cannot hold, or an average of a sum that no float can. */
export function beyondRange(value: Value, kind: ValueKind): ErrorText {
  const type = kind === "int" ? "Int" : kind === "int64" ? "Int64" : "Float";
  return { code: "FIELD_FAILED", message: `The result is ${String(value)}, which is beyond the range of ${type}.` };
}

export function unknownType(name: string, declared: string): ErrorText {
  return { code: "FIELD_FAILED", message: `The object's __typename is ${JSON.stringify(name)}, which is no type of ${declared}.` };
}

export function unparsableId(text: string, field: string): string {
  return `ID argument (${text}) of ${field} was not able to be parsed`;
}

/** How Dgraph says that an argument cannot be translated. */
export function rewriteFailure(key: string, reason: string): string {
  return `couldn't rewrite query ${key} because ${reason}`;
}

/** How Dgraph says that the store, or the server in front of it, refuses a root query. */
export function readFailure(reason: string): string {
  return `Dgraph query failed because Dgraph execution failed because ${reason}`;
}

/** A root query whose values cannot be worked with. Other failures (a plugin's own, limits, the store's) stand as they are. */
export function executionFailure(error: unknown, key: string): unknown {
  if (!(error instanceof QuernError) || error.code !== "VALUE_INVALID" || error.path) return error;
  return new QuernError(error.code, error.message, {
    compatible: readFailure(error.compatible ?? error.message),
    cause: error,
    path: [key],
    hidden: error.hidden,
    hint: error.hint ?? `Quern refused the query: ${error.message}`,
  });
}
