// Files in and out of the table.

import type { NodeType } from "../../model/api-model.ts";
import { Menu } from "../../parts/menu.tsx";

export type Transfer = "import" | "export";

export interface FileMenuProps {
  readonly type: NodeType;
  readonly onChoose: (transfer: Transfer) => void;
}

export function FileMenu({ type, onChoose }: FileMenuProps) {
  const choices: readonly (readonly [Transfer, string])[] = [["export", "Export…"], ...(type.add ? ([["import", "Import…"]] as const) : [])];
  return (
    <Menu title="File">
      {(close) =>
        choices.map(([transfer, title]) => (
          <li key={transfer}>
            <button
              type="button"
              class="plain"
              onClick={() => {
                close();
                onChoose(transfer);
              }}
            >
              {title}
            </button>
          </li>
        ))
      }
    </Menu>
  );
}
