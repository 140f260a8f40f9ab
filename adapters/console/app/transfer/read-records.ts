// Reads a CSV or NDJSON file piece by piece: the next piece waits until the last one was used.

import Papa from "papaparse";
import { isObject, type Json, type JsonObject, parseJson } from "../api/json.ts";
import { messageOf } from "../api/server.ts";
import type { Format } from "./export-rows.ts";

export interface FileRecord {
  /** The first is 1; the line of names does not count. */
  readonly row: number;
  readonly values: Readonly<Record<string, Json>>;
  /** Empty: the row can be read. */
  readonly problem: string;
}

export interface Reading {
  readonly file: Blob;
  readonly format: Format;
  readonly signal: AbortSignal;
  /** @param bytes how many are read, roughly */
  readonly onRecords: (records: readonly FileRecord[], bytes: number) => Promise<void>;
}

const pieceBytes = 256 * 1_024;
/** A longer line is no record. */
const maxLineLength = 16 * 1_024 * 1_024;

export function formatOf(name: string): Format {
  return /\.(nd|l)?json(l|s)?$|\.ndjson$/i.test(name) ? "NDJSON" : "CSV";
}

export async function readRecords(of: Reading): Promise<void> {
  await (of.format === "CSV" ? readCsv(of) : readLines(of));
}

function readCsv({ file, signal, onRecords }: Reading): Promise<void> {
  let row = 0;
  return new Promise((resolve, reject) => {
    Papa.parse<Readonly<Record<string, string>> & { readonly __parsed_extra?: readonly string[] }>(asFile(file), {
      header: true,
      skipEmptyLines: "greedy",
      chunkSize: pieceBytes,
      chunk: ({ data, errors, meta }, parser) => {
        parser.pause();
        const broken = new Map(
          errors.flatMap((error) => (error.type === "Quotes" && error.row !== undefined ? [[error.row, error.message] as const] : [])),
        );
        const records = data.map(({ __parsed_extra: extra, ...values }, place) => ({
          row: ++row,
          values,
          problem: broken.get(place) ?? (extra ? `The row has ${extra.length} cells more than the first line has names.` : ""),
        }));
        onRecords(records, meta.cursor).then(
          () => (signal.aborted ? parser.abort() : parser.resume()),
          (thrown: unknown) => {
            reject(thrown);
            parser.abort();
          },
        );
      },
      complete: () => resolve(),
      error: reject,
    });
  });
}

/** Papa reads files; what is dropped here has a name already. */
function asFile(file: Blob): File {
  return file instanceof File ? file : new File([file], "data.csv");
}

async function readLines({ file, signal, onRecords }: Reading): Promise<void> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let unread = "";
  let row = 0;
  let bytes = 0;
  while (!signal.aborted) {
    const { value = "", done } = await reader.read();
    bytes += value.length;
    const lines = (unread + value).split("\n");
    unread = done ? "" : (lines.pop() ?? "");
    if (unread.length > maxLineLength) throw new Error(`Row ${row + lines.length + 1} is longer than a record can be.`);
    const records = lines.filter((line) => line.trim() !== "").map((line) => recordOf(++row, line));
    if (records.length > 0) await onRecords(records, bytes);
    if (done) return;
  }
  await reader.cancel();
}

function recordOf(row: number, line: string): FileRecord {
  try {
    const value = parseJson(line);
    if (!isObject(value)) throw new Error("Expected a JSON object.");
    return { row, values: withoutUndefined(value), problem: "" };
  } catch (thrown) {
    return { row, values: {}, problem: messageOf(thrown) };
  }
}

function withoutUndefined(value: JsonObject): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member ?? null]));
}
