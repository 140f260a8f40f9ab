// Which columns the table shows.

import { useRef, useState } from "preact/hooks";
import type { Field, NodeType } from "../../model/api-model.ts";
import { plural } from "../../parts/pieces.tsx";

export interface ColumnsMenuProps {
  readonly type: NodeType;
  readonly columns: readonly Field[];
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

export function ColumnsMenu({ type, columns, onHide }: ColumnsMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const shown = new Set(columns.map(({ name }) => name));
  const hidden = type.fields.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
  const toggle = (name: string) => onHide(new Set(shown.has(name) ? [...hidden, name] : hidden.filter((each) => each !== name)));
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={menu}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onFocusOut={({ currentTarget, relatedTarget }) => relatedTarget instanceof Node && !currentTarget.contains(relatedTarget) && close()}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
        menu.current?.querySelector("summary")?.focus();
      }}
    >
      <summary>{hidden.length === 0 ? "Columns" : `${plural(hidden.length, "column")} hidden`}</summary>
      {isOpen && (
        <ul>
          {type.fields.map(({ name }) => (
            <li key={name}>
              <label>
                <input type="checkbox" checked={shown.has(name)} disabled={shown.has(name) && shown.size === 1} onChange={() => toggle(name)} />
                {name}
              </label>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
