// Turns documents into rows, and rows into batches.

import type { Document } from "mongodb";
import type { Batch, Column, EndName, FieldName, NodeView, Predicate, Stored, TypeName, Uid } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import { type EndRuntime, type LayoutRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { eachBack } from "./links-back.ts";
import type { Reader } from "./reader.ts";
import { slices } from "./slices.ts";

/** A node with the requested properties of its document. */
export class Row implements NodeView {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly doc: Doc;
  readonly #schema: LayoutRuntime;

  constructor(schema: LayoutRuntime, type: TypeName, doc: Doc) {
    this.uid = Number(doc._id);
    this.type = type;
    this.doc = doc;
    this.#schema = schema;
  }

  value(field: FieldName): Stored | undefined {
    return this.#schema.fields.get(field)?.read(this.type, this.doc);
  }

  /** The partner that a link in this document leads to. */
  partner(end: EndRuntime): Uid | undefined {
    const partner = this.doc[linkPropertyOf(end.store, this.type)];
    return partner === undefined || partner === null ? undefined : Number(partner);
  }
}

/** A `$project` of the properties that `names` need from documents of `type`. */
export function projectionOf(schema: LayoutRuntime, type: TypeName, names: Iterable<FieldName | EndName>): Document {
  const properties: Document = { _id: 1 };
  for (const name of names) {
    const field = schema.fields.get(name);
    if (field !== undefined) properties[field.property(type)] = 1;
    const end = schema.ends.get(name);
    if (end?.near && end.types.has(type)) properties[linkPropertyOf(end.store, type)] = 1;
  }
  return properties;
}

/** The fields and ends that a matcher needs for `predicate`. */
export function namesIn(schema: LayoutRuntime, predicate: Predicate, names = new Set<string>()): Set<string> {
  switch (predicate.kind) {
    case "and":
    case "or":
      for (const each of predicate.of) namesIn(schema, each, names);
      break;
    case "not":
      namesIn(schema, predicate.of, names);
      break;
    case "has":
    case "compare":
    case "check":
      names.add(predicate.field);
      break;
    case "lookup": {
      const index = schema.layout.indexes.find((each) => each.name === predicate.index);
      if (index !== undefined) names.add(index.field);
      break;
    }
    case "linked":
      names.add(predicate.end);
      break;
    default:
  }
  return names;
}

/** The rows as columns. Single ends with links in other documents take one query each. */
export async function batchOf(reader: Reader, rows: readonly Row[], names: readonly (FieldName | EndName)[]): Promise<Batch> {
  const columns: Column[] = await Promise.all(names.map((name) => columnOf(reader, rows, name)));
  const { turns } = reader;
  return { uids: await turns.map(rows, (row) => row.uid), types: await turns.map(rows, (row) => row.type), columns };
}

async function columnOf(reader: Reader, rows: readonly Row[], name: FieldName | EndName): Promise<Column> {
  const { schema, turns } = reader;
  const end = schema.ends.get(name);
  if (end === undefined) {
    const field = schema.fields.get(name);
    return await turns.map(rows, (row) => field?.read(row.type, row.doc));
  }
  if (end.near) {
    const column = await turns.map(rows, (row) => (end.types.has(row.type) ? row.partner(end) : undefined));
    reader.partners.show(end, column);
    return column;
  }
  const sources: Uid[] = [];
  await turns.each(rows, (row) => {
    if (end.types.has(row.type)) sources.push(row.uid);
  });
  const partners = new Map<Uid, Uid>();
  await eachPair(reader, end, sources, ({ source, partner }) => {
    const known = partners.get(source);
    if (known === undefined || partner < known) partners.set(source, partner);
  });
  return await turns.map(rows, (row) => (end.types.has(row.type) ? partners.get(row.uid) : undefined));
}

export interface Pair {
  readonly source: Uid;
  readonly partner: Uid;
  /** The partner's. */
  readonly type: TypeName | undefined;
}

/** The links of nodes that have `end`, to nodes of its partner types. */
export async function eachPair(reader: Reader, end: EndRuntime, sources: readonly Uid[], visit: (pair: Pair) => void): Promise<void> {
  const { placement } = end.store;
  for (const slice of slices(await reader.turns.distinct(sources))) {
    if (slice.length === 0) return;
    if (placement.shape === "pairs") {
      const [own, other] = sidesOf(end);
      const filter = { [own]: { $in: slice }, [`${own}Type`]: { $in: [...end.types] }, [`${other}Type`]: { $in: [...end.partners] } };
      await reader.each(placement.collection, [{ $match: filter }, { $project: { _id: 0, [own]: 1, [other]: 1, [`${other}Type`]: 1 } }], (doc) =>
        visit({ source: Number(doc[own]), partner: Number(doc[other]), type: String(doc[`${other}Type`]) }),
      );
      continue;
    }
    const types = end.near ? end.types : end.partners;
    const { backs } = end.store;
    await Promise.all(
      [...types].map((type) => {
        if (!end.near && backs?.types.has(type))
          return eachBack(reader, backs, { type, partners: slice }, ({ uid, partner }) => visit({ source: partner, partner: uid, type }));
        const property = linkPropertyOf(end.store, type);
        const filter = end.near ? { _id: { $in: slice }, [property]: { $exists: true } } : { [property]: { $in: slice } };
        return reader.each(collectionOf(type), [{ $match: filter }, { $project: { [property]: 1 } }], (doc) => {
          const [source, partner] = end.near ? [Number(doc._id), Number(doc[property])] : [Number(doc[property]), Number(doc._id)];
          visit({ source, partner, type: end.near ? undefined : type });
        });
      }),
    );
  }
}

/** The names under which a pair holds the nodes that have this end, and their partners. */
export function sidesOf(end: Pick<EndRuntime, "own">): readonly ["a" | "b", "a" | "b"] {
  return end.own === 0 ? ["a", "b"] : ["b", "a"];
}

/** The types that the links of an end have on each side, by property; only where the collection has links of others. */
export function sideTypes(end: EndRuntime): Readonly<Record<string, ReadonlySet<TypeName>>> {
  const [own, other] = sidesOf(end);
  const [owners, partners] = end.own === 0 ? end.store.types : [end.store.types[1], end.store.types[0]];
  return {
    ...(owners.some((type) => !end.types.has(type)) && { [`${own}Type`]: end.types }),
    ...(partners.some((type) => !end.partners.has(type)) && { [`${other}Type`]: end.partners }),
  };
}
