// A store with a damaged file is refused before LevelDB sees it, names the file, and stays as it is. What a kill leaves behind is no damage.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { crc32c } from "../../../adapters/level/files/crc32c.ts";
import { LevelStore } from "../../../adapters/level/level-store.ts";
import fc from "../../support/properties.ts";
import { temporaryFolder } from "./folders.ts";
import { contentsOf, copyOf, cutTo, fileIn, filesIn, flipBit, keyAt, makeStore, storedKeys, valueAt, zero } from "./store-folder.ts";

let whole: string;
beforeAll(async () => {
  whole = await makeStore();
});

const table = /\.ldb$/;
const log = /\.log$/;
const manifest = /^MANIFEST/;

function storeIn(path: string): LevelStore {
  return new LevelStore(path, { blockCacheBytes: 1 << 20 });
}

interface Case {
  readonly name: string;
  readonly file: RegExp;
  damage(file: string): Promise<unknown>;
  readonly found: RegExp;
}

const cases: readonly Case[] = [
  { name: "CURRENT is missing", file: /^CURRENT$/, damage: (file) => rm(file), found: /CURRENT is missing/ },
  { name: "CURRENT is empty", file: /^CURRENT$/, damage: (file) => cutTo(file, 0), found: /CURRENT is empty/ },
  {
    name: "CURRENT holds garbage",
    file: /^CURRENT$/,
    damage: (file) => writeFile(file, "\0\x01garbage"),
    found: /CURRENT does not hold the name of a manifest/,
  },
  {
    name: "CURRENT names a file of another folder",
    file: /^CURRENT$/,
    damage: (file) => writeFile(file, "../MANIFEST-000002\n"),
    found: /CURRENT does not hold the name of a manifest/,
  },
  {
    name: "CURRENT names a manifest that is not there",
    file: /^CURRENT$/,
    damage: (file) => writeFile(file, "MANIFEST-000999\n"),
    found: /MANIFEST-000999 is missing, and CURRENT names it/,
  },
  { name: "the manifest is missing", file: manifest, damage: (file) => rm(file), found: /MANIFEST-\d+ is missing, and CURRENT names it/ },
  { name: "the manifest is empty", file: manifest, damage: (file) => cutTo(file, 0), found: /MANIFEST-\d+ is empty/ },
  { name: "the manifest is cut off", file: manifest, damage: (file) => cutTo(file, 20), found: /MANIFEST-\d+ is empty or cut off/ },
  { name: "the manifest has a flipped bit", file: manifest, damage: (file) => flipBit(file, 100), found: /MANIFEST-\d+ has a record .* at byte 0/ },
  { name: "a table is missing", file: table, damage: (file) => rm(file), found: /\d+\.ldb is missing/ },
  { name: "a table is empty", file: table, damage: (file) => cutTo(file, 0), found: /\d+\.ldb is empty/ },
  { name: "a table is cut off", file: table, damage: (file) => cutTo(file, 5_000), found: /\d+\.ldb has 5000 bytes, and \d+ were written/ },
  {
    name: "a table has a damaged footer",
    file: table,
    damage: async (file) => flipBit(file, (await stat(file)).size * 8 - 5),
    found: /\d+\.ldb does not end as a table does/,
  },
  {
    name: "a table has a flipped bit in a value",
    file: table,
    damage: (file) => flipBit(file, 1_000),
    found: /\d+\.ldb has a block of \d+ bytes at byte 0 that does not match its checksum/,
  },
  {
    name: "a table has 4 KiB of zeros",
    file: table,
    damage: (file) => zero(file, 8_192, 4_096),
    found: /\d+\.ldb has a block of \d+ bytes at byte \d+ that does not match its checksum/,
  },
  { name: "a log is missing", file: log, damage: (file) => rm(file), found: /\d+\.log is missing/ },
  { name: "a log is empty", file: log, damage: (file) => cutTo(file, 0), found: /\d+\.log is empty/ },
  {
    name: "a log is cut off",
    file: log,
    damage: (file) => cutTo(file, 40_000),
    found: /\d+\.log has 40000 bytes, and \d+ when the store was closed/,
  },
  {
    name: "a log has a flipped bit",
    file: log,
    damage: (file) => flipBit(file, 8 * 20_000),
    found: /\d+\.log has a record that does not match its checksum at byte \d+/,
  },
  { name: "a log has 4 KiB of zeros", file: log, damage: (file) => zero(file, 40_960, 4_096), found: /\d+\.log has a record/ },
];

