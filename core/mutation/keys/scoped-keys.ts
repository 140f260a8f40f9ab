// Keys that are unique within other fields of their object. They are known when the `values` hooks have run: a plugin may give the scope.

import type { Key, LinkField, NodeType, ScopedKey, ValueField } from "../../contracts/model.ts";
import type { QuernError } from "../../ground/errors.ts";
import type { EndName, FieldName, Value } from "../../ground/values/value.ts";
import { operandOf } from "../../query/plan/operands.ts";
import { keyEmpty, scopeMissing } from "../context/error-messages.ts";
import type { WriteFacts } from "../context/write-facts.ts";
import { type InputNode, type InputTree, isList, type KeyValue, type ScopedObject, type ScopePart } from "../input/input-tree.ts";
import type { Content, Contents } from "../input/input-values.ts";

export interface CompleteRequest {
  readonly contents: Contents;
  readonly facts: WriteFacts;
}

/** Gives the objects of the input the keys within others that they have. @returns faults of the input */
export function completeKeys({ scoped }: InputTree, request: CompleteRequest): readonly QuernError[] {
  return scoped.flatMap((object) => request.facts.of(object.node.type).scopedKeys.flatMap((key) => completeKey(object, key, request)));
}

function completeKey(object: ScopedObject, key: ScopedKey, { contents, facts }: CompleteRequest): readonly QuernError[] {
  const { node, keys } = object;
  const content = contents(node);
  const value = givenValue(key.field, content, facts);
  if (value === undefined) return [];
  if (value === "") return [keyEmpty(node.type.name, key.field.name)];
  const scope = key.within.flatMap((field): readonly ScopePart[] => {
    if (field.role === "link") return targetOf(field, object);
    const part = givenValue(field, content, facts);
    return part === undefined ? [] : [{ field, value: part }];
  });
  if (scope.length === key.within.length) {
    keys.push({ key, value, scope });
    return [];
  }
  const absent = key.within.find((field) => !isStated(field, object, content));
  return absent && node.role === "nested" && keys.length === 0 ? [scopeMissing(node.type.name, keyLabel(key), absent.name)] : [];
}

/** What the object will hold. */
function givenValue(field: ValueField, { values, whenCreated }: Content, { plugins }: WriteFacts): Value | undefined {
  const value = values.has(field.name) ? values.get(field.name) : whenCreated.get(field.name);
  return value === undefined || value === null || isList(value) ? undefined : operandOf(field, value, plugins);
}

/** Below the object that its link leads back to, that one; otherwise what the input says. */
function targetOf(field: LinkField, { node, parent }: ScopedObject): readonly ScopePart[] {
  const target = node.back === field ? parent : node.links.find((link) => link.field === field)?.targets[0];
  return target ? [{ field, target }] : [];
}

/** Null states that there is no value: then the object has no such key. */
function isStated(field: ValueField | LinkField, { node }: ScopedObject, { values, whenCreated }: Content): boolean {
  if (field.role === "value") return values.has(field.name) || whenCreated.has(field.name);
  return node.back === field || node.links.some((link) => link.field === field);
}

/** What the scope of a key is in this request, as text. Objects without a name of their own share it with nobody. */
export function scopeText(scope: readonly ScopePart[], nameOf: (target: InputNode) => string): string {
  const texts = scope.map((part) => ("value" in part ? String(part.value) : nameOf(part.target)));
  // Lengths, not quotes: a scope may be within another one, many times.
  return texts.map((text) => `${text.length}:${text}`).join("");
}

/** The stored names of the fields whose values and links are the key. */
export function namesOfKey({ key, scope = [] }: KeyValue): readonly (FieldName | EndName)[] {
  return scope.length === 0 ? [key.field.stored] : [key.field.stored, ...scope.map(({ field }) => field.stored)];
}

export function isScoped(key: Key): key is ScopedKey {
  return "within" in key;
}

/** The field of a key as errors name it. */
export function keyLabel(key: Key): string {
  return isScoped(key) ? `${key.field.name} within ${key.within.map(({ name }) => name).join(" and ")}` : key.field.name;
}

/** Whether the scope of a key is the object that an update chooses. */
export function isWithinPatch({ scoped }: InputTree): boolean {
  return scoped.some(({ keys }) => keys.some(({ scope = [] }) => scope.some(isPatch)));
}

function isPatch(part: ScopePart): boolean {
  return "target" in part && (part.target.role === "set" || part.target.role === "remove");
}

/** The concrete types of the nodes that a link leads to. */
export function partnersOf({ target }: LinkField): readonly NodeType[] {
  return target.kind === "union" ? target.members.flatMap(({ members }) => members) : target.members;
}
