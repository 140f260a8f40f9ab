// The text that `_service { sdl }` gives to a composition.

import { type GraphQLSchema, print } from "graphql";
import type { SdlContext } from "./sdl/served-definitions.ts";
import { version1Definitions } from "./sdl/version-1.ts";
import { version2Definitions } from "./sdl/version-2.ts";

export function serviceSdl(schema: GraphQLSchema, context: SdlContext): string {
  const definitions = context.dialect.version === 1 ? version1Definitions(schema, context) : version2Definitions(schema, context);
  return `${definitions.map((node) => print(node)).join("\n\n")}\n`;
}
