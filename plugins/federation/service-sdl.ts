// The text that `_service { sdl }` gives to a composition.

import { print } from "graphql";
import type { SdlContext, ServedApi } from "./sdl/served-definitions.ts";
import { version1Definitions } from "./sdl/version-1.ts";
import { version2Definitions } from "./sdl/version-2.ts";

export function serviceSdl(served: ServedApi, context: SdlContext): string {
  const definitions = context.dialect.version === 1 ? version1Definitions(served, context) : version2Definitions(served, context);
  return `${definitions.map((node) => print(node)).join("\n\n")}\n`;
}
