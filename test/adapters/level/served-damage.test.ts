// Damage that is found while the store serves: requests fail with the store's words, never with fewer rows, and the log names the file.

import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import type { LogEntry } from "../../../core/contracts/logger.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { temporaryFolder } from "./folders.ts";
import { fileIn, zero } from "./store-folder.ts";

let path: string;
let kernel: Kernel;
const logged: LogEntry[] = [];

function kernelWith(verifyAtOpenBytes: number): Kernel {
  const log = { to: { write: (entry: LogEntry) => void logged.push(entry) } };
  return createKernel({ storage: leveldbStorage({ path, verifyAtOpenBytes }), plugins: standardPlugins(), log });
}

const input = Array.from({ length: 3_000 }, (_, i) => ({ name: `boat ${i}`, note: `note ${i * 7919}` }));

beforeEach(async () => {
  path = await temporaryFolder();
  logged.length = 0;
  kernel = kernelWith(0);
  await kernel.open();
  await kernel.deploy("type Boat { name: String! @id  note: String }");
  const query = "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }";
  expect(await ask(query, { input })).toMatchObject({ data: { addBoat: { numUids: input.length } } });
  await kernel.close();
  // Opening turns the log into a table.
  await kernel.open();
  await kernel.close();
});
afterEach(() => kernel.close());

async function ask(query: string, variables = {}): Promise<unknown> {
  return JSON.parse((await kernel.execute({ query, variables })).body);
}

const read = () => ask("{ queryBoat { name note } aggregateBoat { count } }");
const write = () => ask('mutation { addBoat(input: [{ name: "late" }]) { numUids } }');
const damaged = expect.objectContaining({ message: expect.stringContaining("files of the store are damaged") });

describe("a table with 4 KiB of zeros", () => {
  it("ends the service of reads and writes when it is found after the opening", async () => {
    await zero(join(path, await fileIn(path, /\.ldb$/)), 40_960, 4_096);
    // The check runs beside the opening, and refuses it where it is quicker.
    await expect.poll(() => kernel.open().then(() => "open", String)).toBe("open");
    await expect.poll(read).toMatchObject({ errors: [damaged, damaged] });
    expect(await write()).toMatchObject({ errors: [damaged] });
    const client = JSON.stringify([await read(), await write()]);
    expect(client).not.toContain(path);
    expect(client).not.toContain(".ldb");
    expect(JSON.stringify(logged)).toMatch(/\d+\.ldb has a block of \d+ bytes at byte \d+ that does not match its checksum/);
  });

  it("is in the log with its file as soon as it is found, before a request meets it", async () => {
    await zero(join(path, await fileIn(path, /\.ldb$/)), 40_960, 4_096);
    await expect.poll(() => kernel.open().then(() => "open", String)).toBe("open");
    await expect.poll(() => JSON.stringify(logged)).toMatch(/"where":"store".*\d+\.ldb has a block of \d+ bytes/);
  });

  it("ends the service of the threads that read along, and no other is admitted", async () => {
    await zero(join(path, await fileIn(path, /\.ldb$/)), 40_960, 4_096);
    const storage = leveldbStorage({ path, verifyAtOpenBytes: 0 });
    await expect.poll(() => storage.open().then(() => "open", String)).toBe("open");
    onTestFinished(() => storage.close());
    // The damage may be found before the first thread is admitted.
    await new Promise<unknown>((resolve) => {
      storage.readers?.admit({ cacheBytes: 1 << 20, revoke: async () => resolve("revoked") }).catch(resolve);
    });
    await expect(storage.readers?.admit({ cacheBytes: 1 << 20, revoke: async () => undefined })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  it("keeps the store shut when it is found before", async () => {
    await zero(join(path, await fileIn(path, /\.ldb$/)), 40_960, 4_096);
    kernel = kernelWith(64 << 20);
    await assert.rejects(kernel.open(), { code: "STORE_CORRUPT" });
  });
});

describe("a sound store", () => {
  it("answers while and after its tables are verified", async () => {
    await kernel.open();
    for (let i = 0; i < 3; i++) {
      expect(await read()).toMatchObject({ data: { aggregateBoat: { count: input.length }, queryBoat: { length: input.length } } });
    }
  });
});
