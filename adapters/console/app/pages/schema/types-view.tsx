// The types of the text in the editor, which one changes by clicking: each change is an edit of the same text.

import { useState } from "preact/hooks";
import { withoutField } from "../../model/type-edits.ts";
import { type WrittenType, writtenTypes } from "../../model/written-types.ts";
import { Empty, plural } from "../../parts/pieces.tsx";
import { AccessDialog } from "./access-dialog.tsx";
import { FieldDialog } from "./field-dialog.tsx";
import { TypeDialog } from "./type-dialog.tsx";

export interface TypesViewProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

type Opened = { readonly kind: "type" } | { readonly kind: "field" | "access"; readonly type: WrittenType };

export function TypesView({ text, onText }: TypesViewProps) {
  const [opened, open] = useState<Opened>();
  const types = writtenTypes(text);
  const close = () => open(undefined);
  if (types === undefined) return <Empty title="The text has an error">Mend it in the editor first.</Empty>;
  return (
    <section class="written-types" aria-label="Types">
      <button type="button" onClick={() => open({ kind: "type" })}>
        + Type
      </button>
      {types.map((type) => (
        <section class="card" key={type.name} aria-label={type.name}>
          <header>
            <h2>
              {type.name}{" "}
              <small>
                {type.isInterface ? "interface, " : ""}
                {plural(type.fields.length, "field")}
              </small>
            </h2>
            <button type="button" class="plain" aria-label={`Add a field to ${type.name}`} onClick={() => open({ kind: "field", type })}>
              + Field
            </button>
            {!type.hasAuth && (
              <button type="button" class="plain" aria-label={`Access to ${type.name}`} onClick={() => open({ kind: "access", type })}>
                Access…
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
        </section>
      ))}
      {opened?.kind === "type" && <TypeDialog text={text} types={types} onText={onText} onClose={close} />}
      {opened?.kind === "field" && <FieldDialog text={text} type={opened.type} types={types} onText={onText} onClose={close} />}
      {opened?.kind === "access" && <AccessDialog text={text} type={opened.type} onText={onText} onClose={close} />}
    </section>
  );
}
