// The place of a field in a document.

import type { FieldNode } from "graphql";
import type { Location } from "../../ground/errors.ts";

export function locationOf(node: FieldNode): Location {
  const token = node.loc?.startToken;
  return { line: token?.line ?? 1, column: token?.column ?? 1 };
}
