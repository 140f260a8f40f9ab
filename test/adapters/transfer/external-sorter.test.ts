import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ExternalSorter } from "../../../adapters/transfer/sort/external-sorter.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quern-sort-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function sorted(lines: readonly string[], maxRunLength: number): Promise<readonly string[]> {
  const sorter = new ExternalSorter({ folder, name: "x", maxRunLength });
  for (const line of lines) await sorter.add(line);
  const found: string[] = [];
  for await (const line of sorter.lines()) found.push(line);
  return found;
}

describe("an external sorter", () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => `${String((i * 7_919) % 2_003).padStart(5, "0")} ü漢🙂${"x".repeat(i % 50)}`);
  const wanted = [...lines].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

  it.each([
    ["in memory", 1 << 20],
    ["in a few runs", 20_000],
    ["in more runs than it reads at a time", 200],
    ["with a run for each line", 1],
  ])("sorts %s, and leaves no file", async (_how, maxRunLength) => {
    expect(await sorted(lines, maxRunLength)).toEqual(wanted);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("gives nothing for nothing, and keeps equal lines", async () => {
    expect(await sorted([], 10)).toEqual([]);
    expect(await sorted(["b", "a", "b", "", "a"], 1)).toEqual(["", "a", "a", "b", "b"]);
  });
});
