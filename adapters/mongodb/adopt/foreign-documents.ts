// Documents that Quern did not write, as documents of a type: fields by their names, problems counted.

import type { Document } from "mongodb";
import type { DeclaredField, FieldName, Stored, TypeName, Value } from "../../../core/storage.ts";
import { distinctValues } from "../../storage-kit/index.ts";
import type { FieldRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import { encodeStored, equalityText } from "../layout/values.ts";
import { foreignValue, idText } from "./foreign-value.ts";

/** A field, and the property of foreign documents that has its value. */
export interface FieldSource {
  readonly field: FieldRuntime;
  readonly from: string;
  readonly declared: DeclaredField | undefined;
}

export interface ForeignType {
  readonly type: TypeName;
  readonly sources: readonly FieldSource[];
}

export interface ForeignTypeOptions {
  readonly schema: LayoutRuntime;
  /** The name of the field that takes the old `_id`. */
  readonly idField: string | undefined;
  readonly declared: ReadonlyMap<FieldName, DeclaredField>;
}

export function foreignType(type: TypeName, { schema, idField, declared }: ForeignTypeOptions): ForeignType {
  const fields = [...schema.fields.values()].filter((field) => field.layout.derived === undefined && field.holders.has(type));
  return {
    type,
    sources: fields.map((field) => {
      const name = field.name.slice(field.name.indexOf(".") + 1);
      return { field, from: name === idField ? "_id" : name, declared: declared.get(field.name) };
    }),
  };
}

/** What is wrong with documents, by sentence. */
export interface Problems {
  note(what: string, id: unknown): void;
}

/** The properties of a node that says what `foreign` says, without `_id` and what is derived. */
export function adopted({ type, sources }: ForeignType, foreign: Document, problems?: Problems): Document {
  const doc: Document = {};
  for (const source of sources) {
    const { field, from } = source;
    const raw: unknown = foreign[from];
    const isAbsent = raw === undefined || raw === null || (field.list && Array.isArray(raw) && raw.every((each) => each === null));
    const value = isAbsent ? undefined : storedOf(field, from, raw);
    const problem = isAbsent ? missing(source) : problemOf(value, source);
    if (problem !== undefined) problems?.note(problem, foreign._id);
    else if (value !== undefined) doc[field.property(type)] = encodeStored(field.kind, value);
  }
  return doc;
}

/** Undefined: `raw` is no value of the field. */
function storedOf(field: FieldRuntime, from: string, raw: unknown): Stored | undefined {
  if (!field.list) return oneOf(field, from, raw);
  const given: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const values = given.flatMap((each): readonly (Value | undefined)[] => (each === null ? [] : [oneOf(field, from, each)]));
  const known = values.filter((each) => each !== undefined);
  return known.length < values.length ? undefined : distinctValues(field.kind, known, equalityText);
}

function oneOf(field: FieldRuntime, from: string, raw: unknown): Value | undefined {
  const value = foreignValue(field.kind, raw);
  if (value !== undefined || from !== "_id") return value;
  // Any scalar can be an `_id`; its text identifies it.
  return field.kind === "string" && (typeof raw === "number" || typeof raw === "bigint") ? String(raw) : undefined;
}

function missing({ from, declared }: FieldSource): string | undefined {
  return declared?.required ? `${from} is missing, which the schema requires` : undefined;
}

function problemOf(value: Stored | undefined, { field, from, declared }: FieldSource): string | undefined {
  if (value === undefined) return `${from} is no ${field.list ? "list of " : ""}${kindNames[field.kind]}`;
  const values = Array.isArray(value) ? value : [value];
  return declared?.values && values.some((each) => !declared.values?.has(String(each))) ? `${from} is no value of its enum` : undefined;
}

const kindNames: Readonly<Record<FieldRuntime["kind"], string>> = {
  string: "String",
  int: "Int",
  int64: "Int64",
  float: "Float",
  boolean: "Boolean",
  dateTime: "DateTime",
  geo: "place (GeoJSON)",
  password: "password that Quern has hashed",
  vector: "vector",
};

/** An `_id` as reports show it. */
export function shownId(id: unknown): string {
  return idText(id) ?? JSON.stringify(typeof id === "bigint" ? String(id) : id);
}
