// Fields that a schema declares on `Query` and `Mutation` without a directive of a plugin.

import type { TypeDefinitionNode } from "graphql";
import { fieldsOf, isRoot } from "./definitions.ts";
import type { Installed } from "./installed.ts";
import { resolvedElsewhere } from "./known-plugins.ts";
import type { Problems } from "./problems.ts";

/** Reports the first field of each root type without a directive of a plugin. `checkPluginsAreInstalled` reports fields of missing plugins. */
export function checkPlainRootFields(definitions: readonly TypeDefinitionNode[], installed: Installed, problems: Problems): void {
  for (const definition of definitions.filter(isRoot)) {
    const plain = fieldsOf(definition).find((field) => field.directives?.every(({ name }) => isOfKernel(installed, name.value)) ?? true);
    if (plain) reportUnclaimed(definition, plain.name.value, problems);
  }
}

function isOfKernel({ directives }: Installed, name: string): boolean {
  const found = directives.get(name);
  return found !== undefined && found.plugin === undefined;
}

/** Reports a root field that no plugin resolves. */
export function reportUnclaimed(definition: TypeDefinitionNode, field: string, problems: Problems): void {
  problems.report(
    `GraphQL Query and Mutation types are only allowed to have fields with ${resolvedElsewhere} directive. ` +
      `Other fields are built automatically for you. Found ${definition.name.value} ${field} without ${resolvedElsewhere}.`,
    definition,
    "Leave the field out, or install a plugin that answers it.",
  );
}
