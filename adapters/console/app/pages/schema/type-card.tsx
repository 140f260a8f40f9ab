// One type of the schema text: its fields, and what can be added to it and removed from it.

import { useState } from "preact/hooks";
import { withoutField } from "../../model/type-edits.ts";
import type { WrittenType } from "../../model/written-types.ts";
import { plural } from "../../parts/pieces.tsx";
import { AccessDialog } from "./access-dialog.tsx";
import { FieldDialog } from "./field-dialog.tsx";

export interface TypeCardProps {
  readonly type: WrittenType;
  readonly types: readonly WrittenType[];
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Where the card can be closed. */
  readonly onClose?: () => void;
}

export function TypeCard({ type, types, text, onText, onClose }: TypeCardProps) {
  const [opened, open] = useState<"field" | "access">();
  const close = () => open(undefined);
  return (
    <section class="card" aria-label={type.name}>
      <header>
        <h2>
          {type.name}{" "}
          <small>
            {type.isInterface ? "interface, " : ""}
            {plural(type.fields.length, "field")}
          </small>
        </h2>
        <button type="button" class="plain" aria-label={`Add a field to ${type.name}`} onClick={() => open("field")}>
          + Field
        </button>
        {!type.hasAuth && (
          <button type="button" class="plain" aria-label={`Access to ${type.name}`} onClick={() => open("access")}>
            Access…
          </button>
        )}
        {onClose && (
          <button type="button" class="plain" aria-label={`Close ${type.name}`} onClick={onClose}>
            ✕
          </button>
        )}
      </header>
      <ul>
        {type.fields.map(({ name, typeText, directives }) => (
          <li key={name}>
            <b>{name}</b>
            <code>
              {typeText} {directives}
            </code>
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${type.name}.${name}`}
              title="Its data are hidden, not deleted"
              onClick={() => onText(withoutField(text, type.name, name))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      {opened === "field" && <FieldDialog text={text} type={type} types={types} onText={onText} onClose={close} />}
      {opened === "access" && <AccessDialog text={text} type={type} onText={onText} onClose={close} />}
    </section>
  );
}
