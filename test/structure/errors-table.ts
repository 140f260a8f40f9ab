// The table of docs/errors.md, from the catalogue. `npx tsx test/structure/errors-table.ts` writes it into the page.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CatalogueEntry, errorCatalogue } from "../../core/index.ts";

export const errorsPage = join(import.meta.dirname, "../../docs/errors.md");

const head = ["| code | meaning | send it again? | status | what to do |", "|---|---|---|---|---|"];

export function errorsTable(): string {
  const lines = Object.entries<CatalogueEntry>(errorCatalogue).map(
    ([code, { meaning, action, retryable, status }]) => `| \`${code}\` | ${meaning} | ${retryable ? "yes" : "no"} | ${status ?? ""} | ${action} |`,
  );
  return [...head, ...lines].join("\n");
}

/** The table as the page has it. */
export function writtenTable(page: string): string {
  const begin = page.indexOf(head[0] ?? "");
  const end = page.indexOf("\n\n", begin);
  return page.slice(begin, end < 0 ? page.length : end).trimEnd();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(errorsPage, "utf8");
  writeFileSync(
    errorsPage,
    page.replace(writtenTable(page), () => errorsTable()),
  );
}
