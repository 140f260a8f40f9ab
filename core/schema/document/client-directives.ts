// Directives that the schema itself defines are validated and then removed: no plugin reads them.

import { Kind, type TypeDefinitionNode, visit } from "graphql";
import type { Installed } from "./installed.ts";

/** The definition without directives that neither the kernel nor a plugin defines. */
export function withoutClientDirectives(definition: TypeDefinitionNode, { directives }: Installed): TypeDefinitionNode {
  return visit(definition, { [Kind.DIRECTIVE]: (node) => (directives.has(node.name.value) ? undefined : null) });
}
