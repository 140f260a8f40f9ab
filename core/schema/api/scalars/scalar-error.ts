// Errors of invalid scalar values, with the location of the literal if there is one.

import { type ASTNode, GraphQLError } from "graphql";

export function scalarError(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, node && { nodes: node });
}

/** @see reference/operations.md 1.8 */
export function outOfRange(value: string, type: string, node?: ASTNode): GraphQLError {
  return scalarError(`Out of range value '${value}', for type \`${type}\``, node);
}
