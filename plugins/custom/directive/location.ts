// Places in the schema text, for errors that are found after the `model` hook.

import { Kind } from "graphql";
import type { Location } from "../../../core/plugin.ts";
import type { CustomUse } from "./custom-use.ts";

/** The `graphql` of a use: the first character inside its quotes. */
export function locationOfGraphql({ http }: CustomUse): Location | undefined {
  const value = http.value("graphql");
  const token = value?.loc?.startToken;
  const quotes = value?.kind === Kind.STRING ? (value.block ? 3 : 1) : 0;
  return token && { line: token.line, column: token.column + quotes };
}
