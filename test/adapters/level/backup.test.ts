// Backups of a LevelDB store that serves: each holds exactly the first commits, in their order, and nothing of a later one.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createServerKernel, type ServerKernel } from "../../../adapters/server/index.ts";
import { type Backup, chooseBackup, makeBackup, readManifest, restoreBackup, verifyBackups } from "../../../adapters/transfer/index.ts";

const schema = "type Entry { id: ID!  n: Int! @search  text: String @search(by: [term]) }\ntype Count { name: String! @id  n: Int }";

let folder: string;
let kernel: ServerKernel;
const backups = () => join(folder, "backups");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "quern-backup-"));
  kernel = await opened(join(folder, "data"));
  await kernel.deploy(schema);
});
afterEach(async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
});

async function opened(path: string): Promise<ServerKernel> {
  const made = createServerKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins(), log: { level: "silent" } });
  await made.open();
  return made;
}

async function ask<T>(asked: ServerKernel, query: string, variables = {}): Promise<T> {
  const { data, errors } = JSON.parse((await asked.execute({ query, variables })).body);
  expect(errors).toBeUndefined();
  return data;
}

async function backup({ full = false } = {}): Promise<Backup> {
  const { storage, deployment } = kernel;
  return await makeBackup({ storage, deployment, folder: backups(), full });
}

/** The numbers of the entries in a restored backup, and its counter. */
async function restored(chosen: Backup): Promise<{ readonly entries: readonly number[]; readonly counter: number }> {
  const target = join(folder, `restored-${chosen.backupId}-${chosen.backupNum}`);
  await restoreBackup({ folder: backups(), backup: chosen, target });
  const copy = await opened(target);
  try {
    expect((await copy.storage.verify()).faults).toEqual([]);
    const data = await ask<{ queryEntry: { n: number }[]; getCount: { n: number } | null }>(copy, '{ queryEntry { n } getCount(name: "c") { n } }');
    return { entries: data.queryEntry.map(({ n }) => n), counter: data.getCount?.n ?? 0 };
  } finally {
    await copy.close();
  }
}

const addEntry = `mutation ($n: Int!, $text: String) {
  addEntry(input: [{ n: $n, text: $text }]) { numUids }
}`;
const addCount = 'mutation ($n: Int!) { addCount(input: [{ name: "c", n: $n }], upsert: true) { numUids } }';

describe("a backup under writes", () => {
  it("holds exactly the first commits of four writers that go on, five times", async () => {
    // The oracle: entries in the order of their commits.
    const order: number[] = [];
    const stopFeed = kernel.storage.changes((event) => {
      if (event.kind !== "detailed") return;
      for (const { index, key, on } of event.entries) if (on && index === "Entry.n/int") order.push(Number(key));
    });
    let stopped = false;
    let next = 0;
    const writer = async () => {
      while (!stopped) {
        next += 1;
        // Long texts, so that LevelDB writes and merges tables meanwhile.
        await ask(kernel, addEntry, { n: next, text: `word${next} ${"lorem ".repeat(800)}` });
        await sleep(2);
      }
    };
    const writers = [writer(), writer(), writer(), writer()];
    const made: { readonly backup: Backup; readonly least: number }[] = [];
    for (let i = 0; i < 5; i++) {
      while (order.length < 60 * (i + 1)) await sleep(5);
      const least = order.length;
      made.push({ backup: await backup(), least });
    }
    stopped = true;
    await Promise.all(writers);
    stopFeed();
    expect(await verifyBackups(backups(), await readManifest(backups()))).toEqual([]);
    for (const { backup: each, least } of made) {
      const { entries } = await restored(each);
      expect(entries.length).toBeGreaterThanOrEqual(least);
      expect([...entries].sort((a, b) => a - b)).toEqual(order.slice(0, entries.length).sort((a, b) => a - b));
    }
    expect(made.map(({ backup: { type, backupNum } }) => `${type} ${backupNum}`)).toEqual([
      "full 1",
      "incremental 2",
      "incremental 3",
      "incremental 4",
      "incremental 5",
    ]);
  });

  it("keeps no file of the store from being deleted afterwards", async () => {
    await backup();
    expect(readdirSync(join(folder, "data")).filter((name) => name.startsWith("pinned-"))).toEqual([]);
  });
});

