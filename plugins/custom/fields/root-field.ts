// A field of `Query` or `Mutation`: one request for each place that selects it.

import { isNonNullType } from "graphql";
import type { AnswerError, FieldSelection, RootAnswer, RootContext, RootField } from "../../../core/plugin.ts";
import type { Secrets } from "../http/secrets.ts";
import { singleRequest } from "./build-request.ts";
import type { Caller } from "./caller.ts";
import type { RemoteCall } from "./remote-call.ts";

/** Errors beside a null do not say that the null is wrong. */
function missing({ key, nodes: [node], type }: FieldSelection): AnswerError {
  const message = `Non-nullable field '${node.name.value}' (type ${type}) was not present in result from Dgraph.  GraphQL error propagation triggered.`;
  return { message, path: [key] };
}

export interface FieldParts {
  readonly caller: Caller;
  readonly secrets: Secrets;
}

export function rootField(call: RemoteCall, { caller, secrets }: FieldParts): RootField {
  const run = async ({ arguments: given, request, selection, signal }: RootContext): Promise<RootAnswer> => {
    const context = { request, selection, signal, secrets };
    const { value, errors, failed } = await caller.call(call, () => singleRequest(call, new Map(Object.entries(given)), context), context);
    const isUnexplained = value === null && !failed && errors.length > 0 && isNonNullType(selection.type);
    return { json: value, errors: isUnexplained ? [...errors, missing(selection)] : errors };
  };
  // Of a field that the client declares only the name counts.
  return { operation: call.typeName === "Query" ? "query" : "mutation", signature: `${call.fieldName}: String`, run };
}
