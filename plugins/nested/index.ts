// `@nested`: an update also writes the objects that the chosen ones link to.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { nestedMembers } from "./nested-members.ts";
import { definition, readNested, usesNested } from "./read-nested.ts";

/** `@nested`: updates that also change linked objects. */
export function nestedPlugin(): DirectivePlugin {
  return {
    name: "nested",
    definitions: definition,
    definitionsFor: (schema) => (usesNested(schema) ? definition : ""),
    model(context) {
      const links = readNested(context);
      return links.length === 0 ? undefined : { api: () => nestedMembers(links) };
    },
  };
}
