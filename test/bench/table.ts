// Prints rows of text under headings, numbers to the right.

export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ");
  console.log(line(headings));
  for (const row of rows) console.log(line(row));
  console.log();
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** The same for a document. */
export function printMarkdown(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log([line(headings), line(headings.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n"));
  console.log();
}
