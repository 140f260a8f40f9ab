// Completes a value that a plugin hands over: cut to the selection, scalars coerced, nulls where the type forbids them propagated.

import {
  type GraphQLLeafType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import type { FieldSelection } from "../../contracts/plugin/root-field.ts";
import { writeJson } from "../../ground/json/write-json.ts";
import { type AnswerValue, WrittenNumber } from "../../ground/values/value.ts";
import type { ResponseError } from "../operation-context.ts";
import { locationOf } from "../plan/plan-operation.ts";
import type { JsonMember, JsonSelection } from "../plan/selection.ts";
import { coerceLeaf, fitsLeaf } from "./coerce-leaf.ts";
import { itemForList, listForItem, missingNonNull, objectForScalar, uncoercible, unknownType } from "./error-messages.ts";

type Path = readonly (string | number)[];
type JsonObject = { readonly [key: string]: AnswerValue };

export interface JsonPlace {
  readonly selection: JsonSelection;
  readonly errors: ResponseError[];
  /** The value is a member of an object. */
  readonly isMember?: boolean;
}

/**
 * The text of a value that needs no more than its own: a scalar or enum that fits the field. Undefined: another value, which `completeValue` judges at
 * its path.
 */
export function plainText({ leaf }: JsonSelection, value: AnswerValue | undefined): string | undefined {
  return leaf === undefined || value === null || value === undefined || isList(value) ? undefined : coerceLeaf(leaf, value);
}

/** The text of `value` at `path`; undefined after an error in a non-null position, which is recorded. */
export function completeValue(place: JsonPlace, value: AnswerValue | undefined, path: Path): string | undefined {
  return complete(place, place.selection.type, { value, path });
}

/**
 * Why `value` is no value of the field at all: a scalar of another type, a list of two for one object. Undefined: it is one, or only a part of it
 * does not fit.
 */
export function valueProblem({ type, nodes: [node], schema }: FieldSelection, value: AnswerValue): string | undefined {
  const nullable = getNullableType(type);
  // Most values are scalars that fit; they are written later, all together.
  if (value === null || (isLeafType(nullable) && !isList(value) && fitsLeaf(nullable, value))) return undefined;
  const errors: ResponseError[] = [];
  const isSubType = (abstract: string, concrete: string): boolean => {
    const [wide, narrow] = [schema.getType(abstract), schema.getType(concrete)];
    return isAbstractType(wide) && isObjectType(narrow) && schema.isSubType(wide, narrow);
  };
  complete({ selection: { type, leaf: undefined, node, members: () => [], isSubType }, errors }, nullable, { value, path: [] });
  return errors.find(({ path }) => path?.length === 0)?.message;
}

interface Found {
  readonly value: AnswerValue | undefined;
  readonly path: Path;
}

/** Undefined after an error in a non-null position, which is recorded. */
function complete(place: JsonPlace, type: GraphQLOutputType, found: Found): string | undefined {
  if (isNonNullType(type)) return completeNonNull(place, type, found);
  const { value, path } = found;
  if (value === null || value === undefined) return isListType(type) ? "[]" : "null";
  if (isListType(type)) return completeList(place, type.ofType, { value, path });
  const one = onlyOne(value);
  if (isList(one)) return refuse(place, path, listForItem);
  if (isLeafType(type)) return completeLeaf(place, type, { value: one, path });
  if (!isObject(one)) return refuse(place, path, uncoercible(describe(one), place.selection.node.name.value, type.name));
  return completeObject(place, isAbstractType(type) ? concreteName(one, type.name) : type.name, { value: one, path }) ?? "null";
}

function completeNonNull(place: JsonPlace, type: GraphQLOutputType & { readonly ofType: GraphQLOutputType }, found: Found): string | undefined {
  const before = place.errors.length;
  const text = complete(place, type.ofType, found);
  if (text !== undefined && text !== "null") return text;
  if (place.errors.length === before) report(place, found.path, missingNonNull(place.selection.node.name.value, String(type)));
  return undefined;
}

/** A list of one stands for its element. */
function onlyOne(value: AnswerValue): AnswerValue {
  let one = value;
  while (isList(one) && one.length === 1) one = one[0] ?? null;
  return one;
}

/** The built-in scalars hold no objects; others may hold anything. */
function isScalarWithParts(name: string): boolean {
  return !["String", "ID", "Int", "Int64", "Float", "Boolean", "DateTime"].includes(name);
}

function completeLeaf(place: JsonPlace, type: GraphQLLeafType, { value, path }: Found): string {
  if (value === null || value === undefined) return "null";
  if (isObject(value) && !isScalarWithParts(type.name)) return refuse(place, path, objectForScalar);
  return coerceLeaf(type, value) ?? refuse(place, path, uncoercible(describe(value), place.selection.node.name.value, type.name));
}

/** An element that cannot be shown is null, where the type allows nulls; else the list is. What is no list takes the object around with it. */
function completeList(place: JsonPlace, itemType: GraphQLOutputType, { value, path }: Found): string | undefined {
  if (!isList(value)) {
    report(place, place.isMember ? path.slice(0, -1) : path, itemForList);
    return place.isMember ? undefined : "null";
  }
  let text = "[";
  for (const [i, item] of value.entries()) {
    const element = item === null ? completeNull(place, itemType, [...path, i]) : complete(place, itemType, { value: item, path: [...path, i] });
    if (element === undefined) return "null";
    text += i === 0 ? element : `,${element}`;
  }
  return `${text}]`;
}

/** A null element is null, also where lists are expected. */
function completeNull(place: JsonPlace, type: GraphQLOutputType, path: Path): string | undefined {
  return isNonNullType(type) ? completeNonNull(place, type, { value: null, path }) : "null";
}

function completeObject(
  place: JsonPlace,
  typeName: string,
  { value, path }: { readonly value: JsonObject; readonly path: Path },
): string | undefined {
  const { selection, errors } = place;
  const declared = declaredName(selection.type);
  if (typeName !== declared && !selection.isSubType(declared, typeName)) return refuse(place, path, unknownType(typeName, declared));
  let text = "";
  for (const member of selection.members(typeName)) {
    const given = member.name === "__typename" ? typeName : memberOf(value, member);
    const part = complete({ selection: member.selection, errors, isMember: true }, member.selection.type, {
      value: given,
      path: [...path, member.key],
    });
    if (part === undefined) return undefined;
    text += member.opening + part;
  }
  return text === "" ? "{}" : `${text}}`;
}

function memberOf(value: JsonObject, { source }: JsonMember): AnswerValue | undefined {
  return Object.hasOwn(value, source) ? value[source] : undefined;
}

function declaredName(type: GraphQLOutputType): string {
  return String(type).replaceAll(/[[\]!]/gu, "");
}

function concreteName(value: JsonObject, declared: string): string {
  const name = Object.hasOwn(value, "__typename") ? value.__typename : undefined;
  return typeof name === "string" ? name : declared;
}

function describe(value: AnswerValue): string {
  return typeof value === "string" ? value : value instanceof WrittenNumber ? value.text : writeJson(value);
}

function refuse(place: JsonPlace, path: Path, message: string): string {
  report(place, path, message);
  return "null";
}

function report({ selection, errors }: JsonPlace, path: Path, message: string): void {
  errors.push({ message, locations: [locationOf(selection.node)], path });
}

function isList(value: AnswerValue | undefined): value is readonly AnswerValue[] {
  return Array.isArray(value);
}

function isObject(value: AnswerValue): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value) && !(value instanceof WrittenNumber);
}
