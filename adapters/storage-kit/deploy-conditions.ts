// What a deploy may not do while there are data: other kinds of values, single values instead of lists, links instead of values.

import type { Layout, ValueKind } from "../../core/storage.ts";
import { namedEnds } from "./edge-plan.ts";
import type { LayoutHistory } from "./layout-history.ts";

/** The deploy is refused with `message` while `name` has data. */
export interface Condition {
  readonly kind: "field" | "end";
  readonly name: string;
  readonly message: string;
}

/** The conditions under which data of earlier layouts fit `layout`. */
export function deployConditions(layout: Layout, catalog: LayoutHistory): readonly Condition[] {
  return [...fieldConditions(layout, catalog), ...endConditions(layout, catalog)];
}

/** The names of kinds in refusals: Dgraph's. */
const kindNames = {
  string: "string",
  int: "int",
  int64: "int",
  float: "float",
  boolean: "bool",
  dateTime: "datetime",
  geo: "geo",
  password: "password",
  vector: "float32vector",
} as const;

function* fieldConditions(layout: Layout, catalog: LayoutHistory): Generator<Condition> {
  for (const field of layout.fields) {
    const { name } = field;
    const before = catalog.fields[name];
    if (catalog.ends[name] !== undefined) yield { kind: "end", name, message: scalarOrUid(name) };
    if (before === undefined || before.derivation !== undefined || field.derived !== undefined) continue;
    const old = kindNames[before.kind];
    const now = kindNames[field.kind];
    if (before.list && !field.list)
      yield { kind: "field", name, message: `Schema change not allowed from [${old}] => ${now} without deleting pred: ${name}` };
    else if (isOnItsOwn(before.kind) !== isOnItsOwn(field.kind))
      yield { kind: "field", name, message: `Schema change not allowed from ${old} to ${now} without deleting pred: ${name}` };
  }
}

/** Values of these kinds are never converted from or to another kind. */
function isOnItsOwn(kind: ValueKind): ValueKind | undefined {
  return kind === "password" || kind === "vector" ? kind : undefined;
}

function* endConditions(layout: Layout, catalog: LayoutHistory): Generator<Condition> {
  for (const { name, end } of layout.edges.flatMap(namedEnds)) {
    const before = catalog.ends[name];
    if (catalog.fields[name] !== undefined) yield { kind: "field", name, message: scalarOrUid(name) };
    if (before?.many && !end.many) yield { kind: "end", name, message: `Schema change not allowed from [uid] => uid without deleting pred: ${name}` };
  }
}

function scalarOrUid(name: string): string {
  return `Schema change not allowed from scalar to uid or vice versa while there is data for pred: ${name}`;
}
