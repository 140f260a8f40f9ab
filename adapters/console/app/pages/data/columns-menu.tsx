// Which columns the table shows.

import type { Field, NodeType } from "../../model/api-model.ts";
import { Menu } from "../../parts/menu.tsx";
import { plural } from "../../parts/pieces.tsx";

export interface ColumnsMenuProps {
  readonly type: NodeType;
  readonly columns: readonly Field[];
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

export function ColumnsMenu({ type, columns, onHide }: ColumnsMenuProps) {
  const shown = new Set(columns.map(({ name }) => name));
  const hidden = type.fields.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
  const toggle = (name: string) => onHide(new Set(shown.has(name) ? [...hidden, name] : hidden.filter((each) => each !== name)));
  return (
    <Menu title={hidden.length === 0 ? "Columns" : `${plural(hidden.length, "column")} hidden`}>
      {() =>
        type.fields.map(({ name }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={shown.has(name)} disabled={shown.has(name) && shown.size === 1} onChange={() => toggle(name)} />
              {name}
            </label>
          </li>
        ))
      }
    </Menu>
  );
}
