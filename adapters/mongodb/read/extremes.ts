// The least and the greatest values of all nodes that match, each from one end of an index.

import type { Measure, Order, TypeName } from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import type { TypeMatch } from "./find-rows.ts";
import type { Reader } from "./reader.ts";
import { readUnion } from "./row-queries.ts";
import { projectionOf, type Row } from "./rows.ts";
import { sortedStages } from "./sorted.ts";

/** Rows among which all extremes are, by uid. Undefined: something else is measured, or there is no index. */
export async function extremeRows(reader: Reader, matches: readonly TypeMatch[], measures: readonly Measure[]): Promise<Row[] | undefined> {
  const { schema } = reader;
  const orders = measures.map((measure) => orderOf(reader, measure));
  const found = orders.flatMap((order) => order ?? []);
  if (found.length === 0 || found.length < measures.length) return undefined;
  if (!matches.every(({ type }) => found.every(({ field }) => isIndexed(schema.fields.get(field), type)))) return undefined;
  const project = (type: TypeName) =>
    projectionOf(
      schema,
      type,
      found.map(({ field }) => field),
    );
  const queries = matches.flatMap(({ type, match: { filter } }) =>
    found.map((key) => ({
      type,
      stages: sortedStages(schema, {
        type,
        filter: filter === false ? { _id: { $in: [] } } : filter,
        order: [key],
        limit: 1,
        project: project(type),
      }),
    })),
  );
  return (await readUnion(reader, queries)).sort((a, b) => a.uid - b.uid);
}

function orderOf({ schema }: Reader, measure: Measure): Order[number] | undefined {
  if (measure.kind !== "min" && measure.kind !== "max") return undefined;
  const field = schema.fields.get(measure.field);
  const isOrdered = field !== undefined && !field.list && !field.converted && field.kind !== "geo";
  return isOrdered ? { field: measure.field, direction: measure.kind === "min" ? "asc" : "desc" } : undefined;
}

function isIndexed(field: FieldRuntime | undefined, type: TypeName): boolean {
  return field?.types.includes(type) === true && field.indexes.some((index) => index.by === "value" && index.ordered);
}
