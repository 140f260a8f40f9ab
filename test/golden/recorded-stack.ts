// The standard stack as the recorded server had it.

import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";

/** A recorded schema uses `@unique` as a directive that nobody knows. */
export function recordedStack(): readonly DirectivePlugin[] {
  return standardPlugins().filter(({ name }) => name !== "constraints");
}
