// Rows as better-auth reads and writes them, and as they are stored.

import { type FieldPatch, type FieldValues, normalizeDateTime, type Stored } from "../../../core/plugin.ts";
import { type Column, columnsOf, fieldName, type Table } from "./tables.ts";

export type Scalar = string | number | boolean | Date | null;

/** By column. Each row has an `id`. */
export type Row = Readonly<Record<string, Scalar>>;

/** What to change: columns that are absent stay, null clears. */
export function storedPatch(name: string, table: Table, values: Readonly<Record<string, unknown>>): FieldPatch {
  const columns = Object.entries(columnsOf(table)).filter(([column]) => values[column] !== undefined);
  return Object.fromEntries(columns.map(([column, { kind }]) => [fieldName(name, column), storedValue(kind, values[column])]));
}

export function storedValues(name: string, table: Table, values: Readonly<Record<string, unknown>>): FieldValues {
  const all = storedPatch(name, table, values);
  return Object.fromEntries(Object.entries(all).flatMap(([field, value]) => (value === null ? [] : [[field, value]])));
}

/** Null: no value. */
export function storedValue(kind: Column["kind"], value: unknown): Stored | null {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case "dateTime":
      return normalizeDateTime(new Date(value instanceof Date ? value : String(value)).toISOString()) ?? null;
    case "float":
      return Number(value);
    case "boolean":
      return value === true;
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

export function readValue(kind: string, stored: Stored | undefined): Scalar {
  if (stored === undefined) return null;
  if (kind === "dateTime") return new Date(String(stored));
  return typeof stored === "number" || typeof stored === "boolean" ? stored : String(stored);
}
