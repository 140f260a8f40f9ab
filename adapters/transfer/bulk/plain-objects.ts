// Reads objects of an add as plainly as `PlainType` allows: values, and links to objects by their key.

import type { FieldName, FieldValues, Key, Stored, Value, ValueField } from "../../../core/plugin.ts";
import { isObject } from "../../../core/plugin.ts";
import type { PlainLink, PlainTarget, PlainType } from "../../../core/server.ts";

/** Thrown for an object that is not plain: a mutation writes it, or says what is wrong with it. One object, without a stack. */
export const notPlain: unique symbol = Symbol("an object that is not plain");

export interface PlainObject {
  /** Values by stored field; keys are among them. */
  readonly fields: FieldValues;
  /** In the order of the fields' names. */
  readonly links: readonly PlainLinks[];
}

export interface PlainLinks {
  readonly link: PlainLink;
  readonly targets: readonly PlainReference[];
}

/** An object at the other side of a link. */
export interface PlainReference {
  readonly key: Value;
  /** What a new node holds. */
  readonly fields: FieldValues;
  /** The object is its key and nothing else. */
  readonly isBare: boolean;
  /** A new node would lack a value. */
  readonly isIncomplete: boolean;
}

/** @throws notPlain */
export function readObjects(type: PlainType, objects: readonly unknown[]): readonly PlainObject[] {
  const coerced = type.coerce(objects);
  if (coerced === undefined) throw notPlain;
  return coerced.map((each) => {
    if (!isObject(each)) throw notPlain;
    return readPlain(type, each);
  });
}

/** @param raw coerced by the schema. @throws notPlain */
function readPlain(type: PlainType, raw: Readonly<Record<string, unknown>>): PlainObject {
  const { values, links, keys } = type;
  const fields: { [field: FieldName]: Stored } = {};
  let given: PlainLinks[] | undefined;
  for (const name in raw) {
    const field = values.get(name);
    if (field !== undefined) setValue(fields, field, raw[name], type);
    else if (!isNothing(raw[name])) {
      const link = links.get(name);
      if (link === undefined) throw notPlain;
      given ??= [];
      given.push({ link, targets: readTargets(link, raw[name], type) });
    }
  }
  for (const { field } of keys.values()) if (fields[field.stored] === "") throw notPlain;
  given?.sort((a, b) => (a.link.field.name < b.link.field.name ? -1 : 1));
  return { fields, links: given ?? noLinks };
}

const noLinks: readonly PlainLinks[] = Object.freeze([]);

type Reading = Pick<PlainType, "stored">;

function setValue(fields: { [field: FieldName]: Stored }, field: ValueField, raw: unknown, type: Reading): void {
  if (raw === null) return;
  const value = type.stored(field, raw);
  if (value === undefined) throw notPlain;
  if (!isList(value) || value.length > 0) fields[field.stored] = value;
}

/** Whether a field holds a list of values. */
export function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}

/** Null, and a list without elements: no links. */
function isNothing(raw: unknown): boolean {
  return raw === null || (Array.isArray(raw) && raw.length === 0);
}

function readTargets({ target }: PlainLink, raw: unknown, reading: Reading): readonly PlainReference[] {
  return Array.isArray(raw) ? raw.map((each) => readReference(target, each, reading)) : [readReference(target, raw, reading)];
}

function readReference({ key, values, required }: PlainTarget, raw: unknown, reading: Reading): PlainReference {
  if (!isObject(raw)) throw notPlain;
  const fields: { [field: FieldName]: Stored } = {};
  let members = 0;
  for (const name in raw) {
    const field = values.get(name);
    if (field === undefined) throw notPlain;
    setValue(fields, field, raw[name], reading);
    members++;
  }
  const isIncomplete = required === undefined || required.some((name) => fields[values.get(name)?.stored ?? ""] === undefined);
  return { key: keyIn(fields, key), fields, isBare: members === 1, isIncomplete };
}

/** @throws notPlain where the object does not have the key */
export function keyIn(fields: FieldValues, { field }: Key): Value {
  const value = fields[field.stored];
  if (value === undefined || isList(value) || value === "") throw notPlain;
  return value;
}
