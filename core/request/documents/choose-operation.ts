// Which operation of a document runs.

import type { DocumentNode, OperationDefinitionNode } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import { operationsOf } from "./documents.ts";

/** The one named, or the only one. An empty or null name counts as none. Throws `REQUEST_INVALID`. */
export function chooseOperation(document: DocumentNode, operationName: string | null | undefined): OperationDefinitionNode {
  const operations = operationsOf(document);
  const [only, ...others] = operations;
  if (operationName) {
    const found = operations.find((each) => each.name?.value === operationName);
    if (!found) throw unknownOperation(operationName);
    return found;
  }
  if (!only) throw unknownOperation("");
  if (others.length > 0) throw new QuernError("REQUEST_INVALID", "Operation name must by supplied when query has more than 1 operation.");
  return only;
}

/** The error of a request for an operation that its document does not have. */
export function unknownOperation(name: string): QuernError {
  return new QuernError("REQUEST_INVALID", `Supplied operation name ${name} isn't present in the request.`);
}

/** Whether a document holds nothing but blanks, commas and comments. */
export function isEmptyDocument(text: string): boolean {
  // No repeated group: it would take a place on the stack for each blank.
  return text.replaceAll(/#[^\n\r]*/g, "").search(/[^\s,\uFEFF]/) < 0;
}
