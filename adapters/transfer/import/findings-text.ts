// The report of an import: JSON for a file, a table for a terminal.

import { type Finding, findingKinds } from "../source/findings.ts";
import type { Analysis } from "./analyse.ts";

/** The report as a table: for each kind its meaning, then the names with their counts and first samples. */
export function findingsTable({ findings }: Analysis): string {
  const kinds = [...new Set(findings.map(({ kind }) => kind))];
  return kinds
    .map((kind) => {
      const own = findings.filter((each) => each.kind === kind);
      const count = own.reduce((sum, each) => sum + each.count, 0);
      return [`${count.toLocaleString("en")} ${findingKinds[kind].text}:`, ...own.slice(0, maxNames).map(rowOf), ...more(own.length - maxNames)].join(
        "\n",
      );
    })
    .join("\n");
}

const maxNames = 30;
const maxShown = 3;

function rowOf({ name, count, samples }: Finding): string {
  const shown = samples.slice(0, maxShown).map(({ uid, value }) => [uid, value === "" ? undefined : JSON.stringify(value)].filter(Boolean).join(" "));
  return `  ${count.toLocaleString("en").padStart(9)}  ${name}  ${shown.join(", ")}${count > maxShown ? ", …" : ""}`.trimEnd();
}

function more(count: number): readonly string[] {
  return count > 0 ? [`             and ${count} more names`] : [];
}
