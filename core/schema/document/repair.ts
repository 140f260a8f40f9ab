// Takes what is wrong out of a document, so that the rest can be judged without it.

import { type ASTNode, type DefinitionNode, type FieldDefinitionNode, type InputValueDefinitionNode, Kind, type NamedTypeNode, visit } from "graphql";
import { argumentsOf, namedType } from "./definitions.ts";
import type { Path } from "./source-places.ts";
import type { Meant } from "./validate-common.ts";

/** The wrong parts. One that has a `Meant` gets the name that is probably meant instead; the others are taken out. */
export type Repairs = ReadonlyMap<ASTNode, Meant | "remove">;

export interface Repaired {
  readonly definitions: readonly DefinitionNode[];
  /** Parts that had to go too, because they refer to a type that has gone. */
  readonly also: readonly Path[];
}

/** The document without the wrong parts, and without what refers to types that are gone. Nodes keep their places in the text. */
export function repaired(definitions: readonly DefinitionNode[], repairs: Repairs): Repaired {
  const also: Path[] = [];
  let rest = definitions.flatMap((definition) => mended(definition, repairs));
  for (;;) {
    const dangling = danglingParts(rest, namesGone(definitions, rest));
    if (dangling.length === 0) return { definitions: rest, also };
    also.push(...dangling);
    const next = new Map(dangling.map((path) => [path[path.length - 1] ?? path[0], "remove"] as const));
    rest = rest.flatMap((definition) => mended(definition, next));
  }
}

/** Nothing is left of a definition that is removed, or all of whose parts are. */
function mended(definition: DefinitionNode, repairs: Repairs): readonly DefinitionNode[] {
  if (repairs.get(definition) === "remove") return [];
  let isChanged = false;
  let hasLostField = false;
  const result: DefinitionNode = visit(definition, {
    enter(node) {
      const repair = repairs.get(node);
      if (repair === undefined) return undefined;
      isChanged = true;
      if (repair !== "remove") return renamed(node, repair);
      hasLostField ||= node.kind === Kind.FIELD_DEFINITION || node.kind === Kind.INPUT_VALUE_DEFINITION;
      return null;
    },
  });
  if (!isChanged) return [definition];
  const whole = hasLostField ? withPlaceholder(result) : result;
  return isEmpty(whole) ? [] : [whole];
}

function renamed(node: ASTNode, { name, near }: Meant): ASTNode {
  return visit(node, { [Kind.NAME]: (each) => (each.value === name ? { ...each, value: near } : undefined) });
}

const roots: ReadonlySet<string> = new Set(["Query", "Mutation"]);

/** A type that has lost a field gets one that is stored: that it has none is not its mistake. */
function withPlaceholder(definition: DefinitionNode): DefinitionNode {
  const name = { kind: Kind.NAME, value: `placeholder_${definition.loc?.start ?? 0}` } as const;
  const type: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: "String" } };
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_EXTENSION:
      if (roots.has(definition.name.value)) return definition;
      return { ...definition, fields: [...(definition.fields ?? []), { kind: Kind.FIELD_DEFINITION, name, type }] };
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_EXTENSION:
      return { ...definition, fields: [...(definition.fields ?? []), { kind: Kind.INPUT_VALUE_DEFINITION, name, type }] };
    default:
      return definition;
  }
}

function isEmpty(definition: DefinitionNode): boolean {
  if ("fields" in definition) return (definition.fields ?? []).length === 0;
  if ("values" in definition) return (definition.values ?? []).length === 0;
  return "types" in definition && (definition.types ?? []).length === 0;
}

/** Names of types that `before` defines and `after` does not. */
function namesGone(before: readonly DefinitionNode[], after: readonly DefinitionNode[]): ReadonlySet<string> {
  const left = new Set(after.map(typeName));
  return new Set(before.flatMap((definition) => typeName(definition) ?? []).filter((name) => !left.has(name)));
}

export function typeName(definition: DefinitionNode): string | undefined {
  if (definition.kind === Kind.DIRECTIVE_DEFINITION) return undefined;
  return "name" in definition ? definition.name?.value : undefined;
}

function danglingParts(definitions: readonly DefinitionNode[], gone: ReadonlySet<string>): readonly Path[] {
  if (gone.size === 0) return [];
  return definitions.flatMap((definition) => referring(definition, gone).map((part): Path => [definition, part]));
}

/** Fields, members, interfaces and root types of a definition that name a type of `gone`. */
function referring(definition: DefinitionNode, gone: ReadonlySet<string>): readonly ASTNode[] {
  const names = ({ name }: NamedTypeNode) => gone.has(name.value);
  return [
    ...("fields" in definition ? (definition.fields ?? []).filter((field: AnyField) => typesOf(field).some((name) => gone.has(name))) : []),
    ...("types" in definition ? (definition.types ?? []).filter(names) : []),
    ...("interfaces" in definition ? (definition.interfaces ?? []).filter(names) : []),
    ...("operationTypes" in definition ? (definition.operationTypes ?? []).filter(({ type }) => names(type)) : []),
  ];
}

type AnyField = FieldDefinitionNode | InputValueDefinitionNode;

function typesOf(field: AnyField): readonly string[] {
  return [field, ...argumentsOf(field)].map(({ type }) => namedType(type));
}
