// The text of a subgraph of federation 1, with the content that Dgraph's has.

import { type ConstDirectiveNode, type DefinitionNode, Kind, type TypeDefinitionNode } from "graphql";
import {
  isAboutForeign,
  isDeclared,
  isRoot,
  type SdlContext,
  type ServedApi,
  servedDefinitions,
  withDirectives,
  withFields,
  withPlainLinks,
} from "./served-definitions.ts";

/** Directives whose definitions are part of the text. */
const defined: readonly string[] = [
  ..."hasInverse search embedding dgraph id default withSubscription secret remote remoteResponse lambda lambdaOnMutate".split(" "),
];
const ofFederation: readonly string[] = ["key", "extends", "external", "requires", "provides"];
const kept = new Set([...defined, ...ofFederation, "deprecated"]);

export function version1Definitions(served: ServedApi, context: SdlContext): readonly DefinitionNode[] {
  const types = new Map(servedDefinitions(served).map((node) => [node.name.value, node]));
  const directives = served.schema.getDirectives().flatMap(({ name, astNode }) => (astNode && defined.includes(name) ? [astNode] : []));
  const own = [...types.values()].flatMap((node) => withoutForeignReads(node, types, context));
  return [...own.map((node) => withDirectives(withPlainLinks(node, context), keptDirectives)), ...directives];
}

/** Mutations keep `@custom`, also without its definition. */
function keptDirectives(directives: readonly ConstDirectiveNode[], place: string): readonly ConstDirectiveNode[] {
  return directives.filter(({ name }) => kept.has(name.value) || (name.value === "custom" && place.startsWith("Mutation.")));
}

/** Without generated queries and subscriptions of types that other services own. */
function withoutForeignReads(
  node: TypeDefinitionNode,
  types: ReadonlyMap<string, TypeDefinitionNode>,
  context: SdlContext,
): readonly TypeDefinitionNode[] {
  if (!isRoot(node) || node.name.value === "Mutation" || node.kind !== Kind.OBJECT_TYPE_DEFINITION) return [node];
  return withFields(node, (field) => isDeclared("Query", field.name.value, context) || !isAboutForeign(field, types, context));
}
