// Places in the schema text, for errors that are found after the `model` hook.

import type { FieldDefinitionNode } from "graphql";
import type { Location } from "../../../core/plugin.ts";

export function locationOf({ name }: FieldDefinitionNode): Location | undefined {
  const token = name.loc?.startToken;
  return token && { line: token.line, column: token.column };
}
