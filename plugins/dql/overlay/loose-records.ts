// What no field of a node's type shows, as the store keeps it: one record of a hidden type for each node that has such values or links, or no type.

import {
  type Change,
  type EndName,
  type FieldName,
  type FieldValues,
  isObject,
  type LayoutAdditions,
  type LayoutIndex,
  type Snapshot,
  type Stored,
  type TypeName,
  type Uid,
  type Value,
  vectorOf,
  type Work,
} from "../../../core/plugin.ts";
import { excess } from "../language/problem.ts";
import { exists, Overlay, type OverlayNode } from "./overlay.ts";

const recordType = "dql.Record";
const ofField = `${recordType}.of`;
const dataField = `${recordType}.data`;

/** Nodes that have a record. All of them are read by every document, as long as there are some. */
const maxRecords = 10_000;

/** What the plugin stores whatever schema is deployed. */
export const recordLayout: LayoutAdditions = {
  types: [{ name: recordType, fields: [ofField, dataField] }],
  fields: [
    { name: ofField, kind: "string", list: false },
    { name: dataField, kind: "string", list: false },
  ],
  keys: [{ name: `${recordType}(of)`, fields: [ofField], types: [recordType] }],
};

/** A record in the store. */
export interface StoredRecord {
  /** Of the record itself. */
  readonly uid: Uid;
  readonly data: string;
}

/** By the uid of the node that it is about. */
export type StoredRecords = ReadonlyMap<Uid, StoredRecord>;

interface RecordData {
  /** Whether the node has a type: a record of a node that is gone says nothing. */
  readonly typed: boolean;
  readonly names: readonly string[];
  readonly fields: Readonly<Record<FieldName, unknown>>;
  readonly links: Readonly<Record<EndName, readonly Uid[]>>;
}

export async function readRecords(snapshot: Snapshot): Promise<StoredRecords> {
  const { uids, columns } = await snapshot.find({ types: [recordType], fields: [ofField, dataField] });
  const [of = [], data = []] = columns;
  return new Map(uids.map((uid, row) => [Number(of[row]), { uid, data: String(data[row]) }]));
}

export interface RecordSource {
  readonly snapshot: Snapshot;
  readonly index: LayoutIndex;
  /** The concrete types of the schema. */
  readonly types: readonly TypeName[];
}

/** Fills an overlay with what the records say. */
export async function addRecords(overlay: Overlay, records: StoredRecords, { snapshot, index, types: known }: RecordSource): Promise<void> {
  if (records.size === 0) return;
  const uids = [...records.keys()].sort((a, b) => a - b);
  const { uids: found, types } = await snapshot.load({ uids, types: known, fields: [] });
  const native = new Map(found.map((uid, row) => [uid, types[row]]));
  const parsed = uids.flatMap((uid): [OverlayNode, RecordData][] => {
    const data = parseRecord(records.get(uid)?.data ?? "");
    if (data.typed && !native.has(uid)) return [];
    return [[overlay.add(uid, native.get(uid)), data]];
  });
  for (const [node, { names, fields, links }] of parsed) {
    for (const name of names) node.names.add(name);
    for (const [field, value] of Object.entries(fields)) addValue(node, field, fromJson(value, field, index));
    for (const [end, partners] of Object.entries(links)) {
      if (!index.edges.end(end)) continue;
      for (const to of partners) if (overlay.nodes.has(to)) overlay.links.set({ end, from: node.uid, to, on: true });
    }
  }
}

function addValue(node: OverlayNode, field: FieldName, value: Stored | undefined): void {
  if (value !== undefined) node.fields.set(field, value);
}

export interface RecordChanges {
  readonly changes: readonly Change[];
  /** Fields of records that are not there yet. */
  readonly created: readonly FieldValues[];
}

/** Nodes or links between two steps. */
const step = 64;

/** The changes that bring the records to what the overlay says, once its native nodes are written. */
export function* recordChanges(
  overlay: Overlay,
  { records, index, isNative, fieldsOf }: { readonly records: StoredRecords } & Natives,
): Work<RecordChanges> {
  const links = yield* looseLinks(overlay, isNative, index);
  const changes: Change[] = [];
  const created: FieldValues[] = [];
  let count = 0;
  for (const node of overlay.nodes.values()) {
    if (++count % step === 0) yield;
    const known = records.get(node.uid);
    const data = recordOf(node, { links: links.get(node.uid) ?? new Map(), fieldsOf, isThere: exists(node, overlay) });
    if (data === known?.data) continue;
    if (known && data === undefined) changes.push({ kind: "remove", uid: known.uid, type: recordType });
    else if (known) changes.push({ kind: "set", uid: known.uid, type: recordType, fields: { [dataField]: data ?? "" } });
    else if (data !== undefined) created.push({ [ofField]: String(node.uid), [dataField]: data });
  }
  if (created.length > 0 && records.size + created.length > maxRecords)
    throw excess(`The store keeps ${maxRecords} nodes without a type, or with values that are not of their types. Give nodes their dgraph.type.`);
  return { changes, created };
}

