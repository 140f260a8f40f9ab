// The text of a subgraph of federation 2: what this service adds to the supergraph, and nothing that several services generate alike.

import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type EnumTypeDefinitionNode,
  Kind,
  type SchemaExtensionNode,
  type TypeDefinitionNode,
} from "graphql";
import { directiveNames, schemaDirectives } from "../schema/dialect.ts";
import { reachable } from "./reachable.ts";
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
import { withoutInaccessible } from "./without-inaccessible.ts";

export function version2Definitions(served: ServedApi, context: SdlContext): readonly DefinitionNode[] {
  const types = new Map(servedDefinitions(served).map((node) => [node.name.value, node]));
  const own = [...types.values()].flatMap((node) => withoutForeignRoots(node, types, context)).map((node) => withPlainLinks(node, context));
  const written = new Set(context.context.document.definitions.flatMap((node) => ("name" in node && node.name ? [node.name.value] : [])));
  const shown = withoutInaccessible(own, context);
  const kept = reachable(shown, (name) => written.has(name));
  const printed = kept.map((node) => shared(withFederationDirectives(node, context), written, context));
  return [schemaExtension(context), ...printed.map((node) => asExtension(node, context))];
}

/** The links as written: composition needs versions and imports. */
function schemaExtension({ context }: SdlContext): SchemaExtensionNode {
  const directives = context.document.definitions.flatMap(schemaDirectives).filter(({ name }) => name.value === "link");
  return { kind: Kind.SCHEMA_EXTENSION, directives };
}

/** Queries and mutations of types that other services own: they have the same names there. */
function withoutForeignRoots(
  node: TypeDefinitionNode,
  types: ReadonlyMap<string, TypeDefinitionNode>,
  context: SdlContext,
): readonly TypeDefinitionNode[] {
  if (!isRoot(node) || node.kind !== Kind.OBJECT_TYPE_DEFINITION) return [node];
  const root = node.name.value === "Mutation" ? "Mutation" : "Query";
  return withFields(node, (field) => isDeclared(root, field.name.value, context) || !isAboutForeign(field, types, context));
}

/** Composition knows directives of federation alone. Those of enums are in the schema as written. */
function withFederationDirectives(node: TypeDefinitionNode, { dialect, context }: SdlContext): TypeDefinitionNode {
  const names = new Set(["deprecated", ...directiveNames.flatMap((directive) => dialect.namesOf(directive))]);
  const original = node.kind === Kind.ENUM_TYPE_DEFINITION ? context.document.definitions.find(isEnumNamed(node.name.value)) : undefined;
  const source = original ? { ...node, directives: original.directives ?? [], values: original.values ?? [] } : node;
  return withDirectives(source, (directives) => directives.filter(({ name }) => names.has(name.value)));
}

/** As the keyword: `@extends` need not be imported. */
function asExtension(node: TypeDefinitionNode, { dialect }: SdlContext): DefinitionNode {
  const names = dialect.namesOf("extends");
  const directives = (node.directives ?? []).filter(({ name }) => !names.includes(name.value));
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || directives.length === node.directives?.length) return node;
  return { kind: Kind.OBJECT_TYPE_EXTENSION, name: node.name, interfaces: node.interfaces ?? [], directives, fields: node.fields ?? [] };
}

function isEnumNamed(name: string) {
  return (node: DefinitionNode): node is EnumTypeDefinitionNode => node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === name;
}

/** Every Quern service has the same built-in objects, such as `Point`. */
function shared(node: TypeDefinitionNode, written: ReadonlySet<string>, { dialect, model }: SdlContext): TypeDefinitionNode {
  const isBuiltIn = node.kind === Kind.OBJECT_TYPE_DEFINITION && ["Point", "PointList", "Polygon", "MultiPolygon"].includes(node.name.value);
  if (!isBuiltIn || written.has(node.name.value) || model.nodeTypes.has(node.name.value)) return node;
  const directive: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: dialect.namesOf("shareable")[0] ?? "shareable" } };
  return { ...node, directives: [...(node.directives ?? []), directive] };
}
