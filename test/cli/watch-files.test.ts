// Changes of files are told however they come about, once they are whole; none is lost while a file is away.

import { appendFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchFiles } from "../../adapters/cli/watch-files.ts";
import { temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
let stop: () => void;
let told: string[];
beforeEach(() => {
  folder = temporaryFolder();
  told = [];
});
afterEach(() => {
  stop();
  folder.remove();
});

const at = (name: string) => join(folder.path, name);
const write = (name: string, text: string) => writeFileSync(at(name), text);
async function watch(...names: readonly string[]): Promise<void> {
  stop = await watchFiles(names.map(at), (path) => told.push(path));
}
const isTold = (...names: readonly string[]) => vi.waitFor(() => expect(told).toEqual(names.map(at)), { timeout: 60_000, interval: 5 });
/** Long enough for several looks, so that what is not told now is not told at all. */
const nothingMore = () => new Promise((resolve) => setTimeout(resolve, 400));

describe("watchFiles", () => {
  it("tells of a file written in place and of one put in its place, and of no other", async () => {
    write("a", "1");
    write("b", "1");
    await watch("a", "b");
    write("ab", "neighbour");
    write("a", "2");
    await isTold("a");
    write("b~", "2");
    renameSync(at("b~"), at("b"));
    await isTold("a", "b");
    await nothingMore();
    expect(told).toHaveLength(2);
  });

  it("tells of text of the same length", async () => {
    write("a", "1");
    await watch("a");
    await nothingMore();
    write("a", "2");
    await isTold("a");
  });

  it("tells of text of the same length that was written at the same moment, as clocks of files go", async () => {
    const tick = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const writeAtTick = (text: string) => {
      write("a", text);
      utimesSync(at("a"), tick, tick);
    };
    writeAtTick("1");
    await watch("a");
    writeAtTick("2");
    await isTold("a");
    writeAtTick("3");
    await isTold("a", "a");
  });

  it("tells of a file that was not there, and of one that is back as it was", async () => {
    await watch("a");
    write("a", "1");
    await isTold("a");
    renameSync(at("a"), at("away"));
    await nothingMore();
    renameSync(at("away"), at("a"));
    await isTold("a", "a");
  });

  it("is silent while a file is away, and when nothing changes", async () => {
    write("a", "1");
    await watch("a");
    rmSync(at("a"));
    await nothingMore();
    expect(told).toEqual([]);
  });

  it("waits until a file has stopped growing", async () => {
    write("a", "");
    const parts = 40;
    const sizes: number[] = [];
    stop = await watchFiles([at("a")], () => sizes.push(statSync(at("a")).size));
    for (let part = 0; part < parts; part++) {
      appendFileSync(at("a"), "x");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await vi.waitFor(() => expect(sizes.at(-1)).toBe(parts), { timeout: 60_000 });
    // Two looks may fall between two parts where the machine is busy; without waiting for the second it would be told at every look.
    expect(sizes.length).toBeLessThan(5);
  });

  it("tells nothing once it is stopped", async () => {
    write("a", "1");
    await watch("a");
    stop();
    write("a", "22");
    await nothingMore();
    expect(told).toEqual([]);
  });
});
