// The standard stack as the recorded server had it.

import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { authPlugin } from "../../plugins/auth/index.ts";

/** A recorded schema uses `@unique` as a directive that nobody knows, and writes there reach objects that their caller does not see. */
export function recordedStack(): readonly DirectivePlugin[] {
  return standardPlugins()
    .filter(({ name }) => name !== "constraints")
    .map((plugin) => (plugin.name === "auth" ? authPlugin({ writesHidden: true }) : plugin));
}
