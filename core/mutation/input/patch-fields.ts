// The values that a node has after a mutation: those of a new node, and what `set` and `remove` make of an existing one. Pure.

import type { FieldPatch, FieldValues } from "../../contracts/change.ts";
import type { NodeType, ValueField } from "../../contracts/model.ts";
import { equalValues } from "../../ground/values/compare.ts";
import type { FieldName, Stored, Value } from "../../ground/values/value.ts";
import { holdsList } from "../../schema/model/holds-list.ts";
import { isList } from "./input-tree.ts";
import type { Content } from "./input-values.ts";
import { distinct, identity } from "./stored-input.ts";

/** What a new node holds. A null leaves a field empty, but not one that must be filled and can be. */
export function newFields(type: NodeType, { values, whenCreated }: Content): FieldValues {
  const fields: { [field: FieldName]: Stored } = {};
  for (const [name, value] of values) {
    const field = valueField(type, name);
    if (field && value !== null && !isEmpty(value)) fields[field.stored] = value;
  }
  for (const [name, value] of whenCreated) {
    const field = valueField(type, name);
    const given = values.get(name);
    if (field && (given === undefined || (given === null && field.type.nonNull)) && !isEmpty(value)) fields[field.stored] = value;
  }
  return fields;
}

export interface Patch {
  readonly type: NodeType;
  /** Null changes nothing; lists are added to. */
  readonly set: Content | undefined;
  /** After `set`. Null clears; a value goes only where it is there. */
  readonly remove: Content | undefined;
}

/** Fields whose present values decide about the result. */
export function fieldsToRead({ type, set, remove }: Patch): readonly FieldName[] {
  const needed = new Set<FieldName>();
  for (const [name, value] of set?.values ?? []) {
    const field = valueField(type, name);
    if (field && value !== null && holdsList(field)) needed.add(field.stored);
  }
  for (const [name, value] of remove?.values ?? []) if (value !== null) needed.add(storedName(type, name));
  needed.delete("");
  return [...needed];
}

/** The fields that `patch` may change. */
export function namesOfPatch({ type, set, remove }: Patch): readonly FieldName[] {
  const given = setValues(set).flatMap(([name, value]) => (value === null || isEmpty(value) ? [] : [name]));
  return [...given, ...(remove?.values.keys() ?? [])].flatMap((name) => valueField(type, name)?.stored ?? []);
}

/** The fields whose present values decide whether `remove` changes anything. */
export function comparedFields({ type, remove }: Patch): readonly FieldName[] {
  return [...(remove?.values ?? [])].flatMap(([name, value]) => (value === null ? [] : (valueField(type, name)?.stored ?? [])));
}

export interface Present {
  /** The present values of the fields that `fieldsToRead` names. */
  readonly current: (field: FieldName) => Stored | undefined;
  /** Whether the caller may read the field. To others it is empty, so that `remove` finds no value there. */
  readonly isSeen: (field: FieldName) => boolean;
}

export function patchedFields({ type, set, remove }: Patch, { current, isSeen }: Present): FieldPatch {
  const after: { [field: FieldName]: Stored | null } = {};
  const present = (field: ValueField) => (Object.hasOwn(after, field.stored) ? after[field.stored] : current(field.stored)) ?? null;
  for (const [name, value] of setValues(set)) {
    const field = valueField(type, name);
    if (!field || value === null || isEmpty(value)) continue;
    after[field.stored] = holdsList(field) ? distinct([...listOf(present(field)), ...listOf(value)]) : value;
  }
  for (const [name, value] of remove?.values ?? []) {
    const field = valueField(type, name);
    if (!field) continue;
    if (value === null) after[field.stored] = null;
    else if (isSeen(field.stored)) removeFrom(field, present(field), value, after);
  }
  return after;
}

function removeFrom(field: ValueField, present: Stored | null, value: Stored, after: { [field: FieldName]: Stored | null }): void {
  if (present === null) return;
  if (holdsList(field)) {
    const gone = new Set(listOf(value).map(identity));
    const left = listOf(present).filter((each) => !gone.has(identity(each)));
    if (left.length < listOf(present).length) after[field.stored] = left.length === 0 ? null : left;
  } else if (!isList(present) && !isList(value) && equalValues(field.kind, present, value)) {
    after[field.stored] = null;
  }
}

function setValues(set: Content | undefined): readonly (readonly [string, Stored | null])[] {
  if (!set) return [];
  return [...set.values, ...[...set.whenUpdated].filter(([name]) => !set.values.has(name))];
}

function listOf(value: Stored | null): readonly Value[] {
  if (value === null) return [];
  return isList(value) ? value : [value];
}

function isEmpty(value: Stored): boolean {
  return isList(value) && value.length === 0;
}

function valueField(type: NodeType, name: string): ValueField | undefined {
  const field = type.fields.get(name);
  return field?.role === "value" ? field : undefined;
}

function storedName(type: NodeType, name: string): FieldName {
  return valueField(type, name)?.stored ?? "";
}
