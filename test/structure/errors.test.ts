import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { errorsPage, errorsTable, writtenTable } from "./errors-table.ts";

it("docs/errors.md lists the codes of the catalogue, and no others (npx tsx test/structure/errors-table.ts)", () => {
  expect(writtenTable(readFileSync(errorsPage, "utf8"))).toBe(errorsTable());
});
