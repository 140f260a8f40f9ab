// Where introspection is off: refuses introspection, and removes suggested names from errors.

import { type ASTVisitor, BREAK, type DocumentNode, type FieldNode, visit } from "graphql";
import type { FailedField, ResponseError } from "../../query/operation-context.ts";
import { RequestRefusal } from "../errors/refusal.ts";

export function introspectionRefused(field: FieldNode): RequestRefusal {
  return new RequestRefusal([{ message: introspectionOffText, ...placeOf(field) }], "REQUEST_REFUSED");
}

/** The error without the names that the `graphql` package suggests at the end of its messages. */
export function withoutSuggestion(error: FailedField): FailedField {
  return { ...error, message: error.message.replace(/ Did you mean [\s\S]*$/, "") };
}

/** The first `__schema` or `__type` of the document, in a fragment and under an alias too. */
export function introspectingField(document: DocumentNode): FieldNode | null {
  let found: FieldNode | null = null;
  const look: ASTVisitor = {
    Field(node) {
      if (node.name.value !== "__schema" && node.name.value !== "__type") return undefined;
      found = node;
      return BREAK;
    },
  };
  visit(document, look);
  return found;
}

function placeOf({ loc }: FieldNode): Pick<ResponseError, "locations"> {
  return loc === undefined ? {} : { locations: [{ line: loc.startToken.line, column: loc.startToken.column }] };
}

const introspectionOffText =
  "Introspection is switched off on this server (introspection: false), so __schema and __type are refused. Send the admin token in the header X-Service-AuthToken, or an admin key in X-Auth-Token, to introspect.";