export function newRecord(uid: Uid, fields: FieldValues): Change {
  return { kind: "create", uid, type: recordType, fields };
}

export interface Natives {
  readonly index: LayoutIndex;
  /** Whether the store can hold a link as one of an edge. */
  readonly isNative: (end: EndName, from: TypeName | undefined, to: TypeName | undefined) => boolean;
  /** The fields that nodes of a type have. */
  readonly fieldsOf: (type: TypeName) => ReadonlySet<FieldName>;
}

type EndsOfNode = Map<EndName, Uid[]>;

function* looseLinks(overlay: Overlay, isNative: Natives["isNative"], index: LayoutIndex): Work<ReadonlyMap<Uid, EndsOfNode>> {
  const links = new Map<Uid, EndsOfNode>();
  const add = (uid: Uid, end: EndName, partner: Uid) => {
    const ends: EndsOfNode = links.get(uid) ?? new Map<EndName, Uid[]>();
    const partners = ends.get(end);
    if (partners) partners.push(partner);
    else ends.set(end, [partner]);
    links.set(uid, ends);
  };
  let count = 0;
  for (const { end, from, to, on } of overlay.links.all()) {
    if (++count % step === 0) yield;
    if (!on || isNative(end, overlay.nodes.get(from)?.type, overlay.nodes.get(to)?.type)) continue;
    add(from, end, to);
    add(to, index.edges.opposite(end)[0]?.name ?? end, from);
  }
  return links;
}

interface RecordParts {
  readonly links: EndsOfNode;
  readonly fieldsOf: Natives["fieldsOf"];
  readonly isThere: boolean;
}

/** Undefined: the node needs no record. */
function recordOf({ type, names, fields }: OverlayNode, { links, fieldsOf, isThere }: RecordParts): string | undefined {
  if (!isThere) return undefined;
  const native = type === undefined ? undefined : fieldsOf(type);
  const loose = [...fields].flatMap(([field, value]): [FieldName, unknown][] =>
    value === null || native?.has(field) ? [] : [[field, toJson(value)]],
  );
  if (type !== undefined && names.size === 0 && loose.length === 0 && links.size === 0) return undefined;
  const data: RecordData = {
    typed: type !== undefined,
    names: [...names],
    fields: Object.fromEntries(loose.sort(([a], [b]) => (a < b ? -1 : 1))),
    links: Object.fromEntries(
      [...links].map(([end, partners]): [EndName, readonly Uid[]] => [end, partners.sort((a, b) => a - b)]).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
  return JSON.stringify(data);
}

function toJson(value: Stored): unknown {
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(toJson);
  return typeof value === "bigint" ? String(value) : value;
}

/** Undefined: the schema has no such field any more, or one of another kind. */
function fromJson(value: unknown, field: FieldName, index: LayoutIndex): Stored | undefined {
  if (!index.isList(field)) return oneFromJson(value, index.kindOf(field));
  const values = (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => oneFromJson(each, index.kindOf(field)) ?? []);
  return values.length === 0 ? undefined : values;
}

function oneFromJson(value: unknown, kind: string): Value | undefined {
  if (kind === "vector") return Array.isArray(value) ? vectorOf(value.map(Number)) : undefined;
  if (kind === "int64") return typeof value === "string" ? BigInt(value) : undefined;
  if (kind === "geo") return isObject(value) ? (value as unknown as Value) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

function parseRecord(text: string): RecordData {
  const { typed, names, fields, links }: Partial<RecordData> = JSON.parse(text);
  return { typed: typed === true, names: names ?? [], fields: fields ?? {}, links: links ?? {} };
}

/** An overlay with what the store keeps in records; undefined: it keeps nothing. */
export async function looseOverlay(source: RecordSource): Promise<Overlay | undefined> {
  const records = await readRecords(source.snapshot);
  if (records.size === 0) return undefined;
  const overlay = new Overlay(source.index);
  await addRecords(overlay, records, source);
  return overlay;
}
