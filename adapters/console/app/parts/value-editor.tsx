// An input for one value of a field, as text.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Field } from "../model/api-model.ts";
import { isNumeric, pickedPoint, pickedTime, placeholderOf, zonedTime } from "../model/values.ts";
import { MapPart } from "./map-part.tsx";

export interface ValueEditorProps {
  readonly field: Pick<Field, "name" | "kind" | "named" | "isList" | "values">;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly label: string;
  readonly focused?: boolean;
  /** Long texts get several lines. */
  readonly lines?: "one" | "several";
  readonly id?: string;
}

export function ValueEditor({ field, text, onText, label, focused = false, lines = "one", id }: ValueEditorProps) {
  const input = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null);
  const list = useId();
  // Before the next key: what is typed at once after F2 belongs into the input.
  useLayoutEffect(() => {
    if (!focused) return;
    input.current?.focus();
    input.current?.select?.();
  }, [focused]);
  const common = { ref: input, value: text, "aria-label": label, ...(id !== undefined && { id }) };
  const choices = field.named === "Boolean" ? ["true", "false"] : field.values;
  if (choices.length > 0 && !field.isList) {
    return (
      <select {...common} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">—</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  const isLong =
    lines === "several" && (field.isList || field.kind === "geo" || field.named === "String") && (text.length > 60 || text.includes("\n"));
  if (isLong)
    return <textarea {...common} dir="auto" rows={Math.min(10, 2 + text.length / 60)} onInput={(event) => onText(event.currentTarget.value)} />;
  return (
    <>
      <input
        {...common}
        dir="auto"
        type="text"
        inputMode={isNumeric(field) ? "numeric" : "text"}
        placeholder={placeholderOf(field)}
        list={choices.length > 0 ? list : undefined}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {lines === "several" && field.named === "DateTime" && !field.isList && <DatePicker label={label} text={text} onText={onText} />}
      {lines === "several" && field.named === "Point" && !field.isList && <PointPicker label={label} text={text} onText={onText} />}
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** The browser's own picker, beside the text, which may have any zone and more digits. */
function DatePicker({ label, text, onText }: Pick<ValueEditorProps, "label" | "text" | "onText">) {
  return (
    <span class="date-picker">
      <input
        type="datetime-local"
        step="1"
        aria-label={`Pick ${label}`}
        value={pickedTime(text)}
        onChange={({ currentTarget }) => onText(currentTarget.value === "" ? "" : zonedTime(currentTarget.value))}
      />
      <small>{Intl.DateTimeFormat().resolvedOptions().timeZone}</small>
    </span>
  );
}

/** A map for those who do not know the numbers. */
function PointPicker({ label, text, onText }: Pick<ValueEditorProps, "label" | "text" | "onText">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="plain" aria-expanded={isOpen} aria-label={`Map of ${label}`} onClick={() => setOpen(!isOpen)}>
        Map
      </button>
      {isOpen && <MapPart value={pickedPoint(text)} label={label} onPick={onText} />}
    </>
  );
}
