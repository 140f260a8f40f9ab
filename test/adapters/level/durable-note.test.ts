// A process is killed, and then its log loses what was durable: the next opening notices.

import assert from "node:assert/strict";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { surveyFolder } from "../../../adapters/level/files/survey.ts";
import { LevelStore } from "../../../adapters/level/level-store.ts";
import { temporaryFolder } from "./folders.ts";
import { cutTo, fileIn, flipBit } from "./store-folder.ts";

const value = Buffer.alloc(500, 7);
const storeIn = (path: string) => new LevelStore(path, { blockCacheBytes: 1 << 20 });

/** What a kill leaves: a copy of the files while the store is open. The note of a durable batch is there before its caller hears of it. */
async function killed({ sync }: { readonly sync: boolean }): Promise<string> {
  const store = storeIn(await temporaryFolder());
  await store.open();
  onTestFinished(() => store.close());
  for (let i = 0; i < 40; i++) {
    await store.batch(
      [0, 1, 2].map((each) => ({ type: "put", key: `${i}/${each}`, value })),
      { sync },
    );
  }
  const note = join(store.folder, "guard", "durable");
  if (sync) assert.match(await readFile(note, "latin1"), / 0*120 /);
  const copy = await temporaryFolder();
  // Closing a lock in this process would end it.
  await cp(store.folder, copy, { recursive: true, filter: (file) => basename(file) !== "LOCK" });
  return copy;
}

const logIn = async (path: string) => join(path, await fileIn(path, /\.log$/));

async function assertOpens(path: string): Promise<void> {
  const store = storeIn(path);
  await store.open();
  await store.close();
}

describe("a killed store", () => {
  it.each([
    ["empty", 0],
    ["cut off in the middle", 40_000],
    ["cut off at the end of a block", 32_768],
  ])("is refused, named and left as it is when its log is %s", async (_what, bytes) => {
    const path = await killed({ sync: true });
    await cutTo(await logIn(path), bytes);
    const found = /\d+\.log ends at write \d+, and 120 were durable when the process ended/;
    await expect(storeIn(path).open()).rejects.toMatchObject({ code: "STORE_CORRUPT", message: expect.stringMatching(found) });
    const { faults } = await storeIn(path).verifyFiles();
    expect(faults.map(({ message }) => message)).toEqual([expect.stringMatching(found)]);
    assert.equal((await readFile(await logIn(path))).length, bytes);
  });

  it("opens when its log is whole", async () => {
    await assertOpens(await killed({ sync: true }));
  });

  it("opens with half of a last write, which was never durable", async () => {
    const path = await killed({ sync: true });
    const log = await logIn(path);
    const bytes = await readFile(log);
    await writeFile(log, Buffer.concat([bytes, bytes.subarray(0, 300)]));
    await assertOpens(path);
  });

  it("opens with an empty log when nothing was durable", async () => {
    const path = await killed({ sync: false });
    await cutTo(await logIn(path), 0);
    await assertOpens(path);
  });

  it("opens when its note is damaged, or of another opening", async () => {
    const path = await killed({ sync: true });
    const note = join(path, "guard", "durable");
    await flipBit(note, 8 * 25);
    await assertOpens(path);
    const again = await killed({ sync: true });
    await assertOpens(again);
    // The store of before this opening, with the note of then.
    await writeFile(join(again, "guard", "durable"), await readFile(note));
    await assertOpens(again);
  });

  it("opens when its second lock was removed", async () => {
    const path = await killed({ sync: true });
    await rm(join(path, "guard"), { recursive: true });
    await assertOpens(path);
  });
});

it("numbers writes as LevelDB does, over batches of puts and deletes, openings and tables", async () => {
  const store = storeIn(await temporaryFolder());
  let writes = 0;
  for (const count of [1, 300, 7]) {
    await store.open();
    for (let i = 0; i < count; i++) {
      await store.batch(
        [
          { type: "put", key: `${i}`, value },
          { type: "del", key: `${i + 1}` },
        ],
        { sync: i % 3 === 0 },
      );
      writes += 2;
    }
    await store.close();
    assert.equal((await surveyFolder(store.folder)).sequence, writes);
  }
});
