// What this service generates for inaccessible types and fields is not part of the supergraph: it would name them.

import { type FieldDefinitionNode, Kind, type TypeDefinitionNode } from "graphql";
import type { Field, NodeType } from "../../../core/plugin.ts";
import { isMarked, namedType } from "../schema/schema-context.ts";
import { isDeclared, isRoot, type SdlContext, withFields } from "./served-definitions.ts";

export function withoutInaccessible(definitions: readonly TypeDefinitionNode[], context: SdlContext): readonly TypeDefinitionNode[] {
  const nodes = [...context.model.nodeTypes.values()];
  const hidden = nodes.filter(({ definition }) => isMarked(definition, "inaccessible", context));
  const members = new Map(nodes.flatMap((node) => hiddenMembers(node, context)));
  if (hidden.length === 0 && members.size === 0) return definitions;
  const shown = definitions
    .flatMap((definition) => withoutRoots(definition, hidden, context))
    .map((definition) => withoutMembers(definition, members));
  return withoutEmpty(shown);
}

/** Root fields that return an inaccessible type. */
function withoutRoots(definition: TypeDefinitionNode, hidden: readonly NodeType[], context: SdlContext): readonly TypeDefinitionNode[] {
  if (!isRoot(definition) || definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [definition];
  const results = new Set(
    hidden.flatMap(({ name }) => [name, `${name}AggregateResult`, ...["Add", "Update", "Delete"].map((verb) => `${verb}${name}Payload`)]),
  );
  const root = definition.name.value === "Mutation" ? "Mutation" : "Query";
  return withFields(definition, (field) => isDeclared(root, field.name.value, context) || !results.has(namedType(field.type)));
}

type Members = ReadonlyMap<string, ReadonlySet<string>>;

/** The members of generated types that name an inaccessible field, by type. */
function hiddenMembers(node: NodeType, context: SdlContext): readonly [string, ReadonlySet<string>][] {
  const fields = [...node.fields.values()].filter(({ definition }) => isMarked(definition, "inaccessible", context));
  if (fields.length === 0) return [];
  const names = new Set(fields.map(({ name }) => name));
  const measures = new Set(fields.flatMap(measureNames));
  const companions = new Set(fields.map(({ name }) => `${name}Aggregate`));
  const inputs = [
    `${node.name}Filter`,
    `${node.name}HasFilter`,
    `${node.name}Orderable`,
    `${node.name}Patch`,
    `${node.name}Ref`,
    `Add${node.name}Input`,
  ];
  return [
    ...inputs.map((input): [string, ReadonlySet<string>] => [input, names]),
    [`${node.name}AggregateResult`, measures],
    [node.name, companions],
  ];
}

function measureNames({ name }: Field): readonly string[] {
  return ["Min", "Max", "Sum", "Avg"].map((suffix) => `${name}${suffix}`);
}

/** A required member of an input stays: nothing could be added without it. */
function withoutMembers(definition: TypeDefinitionNode, members: Members): TypeDefinitionNode {
  const names = members.get(definition.name.value);
  if (!names) return definition;
  const isShown = ({ name }: FieldDefinitionNode | { readonly name: { readonly value: string } }) => !names.has(name.value);
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return { ...definition, fields: (definition.fields ?? []).filter(isShown) };
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return { ...definition, fields: (definition.fields ?? []).filter((field) => isShown(field) || field.type.kind === Kind.NON_NULL_TYPE) };
    case Kind.ENUM_TYPE_DEFINITION:
      return { ...definition, values: (definition.values ?? []).filter(isShown) };
    default:
      return definition;
  }
}

/** Without types that have lost all members, and without what refers to them. */
function withoutEmpty(definitions: readonly TypeDefinitionNode[]): readonly TypeDefinitionNode[] {
  const empty = new Set(definitions.filter(isEmpty).map(({ name }) => name.value));
  if (empty.size === 0) return definitions;
  return withoutEmpty(definitions.filter(({ name }) => !empty.has(name.value)).map((definition) => withoutReferences(definition, empty)));
}

function isEmpty(definition: TypeDefinitionNode): boolean {
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) return definition.values?.length === 0;
  return "fields" in definition && definition.fields?.length === 0;
}

function withoutReferences(definition: TypeDefinitionNode, gone: ReadonlySet<string>): TypeDefinitionNode {
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const fields = (definition.fields ?? []).filter(({ type }) => !gone.has(namedType(type)));
      return { ...definition, fields: fields.map((field) => withoutArguments(field, gone)) };
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return { ...definition, fields: (definition.fields ?? []).filter(({ type }) => !gone.has(namedType(type))) };
    default:
      return definition;
  }
}

function withoutArguments(field: FieldDefinitionNode, gone: ReadonlySet<string>): FieldDefinitionNode {
  return { ...field, arguments: (field.arguments ?? []).filter(({ type }) => !gone.has(namedType(type))) };
}
