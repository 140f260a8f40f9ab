// Saves the nodes of a view, or those that are chosen, as a file.

import { useEffect, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { Dialog, FormEnd, number, plural } from "../parts/pieces.tsx";
import { useSubmit } from "../parts/use-submit.ts";
import { exportRows, exportSelection, type Format, mediaTypes } from "./export-rows.ts";
import { sinkFor } from "./sinks.ts";

export interface ExportDialogProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  /** The columns of the table. */
  readonly fields: readonly Field[];
  /** Undefined: not known. */
  readonly total: number | undefined;
  /** How many are chosen. */
  readonly chosen: number;
  readonly pages: (which: Which, selection: string) => AsyncIterable<readonly JsonObject[]>;
  readonly onClose: () => void;
}

export type Which = "all" | "chosen";

export function ExportDialog({ model, type, fields, total, chosen, pages, onClose }: ExportDialogProps) {
  const [which, choose] = useState<Which>(chosen > 0 ? "chosen" : "all");
  const [format, setFormat] = useState<Format>("CSV");
  const [written, setWritten] = useState(0);
  const [isGuarded, setGuarded] = useState(false);
  const expected = which === "chosen" ? chosen : total;
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const { submit, isBusy, problem } = useSubmit(async () => {
    control.current = new AbortController();
    setWritten(0);
    const { signal } = control.current;
    const sink = await sinkFor(`${type.name}.${format.toLowerCase()}`, `${mediaTypes[format]};charset=utf-8`, expected);
    if (sink === undefined) return;
    const isWhole = await exportRows({
      model,
      type,
      fields,
      format,
      pages: pages(which, exportSelection(model, type, fields)),
      sink,
      isGuarded,
      signal,
      onProgress: setWritten,
    });
    if (isWhole) onClose();
  });
  return (
    <Dialog title={`Export ${type.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="form-field">
          <label htmlFor="export-which">Nodes</label>
          <select id="export-which" value={which} onChange={({ currentTarget }) => choose(currentTarget.value === "chosen" ? "chosen" : "all")}>
            <option value="all">All of this view{total === undefined ? "" : `: ${number(total)}`}</option>
            {chosen > 0 && <option value="chosen">{`The chosen ones: ${number(chosen)}`}</option>}
          </select>
        </div>
        <div class="form-field">
          <label htmlFor="export-format">Format</label>
          <select id="export-format" value={format} onChange={({ currentTarget }) => setFormat(currentTarget.value === "NDJSON" ? "NDJSON" : "CSV")}>
            <option value="CSV">CSV, for spreadsheets</option>
            <option value="NDJSON">NDJSON, for quern import</option>
          </select>
        </div>
        {format === "CSV" && (
          <label class="check-field">
            <input type="checkbox" checked={isGuarded} onChange={() => setGuarded(!isGuarded)} />
            <span>
              Safe for spreadsheets <small>an apostrophe before texts that one would run as a formula; the import takes it away again</small>
            </span>
          </label>
        )}
        <p class="hint">
          The file has the columns of the table. Dates stay as they are stored, lists are JSON, links are keys of nodes.
          {format === "CSV" && " An empty cell is no value: an empty text cannot be told from it."}
        </p>
        {isBusy && (
          <p class="hint" role="status">
            <progress {...(expected !== undefined && { value: written, max: expected })} aria-label="Nodes written" /> {plural(written, "node")}{" "}
            written
          </p>
        )}
        <FormEnd problem={problem} submit="Export" submitClass="primary" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
