// Adds the rows of a file: which field each column is, a check of all rows before anything is written, then the import.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiModel, NodeType } from "../model/api-model.ts";
import { textInputs } from "../nodes/drafts.ts";
import { useConsole } from "../parts/console-context.ts";
import { Dialog, number, plural } from "../parts/pieces.tsx";
import { useAction } from "../parts/use-submit.ts";
import type { Format } from "./export-rows.ts";
import { type Import, type ImportProgress, importRows } from "./import-rows.ts";
import { ProblemTable } from "./problem-table.tsx";
import { type FileRecord, formatOf, readRecords } from "./read-records.ts";

export interface ImportDialogProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly onClose: () => void;
  /** Something was added. */
  readonly onAdded: () => void;
}

interface Chosen {
  readonly file: File;
  readonly format: Format;
  readonly columns: readonly string[];
  /** What the first row has in each. */
  readonly sample: FileRecord["values"];
}

interface Run {
  readonly kind: Import["kind"];
  readonly progress: ImportProgress | undefined;
  readonly hasEnded: boolean;
}

export function ImportDialog({ model, type, onClose, onAdded }: ImportDialogProps) {
  const { server, identity } = useConsole();
  const [chosen, choose] = useState<Chosen>();
  const [mapping, map] = useState<ReadonlyMap<string, string>>(new Map());
  const [existing, setExisting] = useState<Import["existing"]>("refuse");
  const [isUnguarding, setUnguarding] = useState(false);
  const [last, setLast] = useState<Run>();
  const { run, isBusy, problem } = useAction();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const open = (file: File | undefined) =>
    run(async () => {
      setLast(undefined);
      choose(undefined);
      if (file === undefined) return;
      const opened = await firstRecord(file);
      choose(opened);
      map(guessed(type, opened.columns));
    });
  const start = (kind: Import["kind"]) =>
    run(async () => {
      if (chosen === undefined) return;
      control.current = new AbortController();
      const { signal } = control.current;
      setLast({ kind, progress: undefined, hasEnded: false });
      const onProgress = (progress: ImportProgress) => setLast({ kind, progress, hasEnded: false });
      try {
        await importRows({
          writing: { server, identity },
          model,
          type,
          ...chosen,
          mapping,
          existing,
          isGuarded: isUnguarding && chosen.format === "CSV",
          kind,
          signal,
          onProgress,
        });
      } finally {
        setLast((before) => before && { ...before, hasEnded: true });
        if (kind === "add") onAdded();
      }
    });
  return (
    <Dialog title={`Import ${type.name}`} onClose={onClose}>
      <form
        class="form import"
        onSubmit={(event) => {
          event.preventDefault();
          start("check");
        }}
      >
        <div class="form-field">
          <label htmlFor="import-file">
            File <small>CSV or NDJSON</small>
          </label>
          <input
            id="import-file"
            type="file"
            accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json"
            disabled={isBusy}
            onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
          />
        </div>
        {chosen && <Mapping type={type} chosen={chosen} mapping={mapping} onMap={map} />}
        {chosen && hasUpsert(model, type) && (
          <div class="form-field">
            <label htmlFor="import-existing">Nodes that are there already</label>
            <select
              id="import-existing"
              value={existing}
              onChange={({ currentTarget }) => setExisting(currentTarget.value === "update" ? "update" : "refuse")}
            >
              <option value="refuse">are errors</option>
              <option value="update">get the values of the file</option>
            </select>
          </div>
        )}
        {chosen?.format === "CSV" && (
          <label class="check-field">
            <input type="checkbox" checked={isUnguarding} onChange={() => setUnguarding(!isUnguarding)} />
            <span>
              Safe for spreadsheets <small>the file was exported so: an apostrophe before a formula is no part of the text</small>
            </span>
          </label>
        )}
        {last && <Outcome run={last} size={chosen?.file.size ?? 0} />}
        {problem !== "" && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          {isBusy && last ? (
            <button type="button" onClick={() => control.current?.abort()}>
              Stop
            </button>
          ) : (
            <>
              <button type="submit" disabled={chosen === undefined || isBusy}>
                Check all rows
              </button>
              <button type="button" class="primary" disabled={chosen === undefined || isBusy} onClick={() => start("add")}>
                Import
              </button>
            </>
          )}
          <button type="button" class="plain" onClick={onClose}>
            Close
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface MappingProps {
  readonly type: NodeType;
  readonly chosen: Chosen;
  readonly mapping: ReadonlyMap<string, string>;
  readonly onMap: (mapping: ReadonlyMap<string, string>) => void;
}

function Mapping({ type, chosen: { columns, sample }, mapping, onMap }: MappingProps) {
  return (
    <table class="mapping">
      <thead>
        <tr>
          <th>Column</th>
          <th>First row</th>
          <th>Field</th>
        </tr>
      </thead>
      <tbody>
        {columns.map((column) => (
          <tr key={column}>
            <th scope="row">{column}</th>
            <td dir="auto">{String(typeof sample[column] === "object" ? JSON.stringify(sample[column]) : (sample[column] ?? ""))}</td>
            <td>
              <select
                aria-label={`Field of ${column}`}
                value={mapping.get(column) ?? ""}
                onChange={({ currentTarget }) => onMap(new Map([...mapping, [column, currentTarget.value]]))}
              >
                <option value="">left out</option>
                {textInputs(type).map(({ input }) => (
                  <option key={input.name}>{input.name}</option>
                ))}
              </select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Outcome({ run: { kind, progress, hasEnded }, size }: { readonly run: Run; readonly size: number }) {
  const { rows = 0, good = 0, bad = 0, bytes = 0, problems = [] } = progress ?? {};
  const verb = kind === "add" ? "added" : "can be added";
  return (
    <>
      <p role="status">
        {hasEnded ? "" : `${number(rows)} rows read: `}
        {plural(good, "row")} {hasEnded ? verb : ""} {bad > 0 && `· ${plural(bad, "row")} wrong`}
      </p>
      {!hasEnded && <progress value={bytes} max={Math.max(1, size)} aria-label="Read of the file" />}
      {problems.length > 0 && <ProblemTable problems={problems} bad={bad} />}
    </>
  );
}

/** The names of the columns, and what the first row has. */
async function firstRecord(file: File): Promise<Chosen> {
  const format = formatOf(file.name);
  const control = new AbortController();
  const records: FileRecord[] = [];
  await readRecords({
    file: file.slice(0, 1_048_576),
    format,
    signal: control.signal,
    onRecords: async (read) => {
      records.push(...read.slice(0, 100));
      control.abort();
    },
  });
  const readable = records.filter(({ problem }) => problem === "");
  const [first] = readable;
  if (first === undefined) throw new Error(records[0]?.problem || "The file has no rows.");
  return { file, format, columns: [...new Set(readable.flatMap(({ values }) => Object.keys(values)))], sample: first.values };
}

/** Fields of the same name, whatever their case. */
function guessed(type: NodeType, columns: readonly string[]): ReadonlyMap<string, string> {
  const folded = new Map(textInputs(type).map(({ input }) => [fold(input.name), input.name]));
  return new Map(columns.map((column) => [column, folded.get(fold(column)) ?? ""]));
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}

function hasUpsert(model: ApiModel, type: NodeType): boolean {
  const add = model.schema.getMutationType()?.getFields()[type.add?.field ?? ""];
  return add?.args.some(({ name }) => name === "upsert") ?? false;
}
