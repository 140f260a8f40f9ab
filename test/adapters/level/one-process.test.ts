// A folder belongs to one process, whatever people do to its lock files.

import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { LevelStore } from "../../../adapters/level/level-store.ts";
import { builtProgram } from "../../support/built-program.ts";
import { temporaryFolder } from "./folders.ts";

const program = new URL("./holder.ts", import.meta.url);
const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface Holder {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line that it prints. */
  next(): Promise<string>;
  ask(text: string): Promise<string>;
}

function holder(path: string): Holder {
  const child = spawn(process.execPath, [builtProgram(program), path]);
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  return {
    child,
    next,
    ask: (text) => {
      child.stdin.write(`${text}\n`);
      return next();
    },
  };
}

async function opened(path: string): Promise<Holder> {
  const process = holder(path);
  assert.equal(await process.next(), "open");
  return process;
}

describe("a second process", { timeout: 120_000 }, () => {
  it.each([
    ["no lock file", []],
    ["LOCK", ["LOCK"]],
    ["the folder guard", ["guard"]],
    ["the second lock", ["guard/LOCK"]],
  ])("is refused while the first lives, when somebody deletes %s", async (_what, names) => {
    const path = await temporaryFolder();
    const first = await opened(path);
    assert.equal(await first.ask("a"), "written");
    for (const name of names) await rm(join(path, name), { recursive: true });
    assert.equal(await holder(path).next(), "STORE_LOCKED");
    assert.equal(await first.ask("b"), "written");
  });

  it("is refused when an empty file replaces LOCK", async () => {
    const path = await temporaryFolder();
    const first = await opened(path);
    await rm(join(path, "LOCK"));
    await writeFile(join(path, "LOCK"), "");
    assert.equal(await holder(path).next(), "STORE_LOCKED");
    assert.equal(await first.ask("b"), "written");
  });

  it("opens the store after the first is killed, without cleaning up", async () => {
    const path = await temporaryFolder();
    const first = await opened(path);
    assert.equal(await first.ask("a"), "written");
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const second = await opened(path);
    assert.equal(await second.ask("b"), "written");
  });

  it("opens a copy of the folder", async () => {
    const path = await temporaryFolder();
    const store = new LevelStore(path, { blockCacheBytes: 1 << 20 });
    await store.open();
    await store.close();
    const copy = await temporaryFolder();
    await cp(path, copy, { recursive: true });
    await opened(path);
    assert.equal(await (await opened(copy)).ask("a"), "written");
  });
});

describe("a process whose lock files are all deleted", { timeout: 120_000 }, () => {
  it("refuses writes and names the reason", async () => {
    const path = await temporaryFolder();
    const first = await opened(path);
    assert.equal(await first.ask("a"), "written");
    await rm(join(path, "LOCK"));
    await rm(join(path, "guard"), { recursive: true });
    assert.equal(await first.ask("b"), "STORE_UNAVAILABLE");
    assert.equal(await first.ask("fault"), "STORE_UNAVAILABLE");
  });

  it("detects it also when it only reads", async () => {
    const path = await temporaryFolder();
    const first = await opened(path);
    await rm(join(path, "LOCK"));
    await rm(join(path, "guard"), { recursive: true });
    await expect.poll(() => first.ask("fault")).toBe("STORE_UNAVAILABLE");
  });
});

describe("the process that has the store open", { timeout: 120_000 }, () => {
  it("keeps its lock when it tries to open the store again", async () => {
    const path = await temporaryFolder();
    const store = new LevelStore(path, { blockCacheBytes: 1 << 20 });
    await store.open();
    await assert.rejects(new LevelStore(path, { blockCacheBytes: 1 << 20 }).open(), { code: "STORE_LOCKED" });
    await assert.rejects(new LevelStore(join(path, "."), { blockCacheBytes: 1 << 20 }).open(), { code: "STORE_LOCKED" });
    assert.equal(await holder(path).next(), "STORE_LOCKED");
    await store.close();
    await opened(path);
  });
});
