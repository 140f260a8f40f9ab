// Queries for the documents of one type each, several of them in one round trip.

import type { Document } from "mongodb";
import type { TypeName } from "../../../core/storage.ts";
import { collectionOf } from "../layout/names.ts";
import type { Reader } from "./reader.ts";
import { Row } from "./rows.ts";

export interface TypeQuery {
  readonly type: TypeName;
  readonly stages: readonly Document[];
}

/** The rows of several queries in one round trip, query after query. */
export async function readUnion(reader: Reader, queries: readonly TypeQuery[]): Promise<Row[]> {
  return (await readQueries(reader, queries)).flat();
}

/** The rows of each query, in one round trip. */
export async function readQueries(reader: Reader, queries: readonly TypeQuery[]): Promise<Row[][]> {
  const [first, ...others] = queries;
  const rows = queries.map((): Row[] => []);
  if (first === undefined) return rows;
  if (others.length === 0) {
    await reader.each(collectionOf(first.type), first.stages, (doc) => void rows[0]?.push(new Row(reader.schema, first.type, doc)));
    return rows;
  }
  const mark = (i: number) => ({ $set: { _type: { $literal: i } } });
  const union = others.map(({ type, stages }, i) => ({ $unionWith: { coll: collectionOf(type), pipeline: [...stages, mark(i + 1)] } }));
  await reader.each(collectionOf(first.type), [...first.stages, mark(0), ...union], (doc) => {
    const i = Number(doc._type);
    const type = queries[i]?.type;
    if (type !== undefined) rows[i]?.push(new Row(reader.schema, type, doc));
  });
  return rows;
}
