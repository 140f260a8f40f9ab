// Writes rows into a file, page by page: the browser keeps what is written outside the memory of the page.

import Papa from "papaparse";
import { type Json, type JsonObject, writeJson } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { fieldSelection, namesOf, valueSelection } from "../model/nodes.ts";
import { cellOf, memberOf } from "./cells.ts";

const formats = { CSV: "text/csv", NDJSON: "application/x-ndjson" } as const;
export type Format = keyof typeof formats;

export interface Export {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly fields: readonly Field[];
  readonly format: Format;
  readonly pages: AsyncIterable<readonly JsonObject[]>;
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

/** Undefined: it was ended before. */
export async function exportRows(of: Export): Promise<Blob | undefined> {
  const type = `${formats[of.format]};charset=utf-8`;
  let file = new Blob([of.format === "CSV" ? csvLines([of.fields.map(({ name }) => name)]) : ""], { type });
  let written = 0;
  for await (const rows of of.pages) {
    if (of.signal.aborted) return undefined;
    file = new Blob([file, linesOf(of, rows)], { type });
    written += rows.length;
    of.onProgress(written);
  }
  return of.signal.aborted ? undefined : file;
}

function linesOf({ model, type, fields, format }: Export, rows: readonly JsonObject[]): string {
  if (format === "CSV") return csvLines(rows.map((row) => fields.map((field) => cellOf(model, type, field, row[field.name]))));
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

/** Saves the file as a download. */
export function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
