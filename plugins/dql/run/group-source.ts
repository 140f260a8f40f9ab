// What a `@groupby` reads of the nodes that it groups.

import type { Column, FieldLayout, Value } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Block, GroupKey, PredicateField } from "../language/syntax.ts";
import { fieldsOf } from "../schema/languages.ts";
import { type DqlValue, fromStored, kindOfField, listOf } from "../schema/values.ts";
import type { GroupColumn, GroupSource } from "./level.ts";
import type { ReadContext, Rows } from "./rows.ts";

type Grouping = Pick<PredicateField | Block, "groupBy" | "fields">;

/** The stored fields that keys and aggregates read. */
export function groupNames({ groupBy = [], fields }: Grouping, { catalog }: Pick<ReadContext, "catalog">): readonly string[] {
  const predicates = [
    ...groupBy.map((key) => key.predicate),
    ...fields.flatMap((field) => (field.kind === "aggregate" && "predicate" in field.of ? [field.of.predicate] : [])),
  ];
  const names = predicates.flatMap((predicate) => fieldsOf(predicate, catalog)).filter((name) => catalog.meaningOf(name).kind === "value");
  return [...new Set(names)];
}

export async function groupSource(grouping: Grouping, rows: Rows, context: ReadContext): Promise<GroupSource> {
  const keys: GroupColumn[] = [];
  for (const key of grouping.groupBy ?? []) keys.push(await groupColumn(key, rows, context));
  checkVariables(grouping, keys);
  const aggregated = new Map<string, { readonly field: FieldLayout; readonly column: Column }>();
  for (const field of grouping.fields) {
    if (field.kind !== "aggregate" || !("predicate" in field.of)) continue;
    const { name } = field.of.predicate;
    const meaning = context.catalog.meaningOf(name);
    if (meaning.kind !== "value") continue;
    const isNumeric = ["int", "int64", "float"].includes(meaning.field.kind);
    if (!isNumeric && (field.name === "sum" || field.name === "avg")) throw refusal(`Aggregator "${field.name}" could not apply on ${name}`);
    aggregated.set(name, { field: meaning.field, column: rows.columns.get(name) ?? [] });
  }
  return { keys, aggregated, fields: grouping.fields };
}

function checkVariables({ fields }: Grouping, keys: readonly GroupColumn[]): void {
  if (!fields.some((field) => field.variable !== undefined)) return;
  if (keys.some((key) => key.of !== "uid")) throw refusal("Vars can be assigned only when grouped by UID attribute");
  if (keys.length !== 1) throw refusal(`Expected one UID for var in groupby but got: ${keys.length}`);
}

async function groupColumn(key: GroupKey, rows: Rows, context: ReadContext): Promise<GroupColumn> {
  const { catalog } = context;
  const names = fieldsOf(key.predicate, catalog);
  const meaning = catalog.meaningOf(names[0] ?? key.predicate.name);
  if (meaning.kind === "edge") return edgeColumn(key, meaning.end.name, { rows, context });
  if (meaning.kind === "types") {
    const namesOf = (row: number) => catalog.typeNamesOf(rows.types[row] ?? "");
    return { key, of: "string", keysOf: (row) => (rows.types[row] === undefined ? [] : namesOf(row)) };
  }
  if (meaning.kind !== "value" || meaning.field.kind === "password") return { key, of: "string", keysOf: () => [] };
  const { kind } = meaning.field;
  const columns = names.map((name) => rows.columns.get(name) ?? []);
  const keysOf = (row: number): readonly DqlValue[] => {
    const stored = columns.find((column) => column[row] !== undefined)?.[row];
    // Empty texts are no keys.
    return stored === undefined ? [] : listOf(stored).flatMap((value) => (value === "" ? [] : [fromStored(value, kind)]));
  };
  const [column = []] = columns;
  const isPlain = columns.length === 1 && !meaning.field.list && plainKinds.has(kind);
  const plain = isPlain ? { column, keyOf: (stored: Value) => fromStored(stored, kind) } : undefined;
  return { key, of: kindOfField(kind), plain, keysOf };
}

/** Kinds whose equal values are equal in JavaScript. */
export const plainKinds: ReadonlySet<string> = new Set(["string", "int", "int64", "float", "boolean", "dateTime"]);

async function edgeColumn(
  key: GroupKey,
  end: string,
  { rows, context }: { readonly rows: Rows; readonly context: ReadContext },
): Promise<GroupColumn> {
  const existing = rows.types.flatMap((type, row) => (type === undefined ? [] : [row]));
  const links = await context.snapshot.follow({ from: existing.map((row) => rows.uids[row] ?? 0), end, fields: [] });
  context.work.spend(links.rows.length);
  const place = new Map(existing.map((row, i) => [row, i]));
  const keysOf = (row: number): readonly DqlValue[] => {
    const i = place.get(row);
    return i === undefined ? [] : links.rows.slice(links.starts[i], links.starts[i + 1]).map((target) => links.nodes.uids[target] ?? 0);
  };
  return { key, of: "uid", keysOf };
}
