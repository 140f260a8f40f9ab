// What a load keeps outside the heap: texts with numbers, and links as numbers.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LinkRows } from "../../../adapters/transfer/bulk/link-rows.ts";
import { TextTable } from "../../../adapters/transfer/bulk/text-table.ts";
import fc, { examples } from "../../support/properties.ts";

it("gives each text a number, the same one each time, and the text for the number", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.constantFrom("\ud800", "\udfff", "\ufffd", "é", "e\u0301"),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 300 }), (texts) => {
      const table = new TextTable();
      const expected = new Map<string, number>();
      for (const each of texts) {
        if (!expected.has(each)) expected.set(each, expected.size);
        expect(table.numberOf(each)).toBe(expected.get(each));
      }
      expect(table.size).toBe(expected.size);
      for (const [each, number] of expected) expect(table.textOf(number)).toBe(each);
    }),
    { numRuns: examples(200) },
  );
});

it("keeps many texts apart, short and longer than a block, in less memory than a map", () => {
  const table = new TextTable();
  const long = "x".repeat(3_000_000);
  for (let i = 0; i < 100_000; i++) expect(table.numberOf(`key-${i}`)).toBe(i);
  expect(table.numberOf(long)).toBe(100_000);
  expect(table.numberOf(`${long}y`)).toBe(100_001);
  expect(table.numberOf("after")).toBe(100_002);
  for (let i = 0; i < 100_000; i += 997) expect(table.textOf(table.numberOf(`key-${i}`))).toBe(`key-${i}`);
  expect(table.numberOf(long)).toBe(100_000);
  expect(table.textOf(100_001)).toBe(`${long}y`);
  expect(table.textOf(100_002)).toBe("after");
  expect(table.bytes).toBeLessThan(12_000_000);
});

it("gives links back in their order, from memory and from a file that has no name", () => {
  const folder = mkdtempSync(join(tmpdir(), "quern-links-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const rows = new LinkRows({ folder, heldBlocks: 1 });
  const count = 200_000;
  for (let i = 0; i < count; i++) {
    rows.push(i % 3, i, i * 2);
    if (i % 1_000 !== 999) continue;
    // A batch that is refused.
    const settled = rows.count;
    for (let j = 0; j < i % 40_000; j += 1_000) rows.push(9, 9, 9);
    rows.truncate(settled);
    rows.settle();
  }
  expect(readdirSync(folder)).toEqual([]);
  for (let i = 0; i < count; i++) {
    const { link, from, to } = rows.row(i);
    if (link !== i % 3 || from !== i || to !== i * 2) expect.fail(`row ${i} is ${link} ${from} ${to}`);
  }
  rows.close();
});