describe("a damaged store", () => {
  it.each(cases)("is refused, named and left unchanged when $name", async ({ file, damage, found }) => {
    const path = await copyOf(whole);
    await damage(join(path, await fileIn(path, file)));
    const before = await contentsOf(path);
    await expect(storeIn(path).open()).rejects.toMatchObject({ code: "STORE_CORRUPT", message: expect.stringMatching(found) });
    const report = await storeIn(path).verifyFiles();
    expect(report.faults.map(({ message }) => message).join("\n")).toMatch(found);
    expect(await contentsOf(path)).toEqual(before);
  });

  it("is refused when only its tables are left", async () => {
    const path = await copyOf(whole);
    for (const name of await filesIn(path, /CURRENT|MANIFEST|\.log$/)) await rm(join(path, name));
    await expect(storeIn(path).open()).rejects.toMatchObject({ code: "STORE_CORRUPT", message: expect.stringMatching(/CURRENT is missing/) });
    assert.ok((await filesIn(path, table)).length > 0);
  });

  it("lists every damaged block of every table", async () => {
    const path = await copyOf(whole);
    const tables = await filesIn(path, table);
    for (const name of tables) {
      await flipBit(join(path, name), 800);
      await flipBit(join(path, name), 8 * 20_000);
    }
    const { faults } = await storeIn(path).verifyFiles();
    expect(faults.map(({ kind }) => kind)).toEqual(tables.flatMap(() => ["file", "file"]));
    for (const name of tables) expect(faults.filter(({ message }) => message.startsWith(name))).toHaveLength(2);
  });
});

describe("a bit that flips", () => {
  it("is found in every file, at every position", async () => {
    const names = await filesIn(whole, /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|log))$/);
    const place = fc
      .constantFrom(...names)
      .chain((name) => fc.tuple(fc.constant(name), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })));
    const path = await copyOf(whole);
    const seams = names.map(async (name) => {
      const { size } = await stat(join(path, name));
      // The ends of the file, of a block of a log, of the places in a table's footer.
      const bytes = [0, 32_767, 32_768, size - 48, size - 9, size - 8, size - 1].filter((byte) => byte >= 0 && byte < size);
      return bytes.map((byte): [[string, number]] => [[name, (byte + 0.5) / size]]);
    });
    await fc.assert(
      fc.asyncProperty(place, async ([name, part]) => {
        const file = join(path, name);
        const bits = (await stat(file)).size * 8;
        const bit = Math.floor(part * bits);
        await flipBit(file, bit);
        const { faultCount } = await storeIn(path).verifyFiles();
        await flipBit(file, bit);
        assert.ok(faultCount > 0 || (await isUnused(file, bit)), `${name}: bit ${bit} of ${bits}`);
      }),
      { numRuns: 250, examples: (await Promise.all(seams)).flat() },
    );
  }, 120_000);
});

/** LevelDB reads neither what lies between the two places in the footer of a table and its last eight bytes, nor the last bytes of a block of a log that hold no header. */
async function isUnused(file: string, bit: number): Promise<boolean> {
  const bytes = await readFile(file);
  const at = Math.floor(bit / 8);
  if (file.endsWith(".ldb")) return at >= bytes.length - 48 + 4 && at < bytes.length - 8 && bytes[at] === 0;
  return file.endsWith(".log") && at % 32_768 > 32_768 - 7 && bytes[at] === 0;
}

