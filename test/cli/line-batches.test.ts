// Files of lines are read in batches, plain or gzip; a place in a file is known by what lies before it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { type LineBatch, lastMatch, lineBatches, type Position } from "../../adapters/cli/import/line-batches.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-lines-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.ndjson`);
  writeFileSync(path, content);
  return path;
}

async function batchesOf(path: string, from?: Position): Promise<readonly LineBatch[]> {
  const batches: LineBatch[] = [];
  for await (const batch of lineBatches(path, from)) batches.push(batch);
  return batches;
}
const texts = (batches: readonly LineBatch[]) => batches.flatMap((batch) => batch.lines.map(({ number, text }) => `${number}:${text.trim()}`));

describe("lines", () => {
  it.each([
    ["a\nb\n", ["1:a", "2:b"]],
    ["a\nb", ["1:a", "2:b"]],
    ["a\r\n\r\nb\r\n", ["1:a", "2:", "3:b"]],
    ["", []],
    ["\n", ["1:"]],
    ["ä\n𝒳", ["1:ä", "2:𝒳"]],
  ])("of %j are the same plain and packed", async (content, lines) => {
    expect(texts(await batchesOf(file(content)))).toEqual(lines);
    expect(texts(await batchesOf(file(gzipSync(content))))).toEqual(lines);
  });

  it("are read in batches of 1,000, also across the chunks of the file", async () => {
    const content = Array.from({ length: 2_500 }, (_, index) => `${index}-${"x".repeat(index)}`);
    const batches = await batchesOf(file(content.join("\n")));
    expect(batches.map((batch) => batch.lines.length)).toEqual([1_000, 1_000, 500]);
    expect(batches.flatMap((batch) => batch.lines.map((line) => line.text.trim()))).toEqual(content);
  });

  it("of a truncated gzip file are an error that names the file", async () => {
    const path = file(gzipSync("a\n".repeat(10_000)).subarray(0, 20));
    await expect(batchesOf(path)).rejects.toThrow(`The file ${path} cannot be read (unexpected end of file).`);
  });

  it("of a missing file are an error that names the file and the next step", async () => {
    await expect(batchesOf(join(folder, "none"))).rejects.toThrow(/^The file .*none does not exist; check the path\.$/);
  });
});

describe("a position", () => {
  it("is where the next read starts", async () => {
    const path = file("a\nb\nc\n");
    const [batch] = await batchesOf(path);
    expect(texts(await batchesOf(path, batch?.after(2)))).toEqual(["3:c"]);
    expect(await batchesOf(path, batch?.after(3))).toEqual([]);
  });

  it("is where the next read starts, also amid a later batch of a file of several chunks", async () => {
    const path = file(Array.from({ length: 2_500 }, (_, index) => `${index}-${"x".repeat(index)}\n`).join(""));
    const [, second] = await batchesOf(path);
    const rest = await batchesOf(path, second?.after(300));
    expect(rest[0]?.lines[0]?.number).toBe(1_301);
    expect(rest.flatMap(({ lines }) => lines).length).toBe(1_200);
    expect(rest.at(-1)?.after(200)).toEqual((await batchesOf(path)).at(-1)?.after(500));
  });

  it("is the same for one read and for two", async () => {
    const path = file("a\nb\nc\n");
    const [whole] = await batchesOf(path);
    const [rest] = await batchesOf(path, whole?.after(1));
    expect(rest?.after(2)).toEqual(whole?.after(3));
  });

  it("after a last line without line feed stays valid when lines are appended", async () => {
    const [batch] = await batchesOf(file("a\nb"));
    expect(texts(await batchesOf(file("a\nb\nc\n"), batch?.after(2)))).toEqual(["3:c"]);
  });

  it("matches a file with the same beginning, compressed or longer, and no other", async () => {
    const content = "a\nb\nc\n";
    const [batch] = await batchesOf(file(content));
    const places = [1, 2, 3].flatMap((count) => batch?.after(count) ?? []);
    expect((await lastMatch(file(content), places))?.lines).toBe(3);
    expect((await lastMatch(file(gzipSync(`${content}d\n`)), places))?.lines).toBe(3);
    expect((await lastMatch(file("a\nb\nX\n"), places))?.lines).toBe(2);
    expect(await lastMatch(file("A\nb\nc\n"), places)).toBeUndefined();
    expect(await lastMatch(file(""), places)).toBeUndefined();
  });
});
