// Refuses directives of known plugins that are not installed. Ignoring such a directive could expose data: think of access rules.

import type { ASTNode } from "graphql";
import { addToGroup } from "../../ground/groups.ts";
import type { Installed } from "./installed.ts";
import { installHint, pluginOfDirective } from "./known-plugins.ts";
import type { SchemaDocument } from "./parse-document.ts";
import { directivesWithin } from "./pre-checks.ts";
import type { Problems } from "./problems.ts";

/** Reports one problem for each such directive, with all its locations. A schema cannot define the directive itself instead. */
export function checkPluginsAreInstalled({ definitions, directives }: SchemaDocument, installed: Installed, problems: Problems): void {
  const locations = new Map<string, ASTNode[]>();
  for (const node of [...definitions.flatMap(directivesWithin), ...directives]) {
    const name = node.name.value;
    const plugin = pluginOfDirective(name);
    // An installed plugin may define the directive in other schemas only.
    if (installed.directives.has(name) || plugin === undefined || installed.plugins.some((each) => each.name === plugin)) continue;
    addToGroup(locations, name, node);
  }
  for (const [name, at] of locations) {
    const plugin = pluginOfDirective(name) ?? name;
    problems.report(`The directive @${name} belongs to the plugin "${plugin}", which is not installed.`, at, installHint(plugin));
  }
}
