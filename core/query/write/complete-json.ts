// Completes a value that a plugin hands over: cut to the selection, scalars coerced, nulls where the type forbids them propagated.

import {
  type GraphQLLeafType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import type { FieldSelection } from "../../contracts/plugin/root-field.ts";
import { type ErrorText, QuernError } from "../../ground/errors.ts";
import { writeJson } from "../../ground/json/write-json.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import { type AnswerValue, type MaybePromise, WrittenNumber } from "../../ground/values/value.ts";
import type { JsonMember, JsonSelection } from "../level/shapes.ts";
import type { FailedField, OperationBudget } from "../operation-context.ts";
import { coerceLeaf, fitsLeaf } from "./coerce-leaf.ts";
import { itemForList, listForItem, missingNonNull, objectForScalar, uncoercible, unknownType } from "./error-messages.ts";
import { locationOf } from "./location-of.ts";

type Path = readonly (string | number)[];
type JsonObject = { readonly [key: string]: AnswerValue };

export interface JsonPlace {
  readonly selection: JsonSelection;
  readonly errors: FailedField[];
  /** Long values take turns with other work, and their text is counted while it grows. Undefined: the value is written in one go. */
  readonly budget?: OperationBudget;
  /** The value is a member of an object. */
  readonly isMember?: boolean;
}

/** Parts of a value that are written in one go: less than a millisecond of work. */
const fewParts = 2_048;
/** Elements between two looks at the clock. */
const stride = 64;

/**
 * The text of a value that needs no more than its own: a scalar or enum that fits the field. Undefined: another value, which `completeValue` judges at
 * its path.
 */
export function plainText({ leaf }: JsonSelection, value: AnswerValue | undefined): string | undefined {
  return leaf === undefined || value === null || value === undefined || isList(value) ? undefined : coerceLeaf(leaf, value);
}

/** The text of `value` at `path`; undefined after an error in a non-null position, which is recorded. At once for ordinary values. */
export function completeValue(place: JsonPlace, value: AnswerValue | undefined, path: Path): MaybePromise<string | undefined> {
  return complete(place, place.selection.type, { value, path });
}

/** The same in one go. */
export function completeAtOnce({ selection, errors }: JsonPlace, value: AnswerValue | undefined, path: Path): string | undefined {
  const text = completeValue({ selection, errors }, value, path);
  if (isPromise(text)) throw new QuernError("INTERNAL", "A value was to be written in one go, and took turns.");
  return text;
}

/** Whether a value has more parts than are written in one go. */
export function isLong(value: AnswerValue | undefined): boolean {
  const waiting: (AnswerValue | undefined)[] = [value];
  for (let parts = 0; parts < fewParts; parts++) {
    const part = waiting.pop();
    if (part === undefined && waiting.length === 0) return false;
    if (typeof part !== "object" || part === null || part instanceof WrittenNumber) continue;
    const inner = isList(part) ? part : Object.values(part);
    if (inner.length > fewParts) return true;
    waiting.push(...inner);
  }
  return waiting.length > 0;
}

/**
 * Judges values of one field: why a value is no value of the field at all, such as a scalar of another type, or a list of two for one object.
 * Undefined: it is one, or only a part of it does not fit.
 */
export type ValueCheck = (value: AnswerValue) => ErrorText | undefined;

/** The check for a field as an operation selects it. Made once for all of its values. */
export function valueCheck(selection: FieldSelection): ValueCheck {
  const nullable = getNullableType(selection.type);
  const leaf = isLeafType(nullable) ? nullable : undefined;
  return (value) => {
    // Most values are scalars that fit; they are written later, all together.
    if (value === null || (leaf && !isList(value) && fitsLeaf(leaf, value))) return undefined;
    if (isListType(nullable)) return isList(value) ? undefined : itemForList;
    return misfit(nullable, selection, value);
  };
}

function misfit(type: GraphQLOutputType, { nodes: [node], schema }: FieldSelection, value: AnswerValue): ErrorText | undefined {
  const errors: FailedField[] = [];
  const isSubType = (abstract: string, concrete: string): boolean => {
    const [wide, narrow] = [schema.getType(abstract), schema.getType(concrete)];
    return isAbstractType(wide) && isObjectType(narrow) && schema.isSubType(wide, narrow);
  };
  const selection = { type, leaf: undefined, node, members: () => [], isSubType };
  completeAtOnce({ selection, errors }, value, []);
  const found = errors.find(({ path }) => path?.length === 0);
  if (found === undefined) return undefined;
  const { code = "FIELD_FAILED", message, compatible = message } = found;
  return { code, message, compatible };
}

interface Found {
  readonly value: AnswerValue | undefined;
  readonly path: Path;
}

/** Undefined after an error in a non-null position, which is recorded. */
function complete(place: JsonPlace, type: GraphQLOutputType, found: Found): MaybePromise<string | undefined> {
  if (isNonNullType(type)) return completeNonNull(place, type, found);
  const { value, path } = found;
  if (value === null || value === undefined) return isListType(type) ? "[]" : "null";
  if (isListType(type)) return completeList(place, type.ofType, { value, path });
  const one = onlyOne(value);
  if (isList(one)) return refuse(place, path, listForItem);
  if (isLeafType(type)) return completeLeaf(place, type, { value: one, path });
  if (!isObject(one)) return refuse(place, path, uncoercible(describe(one), place.selection.node.name.value, type.name));
  const typeName = isAbstractType(type) ? concreteName(one, type.name) : type.name;
  return andThen(completeObject(place, typeName, { value: one, path }), orNull);
}

function orNull(text: string | undefined): string {
  return text ?? "null";
}

function completeNonNull(
  place: JsonPlace,
  type: GraphQLOutputType & { readonly ofType: GraphQLOutputType },
  found: Found,
): MaybePromise<string | undefined> {
  const before = place.errors.length;
  return andThen(complete(place, type.ofType, found), (text) => {
    if (text !== undefined && text !== "null") return text;
    if (place.errors.length === before) report(place, found.path, missingNonNull(place.selection.node.name.value, String(type)));
    return undefined;
  });
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
function completeList(place: JsonPlace, itemType: GraphQLOutputType, { value, path }: Found): MaybePromise<string | undefined> {
  if (!isList(value)) {
    report(place, place.isMember ? path.slice(0, -1) : path, itemForList);
    return place.isMember ? undefined : "null";
  }
  const { budget } = place;
  // Asking an object of what kind its type is costs as much as writing a number.
  const objects = isObjectType(itemType) ? itemType.name : undefined;
  let text = "[";
  const add = (element: string, i: number): void => {
    text += i === 0 ? element : `,${element}`;
    if (budget && text.length > budget.room) budget.answered(text.length);
  };
  const from = (first: number): MaybePromise<string> => {
    for (let i = first; i < value.length; i++) {
      const item = value[i] ?? null;
      const at = [...path, i];
      const element =
        objects !== undefined && isObject(item)
          ? andThen(completeObject(place, objects, { value: item, path: at }), orNull)
          : completeElement(place, itemType, { value: value[i], path: at });
      if (isPromise(element)) {
        return element.then((found) => {
          if (found === undefined) return "null";
          add(found, i);
          return from(i + 1);
        });
      }
      if (element === undefined) return "null";
      add(element, i);
      if (budget && i % stride === stride - 1 && budget.isTurnOver) return budget.turn().then(() => from(i + 1));
    }
    return `${text}]`;
  };
  return from(0);
}

/** A null element is null, also where lists are expected. */
function completeElement(place: JsonPlace, type: GraphQLOutputType, { value, path }: Found): MaybePromise<string | undefined> {
  if (value !== null) return complete(place, type, { value, path });
  return isNonNullType(type) ? completeNonNull(place, type, { value, path }) : "null";
}

function completeObject(
  place: JsonPlace,
  typeName: string,
  { value, path }: { readonly value: JsonObject; readonly path: Path },
): MaybePromise<string | undefined> {
  const { selection, errors, budget } = place;
  const declared = getNamedType(selection.type).name;
  if (typeName !== declared && !selection.isSubType(declared, typeName)) return refuse(place, path, unknownType(typeName, declared));
  const members = selection.members(typeName);
  let text = "";
  const from = (first: number): MaybePromise<string | undefined> => {
    for (let i = first; i < members.length; i++) {
      const member = members[i];
      if (member === undefined) continue;
      const given = member.name === "__typename" ? typeName : memberOf(value, member);
      // Most members are scalars that fit: only what is judged needs its path.
      const plain = plainText(member.selection, given);
      if (plain !== undefined && plain !== "null") {
        text += member.opening + plain;
        continue;
      }
      const inner = { selection: member.selection, errors, isMember: true, ...(budget && { budget }) };
      const part = complete(inner, member.selection.type, { value: given, path: [...path, member.key] });
      if (isPromise(part)) {
        return part.then((found) => {
          if (found === undefined) return undefined;
          text += member.opening + found;
          return from(i + 1);
        });
      }
      if (part === undefined) return undefined;
      text += member.opening + part;
    }
    return text === "" ? "{}" : `${text}}`;
  };
  return from(0);
}

function memberOf(value: JsonObject, { source }: JsonMember): AnswerValue | undefined {
  return Object.hasOwn(value, source) ? value[source] : undefined;
}

function concreteName(value: JsonObject, declared: string): string {
  const name = Object.hasOwn(value, "__typename") ? value.__typename : undefined;
  return typeof name === "string" ? name : declared;
}

function describe(value: AnswerValue): string {
  return typeof value === "string" ? value : value instanceof WrittenNumber ? value.text : writeJson(value);
}

function refuse(place: JsonPlace, path: Path, text: ErrorText): string {
  report(place, path, text);
  return "null";
}

function report({ selection, errors }: JsonPlace, path: Path, text: ErrorText): void {
  errors.push({ ...text, locations: [locationOf(selection.node)], path });
}

function isList(value: AnswerValue | undefined): value is readonly AnswerValue[] {
  return Array.isArray(value);
}

function isObject(value: AnswerValue): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value) && !(value instanceof WrittenNumber);
}
