// The location of a problem in a schema text.

import { type ASTNode, Kind } from "graphql";
import type { Location } from "../../ground/errors.ts";

/**
 * The location of `node` in an error: the name of a definition, field, argument or directive; the first character inside the quotes of a
 * string; the first character of anything else. Undefined for generated nodes.
 */
export function locationOf(node: ASTNode): Location | undefined {
  if ("name" in node && node.name?.kind === Kind.NAME) return start(node.name, 0);
  if (node.kind === Kind.STRING) return start(node, node.block ? 3 : 1);
  return start(node, 0);
}

function start(node: ASTNode, inside: number): Location | undefined {
  const token = node.loc?.startToken;
  return token && { line: token.line, column: token.column + inside };
}
