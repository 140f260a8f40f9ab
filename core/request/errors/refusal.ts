// A request that is refused as a whole, before any of it is run.

import type { GraphQLError } from "graphql";
import type { ErrorCode } from "../../ground/errors.ts";
import type { FailedField, ResponseError } from "../../query/operation-context.ts";

/** Thrown with the errors that the client gets. */
export class RequestRefusal {
  readonly errors: readonly FailedField[];

  /** @param code of the errors that have none */
  constructor(errors: readonly FailedField[], code: ErrorCode = "REQUEST_INVALID") {
    this.errors = errors.map((each) => ({ code, ...each }));
  }
}

/** What `graphql` found, as clients see it: its message and where. */
export function fromGraphQL(error: GraphQLError): ResponseError {
  return { message: error.message, ...(error.locations ? { locations: error.locations.map(({ line, column }) => ({ line, column })) } : {}) };
}

/** Why a request for queries alone (`GraphQLRequest.queriesOnly`) runs no mutation. */
export const readOnlyPageText =
  'A page of another origin may not write here. To allow it, list its origin in the schema: # Service.Allow-Origin "https://app.example".';
