// Reads the type of a field from its AST.

import { Kind, type TypeNode } from "graphql";
import type { FieldType } from "../../contracts/model.ts";
import type { ValueKind } from "../../ground/values/value.ts";

/** Nested lists count as one list; validation refuses them. */
export function readFieldType(type: TypeNode): FieldType {
  if (type.kind === Kind.NON_NULL_TYPE) return { ...readFieldType(type.type), nonNull: true };
  if (type.kind === Kind.NAMED_TYPE) return { name: type.name.value, list: false, nonNull: false, itemNonNull: false };
  const item = readFieldType(type.type);
  return { name: item.name, list: true, nonNull: false, itemNonNull: item.nonNull };
}

const kinds: Readonly<Record<string, ValueKind>> = {
  String: "string",
  Int: "int",
  Int64: "int64",
  Float: "float",
  Boolean: "boolean",
  DateTime: "dateTime",
  Point: "geo",
  Polygon: "geo",
  MultiPolygon: "geo",
};

/** The value kind of a built-in type; undefined for `ID` and for types that the schema defines. */
export function kindOfBuiltIn(typeName: string): ValueKind | undefined {
  return Object.hasOwn(kinds, typeName) ? kinds[typeName] : undefined;
}
