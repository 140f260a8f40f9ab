// Completes JSON that a plugin hands over: cut to the selection, nulls where the type forbids them climb up.

import { type GraphQLLeafType, type GraphQLOutputType, isAbstractType, isLeafType, isListType, isNonNullType } from "graphql";
import { writeJson } from "../../ground/json/write-json.ts";
import type { Json } from "../../ground/values/value.ts";
import type { ResponseError, RootResult } from "../operation-context.ts";
import { locationOf } from "../plan/plan-operation.ts";
import type { JsonSelection } from "../plan/selection.ts";
import { coerceLeaf } from "./coerce-leaf.ts";
import { itemForList, listForItem, missingNonNull, objectForScalar, scalarForObject, uncoercible } from "./error-messages.ts";

type Path = readonly (string | number)[];

export function completeJson(key: string, selection: JsonSelection, value: Json): RootResult {
  const errors: ResponseError[] = [];
  const json = completeValue({ selection, errors }, value, [key]) ?? "null";
  return { json, errors };
}

/** The text of `value` at `path`; undefined after an error in a non-null position, which is recorded. */
export function completeValue(place: JsonPlace, value: Json | undefined, path: Path): string | undefined {
  return complete(place, place.selection.type, value, path);
}

export interface JsonPlace {
  readonly selection: JsonSelection;
  readonly errors: ResponseError[];
}

/** Undefined after an error in a non-null position, which is recorded. */
function complete(place: JsonPlace, type: GraphQLOutputType, value: Json | undefined, path: Path): string | undefined {
  if (isNonNullType(type)) {
    const before = place.errors.length;
    const text = complete(place, type.ofType, value, path);
    if (text !== undefined && text !== "null") return text;
    if (place.errors.length === before) report(place, path, missingNonNull(place.selection.node.name.value, String(type)));
    return undefined;
  }
  if (value === null || value === undefined) return isListType(type) ? "[]" : "null";
  if (isListType(type)) return completeList(place, type.ofType, value, path) ?? "null";
  if (isLeafType(type)) return completeLeaf(place, type, value, path);
  if (isList(value)) return refuse(place, path, listForItem);
  if (typeof value !== "object") return refuse(place, path, scalarForObject);
  return completeObject(place, isAbstractType(type) ? concreteName(value, type.name) : type.name, value, path) ?? "null";
}

/** The built-in scalars hold no objects; others may hold anything. */
function isScalarWithParts(name: string): boolean {
  return !["String", "ID", "Int", "Int64", "Float", "Boolean", "DateTime"].includes(name);
}

function completeLeaf(place: JsonPlace, type: GraphQLLeafType, value: Json, path: Path): string {
  if (typeof value === "object" && !isScalarWithParts(type.name)) return refuse(place, path, isList(value) ? listForItem : objectForScalar);
  return coerceLeaf(type, value) ?? refuse(place, path, uncoercible(writeJson(value), place.selection.node.name.value, type.name));
}

function completeList(place: JsonPlace, itemType: GraphQLOutputType, value: Json, path: Path): string | undefined {
  if (!isList(value)) return refuse(place, path, itemForList);
  const items: string[] = [];
  for (const [i, item] of value.entries()) {
    const text = complete(place, itemType, item, [...path, i]);
    if (text === undefined) return undefined;
    items.push(text);
  }
  return `[${items.join(",")}]`;
}

function completeObject(place: JsonPlace, typeName: string, value: { readonly [key: string]: Json }, path: Path): string | undefined {
  let text = "";
  for (const member of place.selection.members(typeName)) {
    const given = member.name === "__typename" ? typeName : value[member.name];
    const part = complete({ selection: member.selection, errors: place.errors }, member.selection.type, given, [...path, member.key]);
    if (part === undefined) return undefined;
    text += member.opening + part;
  }
  return text === "" ? "{}" : `${text}}`;
}

function concreteName(value: { readonly [key: string]: Json }, fallback: string): string {
  const name = value.__typename;
  return typeof name === "string" ? name : fallback;
}

function refuse(place: JsonPlace, path: Path, message: string): string {
  report(place, path, message);
  return "null";
}

function report({ selection, errors }: JsonPlace, path: Path, message: string): void {
  errors.push({ message, locations: [locationOf(selection.node)], path });
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
