// Names of generated types and fields. No other code builds or parses such names.

import type { EnumType, FieldType, NodeType, UnionType } from "../../contracts/model.ts";

type Named = NodeType | UnionType;

export const addInputName = (node: NodeType): string => `Add${node.name}Input`;
export const updateInputName = (node: NodeType): string => `Update${node.name}Input`;
export const patchName = (node: NodeType): string => `${node.name}Patch`;
export const refName = (type: Named): string => `${type.name}Ref`;
export const filterName = (type: Named): string => `${type.name}Filter`;
export const hasFilterName = (node: NodeType): string => `${node.name}HasFilter`;
export const orderName = (node: NodeType): string => `${node.name}Order`;
export const orderableName = (node: NodeType): string => `${node.name}Orderable`;
export const memberTypeName = (union: UnionType): string => `${union.name}Type`;
export const aggregateName = (node: NodeType): string => `${node.name}AggregateResult`;
export const payloadName = (operation: "Add" | "Update" | "Delete", node: NodeType): string => `${operation}${node.name}Payload`;

/** The input form of `Point`, `Polygon` and `MultiPolygon`. */
export const geoRefName = (type: FieldType): string => `${type.name}Ref`;

/** Lowers the first letter only: `URLEntry` becomes `uRLEntry`. */
export function lowerFirst(type: NodeType | EnumType): string {
  return type.name.charAt(0).toLowerCase() + type.name.slice(1);
}

/** `type` as SDL, with another type name: `[Boat!]!` with `BoatRef` becomes `[BoatRef!]!`. */
export function typeText(type: FieldType, name: string = type.name): string {
  const item = type.list ? `[${name}${type.itemNonNull ? "!" : ""}]` : name;
  return type.nonNull ? `${item}!` : item;
}
