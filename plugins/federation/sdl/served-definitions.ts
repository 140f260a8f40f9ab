// The definitions of the served schema, from which the text of a subgraph is made.

import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  isTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeDefinitionNode,
} from "graphql";
import type { CompileContext, Model, NodeType } from "../../../core/plugin.ts";
import { type FederationContext, fieldNamed, namedType } from "../schema/schema-context.ts";

export interface SdlContext extends FederationContext {
  readonly model: Model;
  /** Types that other services own. */
  readonly foreign: ReadonlySet<NodeType>;
}

/** Definitions of the protocol, which every composition adds by itself. */
const ofProtocol: readonly string[] = ["_Any", "_Entity", "_FieldSet", "_Service"];
const rootsOfProtocol: readonly string[] = ["_entities", "_service"];

/** The API that a composition reads. */
export type ServedApi = Pick<CompileContext, "schema" | "sdl">;

/** All types with their directives as written, without those of the protocol. A root type without other fields is left out. */
export function servedDefinitions({ schema, sdl }: ServedApi): readonly TypeDefinitionNode[] {
  const written = new Map<string, readonly ConstDirectiveNode[]>();
  for (const node of parse(sdl).definitions.filter(isTypeDefinitionNode)) {
    withDirectives(node, (directives, place) => {
      written.set(place, directives);
      return directives;
    });
  }
  return definitionsOf(schema).map((node) => withDirectives(node, (directives, place) => written.get(place) ?? directives));
}

function definitionsOf(schema: GraphQLSchema): readonly TypeDefinitionNode[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !ofProtocol.includes(name));
  return types.flatMap((type): readonly TypeDefinitionNode[] => {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type) || !type.astNode) return [];
    return type.astNode.kind === Kind.OBJECT_TYPE_DEFINITION && isRoot(type.astNode) ? withFields(type.astNode, isOfService) : [type.astNode];
  });
}

function isOfService({ name }: FieldDefinitionNode): boolean {
  return !rootsOfProtocol.includes(name.value);
}

export function isRoot({ name }: TypeDefinitionNode): boolean {
  return ["Query", "Mutation", "Subscription"].includes(name.value);
}

/** The type with those of its fields; none when no field is left. */
export function withFields(type: ObjectTypeDefinitionNode, keep: (field: FieldDefinitionNode) => boolean): readonly ObjectTypeDefinitionNode[] {
  const fields = (type.fields ?? []).filter(keep);
  return fields.length > 0 ? [{ ...type, fields }] : [];
}

/** The definitions with changed directives: of definitions, their fields, arguments and enum values. */
export function withDirectives(
  definition: TypeDefinitionNode,
  change: (directives: readonly ConstDirectiveNode[], name: string) => readonly ConstDirectiveNode[],
): TypeDefinitionNode {
  const changed = <Node extends { readonly directives?: readonly ConstDirectiveNode[] | undefined }>(node: Node, name: string): Node => ({
    ...node,
    directives: change(node.directives ?? [], name),
  });
  const own = changed(definition, definition.name.value);
  const below = <Node extends { readonly name: { readonly value: string } }>({ name }: Node) => `${definition.name.value}.${name.value}`;
  switch (own.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return { ...own, fields: (own.fields ?? []).map((field) => changed(field, below(field))) };
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return { ...own, fields: (own.fields ?? []).map((field) => changed(field, below(field))) };
    case Kind.ENUM_TYPE_DEFINITION:
      return { ...own, values: (own.values ?? []).map((value) => changed(value, below(value))) };
    default:
      return own;
  }
}

/** Whether the schema's author wrote the root field. */
export function isDeclared(root: string, field: string, { context }: FederationContext): boolean {
  return context.document.definitions.some(
    (node) =>
      (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) &&
      node.name.value === root &&
      node.fields?.some(({ name }) => name.value === field),
  );
}

/**
 * A stored type without what this service generates for its links to types of other services: arguments and aggregates.
 * These services filter and aggregate their types themselves.
 */
export function withPlainLinks(definition: TypeDefinitionNode, { model, foreign }: SdlContext): TypeDefinitionNode {
  const type = model.nodeTypes.get(definition.name.value);
  if (!type || (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION)) return definition;
  const leading = [...type.fields.values()].filter((field) => field.role === "link" && field.target.kind !== "union" && foreign.has(field.target));
  const names = new Set(leading.map(({ name }) => name));
  const aggregates = new Set(leading.map(({ name }) => `${name}Aggregate`));
  const fields = (definition.fields ?? []).filter(({ name }) => !aggregates.has(name.value) || fieldNamed(type.definition, name.value));
  return { ...definition, fields: fields.map((field) => (names.has(field.name.value) ? withDeclaredArguments(field, type) : field)) };
}

function withDeclaredArguments(field: FieldDefinitionNode, { definition }: NodeType): FieldDefinitionNode {
  return { ...field, arguments: fieldNamed(definition, field.name.value)?.arguments ?? [] };
}

/** The types of other services that a generated root field is about: by its result, or by a member of its payload. */
export function isAboutForeign(field: FieldDefinitionNode, types: ReadonlyMap<string, TypeDefinitionNode>, { foreign }: SdlContext): boolean {
  const result = namedType(field.type);
  const names = new Set([...foreign].flatMap(({ name }) => [name, `${name}AggregateResult`]));
  if (names.has(result)) return true;
  const payload = types.get(result);
  const isPayload = payload?.kind === Kind.OBJECT_TYPE_DEFINITION && payload.fields?.some(({ name }) => name.value === "numUids");
  return isPayload === true && (payload.fields ?? []).some((member) => names.has(namedType(member.type)));
}
