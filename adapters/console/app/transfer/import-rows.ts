// Adds the records of a file as nodes, or checks whether they could be added. Each row that is wrong is reported; the others go on.

import { type Json, type JsonObject, objectsIn, textOf } from "../api/json.ts";
import { messageOf, RequestFailed, type ServerError } from "../api/server.ts";
import type { ApiModel, NodeType } from "../model/api-model.ts";
import type { Writing } from "../model/changes.ts";
import { filterOf, keyName, namesOf } from "../model/nodes.ts";
import { textInputs } from "../nodes/drafts.ts";
import { inputOfCell } from "./cells.ts";
import type { Format } from "./export-rows.ts";
import { unguarded } from "./formula-guard.ts";
import { type FileRecord, readRecords } from "./read-records.ts";

export interface Import {
  readonly writing: Writing;
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly file: Blob;
  readonly format: Format;
  /** The field for each name of the file; what has none is left out. */
  readonly mapping: ReadonlyMap<string, string>;
  /** What happens to nodes that are there already. */
  readonly existing: "refuse" | "update";
  /** An apostrophe before what a spreadsheet would run is no part of the text. */
  readonly isGuarded: boolean;
  readonly kind: "check" | "add";
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}

export interface RowProblem {
  readonly row: number;
  /** The field, where one is at fault. */
  readonly field: string;
  /** Of the catalogue of errors. */
  readonly code: string;
  readonly message: string;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly rows: number;
  /** Rows that were added, or could be. */
  readonly good: number;
  readonly bad: number;
  /** The first ones. */
  readonly problems: readonly RowProblem[];
}

/** In one transaction each. */
const batchRows = 100;
const mostProblems = 200;
/** A file with more of them is another file than was meant. */
const mostBad = 1_000;

interface InputRow {
  readonly row: number;
  readonly input: JsonObject;
}

type Outcome = readonly RowProblem[];

/** Ends when the file does, or with the signal; what was added stays. */
export async function importRows(of: Import): Promise<ImportProgress> {
  const seen = new Map<string, number>();
  let progress: ImportProgress = { bytes: 0, rows: 0, good: 0, bad: 0, problems: [] };
  const note = (rows: number, found: Outcome) => {
    const bad = new Set(found.map(({ row }) => row)).size;
    const problems = [...progress.problems, ...found].slice(0, mostProblems);
    progress = { ...progress, rows: progress.rows + rows, good: progress.good + rows - bad, bad: progress.bad + bad, problems };
    of.onProgress(progress);
  };
  const onRecords = async (records: readonly FileRecord[], bytes: number) => {
    for (let from = 0; from < records.length && !of.signal.aborted; from += batchRows) {
      const batch = records.slice(from, from + batchRows);
      const { rows, problems } = inputsOf(of, batch);
      const found = of.kind === "add" ? await addRows(of, rows) : await checkRows(of, rows, seen);
      note(batch.length, [...problems, ...found]);
      if (progress.bad >= mostBad) throw new Error(`Stopped: ${mostBad} rows are wrong.`);
    }
    progress = { ...progress, bytes };
    of.onProgress(progress);
  };
  await readRecords({ file: of.file, format: of.format, signal: of.signal, onRecords });
  return progress;
}

function inputsOf({ model, type, mapping, isGuarded }: Import, records: readonly FileRecord[]) {
  const inputs = new Map(textInputs(type).map((each) => [each.input.name, each]));
  const problems: RowProblem[] = [];
  const rows = records.flatMap(({ row, values, problem }): readonly InputRow[] => {
    const own: RowProblem[] = problem === "" ? [] : [{ row, field: "", code: "VALUE_INVALID", message: problem }];
    const input: Record<string, Json> = {};
    for (const [name, cell] of Object.entries(values)) {
      const target = inputs.get(mapping.get(name) ?? "");
      if (target === undefined) continue;
      try {
        const value = inputOfCell(model, type, target.field, isGuarded && typeof cell === "string" ? unguarded(cell) : cell);
        if (value !== undefined) input[target.input.name] = value;
      } catch (thrown) {
        own.push({ row, field: target.input.name, code: "VALUE_INVALID", message: messageOf(thrown) });
      }
    }
    problems.push(...own);
    return own.length === 0 ? [{ row, input }] : [];
  });
  return { rows, problems };
}

