// The answer of an introspection query, as far as it is compared. A service may send anything: what is missing counts as absent.

import { isObject } from "../../../core/plugin.ts";

export interface RemoteSchema {
  readonly query: string | undefined;
  readonly mutation: string | undefined;
  readonly types: ReadonlyMap<string, RemoteType>;
}

export interface RemoteType {
  readonly name: string;
  readonly kind: string;
  /** Of an input type its members. */
  readonly fields: ReadonlyMap<string, RemoteField>;
}

export interface RemoteField {
  readonly type: RemoteTypeRef;
  readonly args: ReadonlyMap<string, RemoteTypeRef>;
}

/** A type as a field or an argument refers to it. */
export interface RemoteTypeRef {
  /** In SDL: `[Far!]`. */
  readonly text: string;
  readonly name: string;
  readonly nonNull: boolean;
  readonly list: boolean;
  /** The kind of the named type: `INPUT_OBJECT`. */
  readonly kind: string;
}

export function readRemoteSchema(schema: unknown): RemoteSchema {
  const source = isObject(schema) ? schema : {};
  const types = listOf(source.types).flatMap((each): [string, RemoteType][] =>
    typeof each.name === "string" ? [[each.name, readType(each, each.name)]] : [],
  );
  return { query: nameOf(source.queryType), mutation: nameOf(source.mutationType), types: new Map(types) };
}

type Source = Readonly<Record<string, unknown>>;

function readType(source: Source, name: string): RemoteType {
  const fields = [...listOf(source.fields), ...listOf(source.inputFields)];
  return { name, kind: String(source.kind), fields: byName(fields, readField) };
}

function readField(source: Source): RemoteField {
  return { type: readRef(source.type), args: byName(listOf(source.args), ({ type }) => readRef(type)) };
}

function readRef(source: unknown, depth = 0): RemoteTypeRef {
  const kind = isObject(source) ? String(source.kind) : "";
  const inner = isObject(source) && isObject(source.ofType) && depth < 16 ? readRef(source.ofType, depth + 1) : undefined;
  if (inner && kind === "NON_NULL") return { ...inner, text: `${inner.text}!`, nonNull: true };
  if (inner && kind === "LIST") return { ...inner, text: `[${inner.text}]`, nonNull: false, list: true };
  const name = nameOf(source) ?? "";
  return { text: name, name, nonNull: false, list: false, kind };
}

function byName<T>(sources: readonly Source[], read: (source: Source) => T): ReadonlyMap<string, T> {
  return new Map(sources.flatMap((each): [string, T][] => (typeof each.name === "string" ? [[each.name, read(each)]] : [])));
}

function listOf(value: unknown): readonly Source[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function nameOf(value: unknown): string | undefined {
  return isObject(value) && typeof value.name === "string" ? value.name : undefined;
}
