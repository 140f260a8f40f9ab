// What schemas may use besides their own definitions: the directives of plugins with what their arguments need, scalars and geometries.

import { type DefinitionNode, isNamedType, Kind, parse, print, printType, type TypeDefinitionNode } from "graphql";
import { prepareDeployment } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";

/** SDL. Directives of a schema that chooses their names, such as imported ones of federation, have their own names here. */
export function schemaVocabulary(plugins: readonly DirectivePlugin[]): string {
  const added = plugins.flatMap(({ definitions }) => (definitions.trim() === "" ? [] : parse(definitions).definitions)).filter(isNamed);
  const byName = new Map(added.map((node) => [`${node.kind} ${node.name.value}`, print(node)]));
  return [...valueTypes(), ...byName.values()].map((text) => `${text}\n`).join("\n");
}

function isNamed(node: DefinitionNode): node is Extract<DefinitionNode, { readonly kind: Kind.DIRECTIVE_DEFINITION }> | TypeDefinitionNode {
  return node.kind === Kind.DIRECTIVE_DEFINITION || /TypeDefinition$/.test(node.kind);
}

const values = ["Int64", "DateTime", "Point", "PointList", "Polygon", "MultiPolygon"];

function valueTypes(): readonly string[] {
  const { schema } = prepareDeployment("type Anything { value: Int }", []).api;
  return values
    .map((name) => schema.getType(name))
    .filter(isNamedType)
    .map(printType);
}