/** A row that the server refuses is taken out, and the others are sent again. Each time there is one row less. */
async function addRows(of: Import, rows: readonly InputRow[]): Promise<Outcome> {
  if (rows.length === 0 || of.signal.aborted) return [];
  const failure = await failureOf(of, rows, { runs: true });
  if (failure === undefined) return [];
  const found = problemsOf(failure, rows);
  if (found.length > 0) {
    const bad = new Set(found.map(({ row }) => row));
    return [
      ...found,
      ...(await addRows(
        of,
        rows.filter(({ row }) => !bad.has(row)),
      )),
    ];
  }
  const [only] = rows;
  if (rows.length === 1 && only) return failure.errors.map((error) => ({ row: only.row, field: "", code: error.code ?? "", message: error.message }));
  const middle = Math.ceil(rows.length / 2);
  return [...(await addRows(of, rows.slice(0, middle))), ...(await addRows(of, rows.slice(middle)))];
}

/** The server reads the values without adding them; keys are looked up. */
async function checkRows(of: Import, rows: readonly InputRow[], seen: Map<string, number>): Promise<Outcome> {
  if (rows.length === 0) return [];
  const failure = await failureOf(of, rows, { runs: false });
  const found = failure === undefined ? [] : problemsOf(failure, rows);
  if (failure !== undefined && found.length === 0) throw failure;
  return [...found, ...(of.existing === "refuse" ? await takenKeys(of, rows, seen) : [])];
}

/** Rejects where the server did not judge the rows. */
async function failureOf({ writing, type, existing }: Import, rows: readonly InputRow[], { runs }: { readonly runs: boolean }) {
  const upsert = existing === "update" ? ", upsert: true" : "";
  const query = `mutation Import($input: [Add${type.name}Input!]!, $runs: Boolean!) { ${type.add?.field ?? ""}(input: $input${upsert}) @include(if: $runs) { numUids } }`;
  try {
    await writing.server.data({ query, variables: { input: rows.map(({ input }) => input), runs }, as: writing.identity });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof RequestFailed && thrown.errors.every(({ code, isRetryable }) => code !== undefined && !isRetryable)) return thrown;
    throw thrown;
  }
}

function problemsOf({ errors }: RequestFailed, rows: readonly InputRow[]): Outcome {
  return errors.flatMap((error) => problemOf(error, rows));
}

/** `["input", "3", "name"]` is the name of the fourth row. */
function problemOf({ input: [, place = "", ...path], code, message }: ServerError, rows: readonly InputRow[]): readonly RowProblem[] {
  const row = /^\d+$/.test(place) ? rows[Number(place)]?.row : undefined;
  return row === undefined ? [] : [{ row, field: path.join("."), code: code ?? "", message }];
}

async function takenKeys({ writing, type }: Import, rows: readonly InputRow[], seen: Map<string, number>): Promise<Outcome> {
  const found: RowProblem[] = [];
  for (const key of type.keys.filter(({ kind }) => kind !== "id")) {
    const named = rows.flatMap(({ row, input }) => {
      const value = input[key.name];
      return value === undefined || value === null ? [] : [{ row, key: { field: key.name, value } }];
    });
    if (named.length === 0) continue;
    const query = `query Keys($filter: ${type.filter?.name ?? ""}) { rows: ${type.query}(filter: $filter) { ${namesOf(type).join(" ")} } }`;
    const data = await writing.server.data({
      query,
      variables: {
        filter: filterOf(
          type,
          named.map((each) => each.key),
        ),
      },
      as: writing.identity,
    });
    const taken = new Set(objectsIn(data.rows).map((row) => keyName({ field: key.name, value: row[key.name] ?? null })));
    for (const { row, key: own } of named) {
      const name = keyName(own);
      const before = seen.get(name);
      if (taken.has(name))
        found.push({ row, field: key.name, code: "KEY_TAKEN", message: `Another ${type.name} has ${key.name} ${textOf(own.value)} already.` });
      else if (before !== undefined)
        found.push({ row, field: key.name, code: "KEY_TAKEN", message: `Row ${before} has ${key.name} ${textOf(own.value)} too.` });
      else seen.set(name, row);
    }
  }
  return found;
}