describe("incremental backups", () => {
  it("copy what is new alone, and each is restored by itself", async () => {
    const write = async (from: number) => {
      for (let n = from; n < from + 100; n++) await ask(kernel, addEntry, { n, text: `w${n} ${Math.random().toString(36).repeat(500)}` });
      await ask(kernel, addCount, { n: from + 100 });
    };
    await write(0);
    await kernel.close();
    kernel = await opened(join(folder, "data"));
    const first = await backup();
    await write(100);
    await kernel.close();
    kernel = await opened(join(folder, "data"));
    const second = await backup();
    const shared = second.files.filter(({ path }) => path === first.path);
    expect(shared.length).toBeGreaterThan(0);
    expect((await restored(first)).counter).toBe(100);
    const last = await restored(second);
    expect([last.counter, last.entries.length]).toEqual([200, 200]);
    const third = await backup({ full: true });
    expect([third.type, third.backupNum, third.files.every(({ path }) => path === third.path)]).toEqual(["full", 1, true]);
    expect(third.backupId).not.toBe(second.backupId);
    expect(chooseBackup(await readManifest(backups()), {})).toEqual(third);
    expect(chooseBackup(await readManifest(backups()), { backupId: first.backupId })).toEqual(second);
    expect(chooseBackup(await readManifest(backups()), { backupId: first.backupId, backupNum: 1 })).toEqual(first);
    expect(() => chooseBackup([first, second], { backupNum: 9 })).toThrow("There is no backup of number 9");
  });
});

describe("a damaged backup", () => {
  it("is found by its checksums, and not restored", async () => {
    await ask(kernel, addEntry, { n: 1 });
    const made = await backup();
    const log = made.files.find(({ name, bytes }) => name.endsWith(".log") && bytes > 0);
    const path = join(backups(), made.path, log?.name ?? "");
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.from(bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte))));
    expect(await verifyBackups(backups(), [made])).toEqual([{ file: join(made.path, log?.name ?? ""), message: "does not match its checksum" }]);
    await expect(restored(made)).rejects.toThrow(/The backup is damaged: .*does not match its checksum\. Nothing was restored\./);
    expect(readdirSync(folder).sort()).toEqual(["backups", "data"]);
    truncateSync(path, 3);
    expect((await verifyBackups(backups(), [made]))[0]?.message).toBe(`has 3 bytes, and ${bytes.length} were written`);
    rmSync(path);
    expect((await verifyBackups(backups(), [made]))[0]?.message).toBe("is missing");
  });

  it("does not hide the ones before: what a killed backup left is not listed, and the next one removes it", async () => {
    await ask(kernel, addEntry, { n: 1 });
    const first = await backup();
    const left = join(backups(), "backup-20260101-000000-abcdef.partial");
    await restoreBackup({ folder: backups(), backup: first, target: left });
    // Of a killed backup that was an export.
    const leftExport = join(backups(), ".backup-20260101-000000-abcdef.partial.partial");
    mkdirSync(leftExport);
    appendFileSync(join(backups(), ".manifest.json.draft"), '{"version":1,"bac');
    expect(await readManifest(backups())).toEqual([first]);
    expect((await restored(first)).entries).toEqual([1]);
    await ask(kernel, addEntry, { n: 2 });
    const second = await backup();
    expect([left, leftExport].map((path) => existsSync(path))).toEqual([false, false]);
    expect((await restored(second)).entries).toEqual([1, 2]);
  });

  it("is not made twice at a time in one folder, and not to a place that is no folder", async () => {
    const both = await Promise.allSettled([backup(), backup()]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    writeFileSync(join(folder, "file"), "");
    const { storage, deployment } = kernel;
    await expect(makeBackup({ storage, deployment, folder: join(folder, "file"), full: false })).rejects.toThrow(
      "a part of the path is not a folder",
    );
    expect(statSync(join(folder, "file")).size).toBe(0);
  });
});
