// What is wrong with rows of a file.

import { number } from "../parts/pieces.tsx";
import type { RowProblem } from "./import-rows.ts";

export function ProblemTable({ problems, bad }: { readonly problems: readonly RowProblem[]; readonly bad: number }) {
  const shown = new Set(problems.map(({ row }) => row)).size;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="row-problems" tabIndex={0} aria-label="Wrong rows">
      <table>
        <thead>
          <tr>
            <th>Row</th>
            <th>Field</th>
            <th>Reason</th>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ row, field, code, message }, place) => (
            <tr key={`${place} ${row}`}>
              <td>{number(row)}</td>
              <td>{field}</td>
              <td>
                {message} <code>{code}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {bad > shown && <p class="hint">{number(bad - shown)} more rows are wrong.</p>}
    </section>
  );
}
