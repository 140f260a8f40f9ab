// Changes of files are reported however they come about, once they are whole; none is lost while a file is away.

import { appendFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileWatcher } from "../../adapters/cli/stack/watch-files.ts";
import { temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
let watcher: FileWatcher;
let reported: string[];
beforeEach(() => {
  folder = temporaryFolder();
  reported = [];
  watcher = new FileWatcher((path) => reported.push(path));
});
afterEach(() => {
  watcher.stop();
  folder.remove();
});

const at = (name: string) => join(folder.path, name);
const write = (name: string, text: string) => writeFileSync(at(name), text);
const watch = (...names: readonly string[]) => watcher.watch(names.map(at));
const isReported = (...names: readonly string[]) => vi.waitFor(() => expect(reported).toEqual(names.map(at)), { timeout: 60_000, interval: 5 });
/** Long enough for several looks, so that what is not reported now is not reported at all. */
const nothingMore = () => new Promise((resolve) => setTimeout(resolve, 400));

describe("FileWatcher", () => {
  it("reports a file that is written in place or replaced, and no other file", async () => {
    write("a", "1");
    write("b", "1");
    await watch("a", "b");
    write("ab", "neighbour");
    write("a", "2");
    await isReported("a");
    write("b~", "2");
    renameSync(at("b~"), at("b"));
    await isReported("a", "b");
    await nothingMore();
    expect(reported).toHaveLength(2);
  });

  it("reports a change to text of the same length", async () => {
    write("a", "1");
    await watch("a");
    await nothingMore();
    write("a", "2");
    await isReported("a");
  });

  it("reports a change to text of the same length within the resolution of file times", async () => {
    const tick = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const writeAtTick = (text: string) => {
      write("a", text);
      utimesSync(at("a"), tick, tick);
    };
    writeAtTick("1");
    await watch("a");
    writeAtTick("2");
    await isReported("a");
    writeAtTick("3");
    await isReported("a", "a");
  });

  it("reports a file that appears, and one that returns unchanged", async () => {
    await watch("a");
    write("a", "1");
    await isReported("a");
    renameSync(at("a"), at("away"));
    await nothingMore();
    renameSync(at("away"), at("a"));
    await isReported("a", "a");
  });

  it("reports nothing while a file is absent, or without changes", async () => {
    write("a", "1");
    await watch("a");
    rmSync(at("a"));
    await nothingMore();
    expect(reported).toEqual([]);
  });

  it("reports a growing file only when it is complete", async () => {
    write("a", "");
    const parts = 40;
    const sizes: number[] = [];
    watcher = new FileWatcher(() => sizes.push(statSync(at("a")).size));
    await watch("a");
    for (let part = 0; part < parts; part++) {
      appendFileSync(at("a"), "x");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await vi.waitFor(() => expect(sizes.at(-1)).toBe(parts), { timeout: 60_000 });
    // Two looks may fall between two parts where the machine is busy; without waiting for the second it would be reported at every look.
    expect(sizes.length).toBeLessThan(5);
  });

  it("loses no change while it is given other files, and reports none of those it was not given again", async () => {
    for (const name of ["a", "b", "c"]) write(name, "1");
    await watch("a", "b");
    write("a", "2");
    write("b", "2");
    await watch("a", "c");
    write("c", "2");
    await vi.waitFor(() => expect(reported.toSorted()).toEqual(["a", "c"].map(at)), { timeout: 60_000, interval: 5 });
    await nothingMore();
    expect(reported).toHaveLength(2);
  });

  it("reports nothing after it is stopped", async () => {
    write("a", "1");
    await watch("a");
    watcher.stop();
    write("a", "22");
    await nothingMore();
    expect(reported).toEqual([]);
  });
});
