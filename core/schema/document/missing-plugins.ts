// Directives whose plugin is known and not installed: refused by name, since leaving one out silently could open data.

import type { ASTNode } from "graphql";
import { installHint, pluginOfDirective } from "./directory.ts";
import type { Installed } from "./installed.ts";
import type { SchemaDocument } from "./parse-document.ts";
import { directivesWithin } from "./pre-checks.ts";
import type { Problems } from "./problems.ts";

/** One problem for each such directive, with every place that uses it. A client may not define one by that name instead. */
export function checkPluginsAreInstalled({ definitions, directives }: SchemaDocument, installed: Installed, problems: Problems): void {
  const places = new Map<string, ASTNode[]>();
  for (const node of [...definitions.flatMap(directivesWithin), ...directives]) {
    const name = node.name.value;
    if (installed.directives.has(name) || pluginOfDirective(name) === undefined) continue;
    places.set(name, [...(places.get(name) ?? []), node]);
  }
  for (const [name, at] of places) {
    const plugin = pluginOfDirective(name) ?? name;
    problems.report(`The directive @${name} belongs to the plugin "${plugin}", which is not installed.`, at, installHint(plugin));
  }
}