describe("what a kill leaves behind", () => {
  /** Without the note of a clean close. */
  async function killed(): Promise<string> {
    const path = await copyOf(whole);
    await rm(join(path, "guard"), { recursive: true });
    return path;
  }

  async function assertServes(path: string): Promise<LevelStore> {
    assert.deepEqual((await storeIn(path).verifyFiles()).faults, []);
    const store = storeIn(path);
    await store.open();
    // The first two rounds are in tables.
    for (const i of [0, 1, storedKeys / 3, (storedKeys / 3) * 2 - 1])
      assert.deepEqual(Buffer.from(store.getSync(keyAt(i)) ?? []), Buffer.from(valueAt(i)));
    return store;
  }

  it("is half a record at the end of the log: the store drops it, wherever it ends", async () => {
    const name = await fileIn(whole, log);
    const { size } = await stat(join(whole, name));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: size }), async (bytes) => {
        const path = await killed();
        await cutTo(join(path, name), bytes);
        await (await assertServes(path)).close();
      }),
      { numRuns: 25, examples: [[0], [1], [6], [7], [size - 1], [32_767], [32_768], [32_769]] },
    );
  }, 120_000);

  it("is a log that ends in zeros after a power failure", async () => {
    const path = await killed();
    const file = join(path, await fileIn(path, log));
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([bytes, new Uint8Array(70_000)]));
    await (await assertServes(path)).close();
  });

  it.each([
    ["an orphan table", "000999.ldb", "half a table"],
    ["an older manifest", "MANIFEST-000001", "old"],
    ["a manifest that CURRENT does not name yet", "MANIFEST-000999", ""],
    ["a temporary CURRENT", "000999.dbtmp", "MANIFEST-0"],
    ["a log that is no longer needed", "000001.log", "garbage"],
    ["a new log without a record", "000999.log", ""],
    ["the log for people of the run before", "LOG.old", "text"],
    ["a file that is not LevelDB's", "admin-token", "token"],
  ])("is %s", async (_what, name, text) => {
    const path = await killed();
    await writeFile(join(path, name), text);
    await (await assertServes(path)).close();
  });

  it("is the folder lost of LevelDB's repair", async () => {
    const path = await killed();
    await mkdir(join(path, "lost"));
    await writeFile(join(path, "lost", "000001.log"), "garbage");
    await (await assertServes(path)).close();
  });

  it("is the first manifest alone, when the store was being made", async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, "MANIFEST-000001"), "half");
    await writeFile(join(path, "000001.dbtmp"), "MANIF");
    const store = storeIn(path);
    await store.open();
    await store.close();
  });

  it("is a second lock that was being made", async () => {
    const path = await copyOf(whole);
    await writeFile(join(path, "guard", "CURRENT"), "");
    await writeFile(join(path, "guard", "closed.json"), '{"MANIF');
    await (await assertServes(path)).close();
    await (await assertServes(path)).close();
  });
});

describe("a folder that holds only files of others", () => {
  it("becomes a new store", async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, "admin-token"), "secret");
    await mkdir(join(path, "backup"));
    await cp(whole, join(path, "backup"), { recursive: true });
    const store = storeIn(path);
    await store.open();
    assert.equal(store.getSync(keyAt(0)), undefined);
    await store.close();
    assert.equal(await readFile(join(path, "admin-token"), "utf8"), "secret");
  });
});

describe("tables that are verified while the store serves", () => {
  it("end its service when one is damaged: no answer omits the damaged data", async () => {
    const path = await copyOf(whole);
    await zero(join(path, await fileIn(path, table)), 8_192, 4_096);
    const store = new LevelStore(path, { blockCacheBytes: 1 << 20, verifyAtOpenBytes: 0 });
    await store.open();
    await expect.poll(() => store.fault).toMatchObject({ code: "STORE_CORRUPT", message: "files of the store are damaged" });
    assert.throws(() => store.getSync(keyAt(0)), { code: "STORE_CORRUPT" });
    await assert.rejects(store.getMany([keyAt(0)]), { code: "STORE_CORRUPT" });
    await assert.rejects(store.batch([{ type: "put", key: "x", value: new Uint8Array(1) }], { sync: true }), { code: "STORE_CORRUPT" });
    assert.throws(() => store.cursor({ from: "a", to: "z" }), { code: "STORE_CORRUPT" });
    await store.close();
    await assert.rejects(storeIn(path).open(), { code: "STORE_CORRUPT" });
  });
});

describe("a store that closes while its tables are verified", () => {
  it("closes at once, also in a process that has nothing else to do", async () => {
    const program = `
      const { LevelStore } = await import(${JSON.stringify(new URL("../../../adapters/level/level-store.ts", import.meta.url).href)});
      const store = new LevelStore(${JSON.stringify(await copyOf(whole))}, { blockCacheBytes: 1 << 20, verifyAtOpenBytes: 0 });
      await store.open();
      await store.close();
      console.log("closed");`;
    const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval", program];
    assert.equal((await promisify(execFile)(process.execPath, args, { timeout: 300_000 })).stdout, "closed\n");
  }, 90_000);
});

describe("CRC-32C", () => {
  it("gives the values of RFC 3720, also in parts", () => {
    assert.equal(crc32c(Buffer.from("123456789")), 0xe3069283);
    assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa);
    assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
    const bytes = Uint8Array.from({ length: 32 }, (_, i) => i);
    assert.equal(crc32c(bytes), 0x46dd794e);
    for (let at = 0; at <= bytes.length; at++) assert.equal(crc32c(bytes, at, bytes.length, crc32c(bytes, 0, at)), 0x46dd794e);
  });
});
