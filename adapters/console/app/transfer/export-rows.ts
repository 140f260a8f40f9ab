// Writes rows into a sink, page by page.

import Papa from "papaparse";
import { type Json, type JsonObject, writeJson } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { fieldSelection, namesOf, valueSelection } from "../model/nodes.ts";
import { cellOf, memberOf } from "./cells.ts";
import { guarded } from "./formula-guard.ts";
import type { Sink } from "./sinks.ts";

export const mediaTypes = { CSV: "text/csv", NDJSON: "application/x-ndjson" } as const;
export type Format = keyof typeof mediaTypes;

export interface Export {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly fields: readonly Field[];
  readonly format: Format;
  readonly pages: AsyncIterable<readonly JsonObject[]>;
  readonly sink: Sink;
  /** Cells that spreadsheets would run are texts. */
  readonly isGuarded: boolean;
  readonly signal: AbortSignal;
  /** @param rows how many are written */
  readonly onProgress: (rows: number) => void;
}

/** What is read of each node: its values, and the keys of all that it links to. */
export function exportSelection(model: ApiModel, type: NodeType, fields: readonly Field[]): string {
  const names = new Set([
    ...namesOf(type),
    ...fields.map((field) => (field.kind === "link" ? valueSelection(model, field) : fieldSelection(model, field))),
  ]);
  return `{ __typename ${[...names].join(" ")} }`;
}

/** False: it was ended before, and the sink has nothing. */
export async function exportRows(of: Export): Promise<boolean> {
  try {
    if (of.format === "CSV") await of.sink.write(csvLines([of.fields.map(({ name }) => name)]));
    let written = 0;
    for await (const rows of of.pages) {
      if (of.signal.aborted) break;
      await of.sink.write(linesOf(of, rows));
      written += rows.length;
      of.onProgress(written);
    }
  } catch (thrown) {
    await of.sink.abort();
    throw thrown;
  }
  await (of.signal.aborted ? of.sink.abort() : of.sink.close());
  return !of.signal.aborted;
}

function linesOf({ model, type, fields, format, isGuarded }: Export, rows: readonly JsonObject[]): string {
  const cell = (row: JsonObject, field: Field) => cellOf(model, type, field, row[field.name]);
  if (format === "CSV") return csvLines(rows.map((row) => fields.map((field) => (isGuarded ? guarded(cell(row, field)) : cell(row, field)))));
  return rows.map((row) => `${writeJson(objectOf(model, type, fields, row))}\n`).join("");
}

function objectOf(model: ApiModel, type: NodeType, fields: readonly Field[], row: JsonObject): JsonObject {
  const members = fields.map((field): readonly [string, Json] => [field.name, memberOf(model, type, field, row[field.name])]);
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

function csvLines(lines: readonly (readonly string[])[]): string {
  return lines.length === 0
    ? ""
    : `${Papa.unparse(
        lines.map((line) => [...line]),
        { newline: "\n" },
      )}\n`;
}
