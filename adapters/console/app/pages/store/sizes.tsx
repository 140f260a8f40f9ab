// The parts of the store by size: nodes, indexes, keys, links.

import { useState } from "preact/hooks";
import { type JsonObject, textOf } from "../../api/json.ts";
import { bytesText } from "../../parts/figures.tsx";
import { plural } from "../../parts/pieces.tsx";

/** The largest ones are shown at first. */
const shownAtFirst = 15;

const kinds: Readonly<Record<string, string>> = { nodes: "nodes", index: "index", key: "unique key", edge: "links" };

export function Sizes({ of }: { readonly of: readonly JsonObject[] }) {
  const [all, setAll] = useState(false);
  if (of.length === 0) return null;
  const parts = [...of].sort((one, other) => Number(other.bytes) - Number(one.bytes));
  const total = parts.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  return (
    <section class="card" aria-label="Sizes">
      <h2>What takes the room</h2>
      <table class="sizes">
        <tbody>
          {parts.slice(0, all ? parts.length : shownAtFirst).map(({ kind, name, bytes }, place) => (
            <tr key={`${textOf(kind)} ${textOf(name)} ${place}`}>
              <th scope="row">
                {textOf(name) || "all nodes"} <small>{kinds[textOf(kind)] ?? textOf(kind)}</small>
                <span class="share" style={{ width: `${total === 0 ? 0 : (100 * Number(bytes)) / total}%` }} />
              </th>
              <td>{bytesText(Number(bytes))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {parts.length > shownAtFirst && (
        <button type="button" class="plain" onClick={() => setAll(!all)}>
          {all ? "Show the largest" : `Show all ${plural(parts.length, "part")}`}
        </button>
      )}
      <p class="hint">As the store estimates them. What was written last may be missing.</p>
    </section>
  );
}
