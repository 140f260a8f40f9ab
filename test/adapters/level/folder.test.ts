// What the folder can be: in use, no folder, unreadable, damaged; each with one clear sentence.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { temporaryFolder } from "./folders.ts";

describe("the folder", () => {
  it("is created with its parents when it does not exist", async () => {
    const storage = leveldbStorage({ path: join(await temporaryFolder(), "a", "b") });
    await storage.open();
    await storage.close();
  });

  it("is locked while it is open, and free after", async () => {
    const path = await temporaryFolder();
    const first = leveldbStorage({ path });
    const second = leveldbStorage({ path });
    await first.open();
    await assert.rejects(second.open(), { code: "STORE_LOCKED", message: `the data folder ${path} is in use by another process` });
    await first.close();
    await second.open();
    await second.close();
  });

  it("is as large as its files from the first write on, also while LevelDB has everything in its log", async () => {
    const path = await temporaryFolder();
    const storage = leveldbStorage({ path });
    await storage.open();
    const { diskBytes = 0 } = await storage.statistics();
    const files = await readdir(path, { withFileTypes: true });
    const sizes = await Promise.all(files.filter((file) => file.isFile()).map(async ({ name }) => (await stat(join(path, name))).size));
    assert.ok(diskBytes > 0);
    assert.equal(
      diskBytes,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    await storage.close();
  });

  it("is refused when it is a file", async () => {
    const path = join(await temporaryFolder(), "file");
    await writeFile(path, "text");
    await assert.rejects(leveldbStorage({ path }).open(), {
      code: "STORE_UNAVAILABLE",
      message: `the data folder ${path} cannot be opened: it is not a folder`,
    });
  });

  it("is created again when the working folder was deleted, without endless retries", async () => {
    const gone = join(await temporaryFolder(), "gone");
    await mkdir(gone);
    const program = `
      const { rmdirSync } = await import("node:fs");
      const { leveldbStorage } = await import(${JSON.stringify(new URL("../../../adapters/level/index.ts", import.meta.url).href)});
      rmdirSync(${JSON.stringify(gone)});
      const storage = leveldbStorage({ path: "data" });
      await storage.open();
      await storage.close();`;
    const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval", program];
    await promisify(execFile)(process.execPath, args, { cwd: gone, timeout: 60_000, killSignal: "SIGKILL" });
    assert.ok((await readdir(join(gone, "data"))).includes("CURRENT"));
  }, 90_000);

  it("is refused at once where no folder can be created", async (context) => {
    if (process.platform !== "linux") {
      console.log("not on Linux: no /proc, whose folders take no folders");
      context.skip();
    }
    await assert.rejects(leveldbStorage({ path: "/proc/quern/data" }).open(), {
      code: "STORE_UNAVAILABLE",
      message: "the data folder /proc/quern/data cannot be opened: the system refuses",
    });
  });

  it("is refused when it is not writable", async (context) => {
    if (process.getuid?.() === 0) {
      console.log("running as root, who may write everywhere: the unreadable folder is left out");
      context.skip();
    }
    const path = join(await temporaryFolder(), "closed");
    await mkdir(path);
    await chmod(path, 0o500);
    await assert.rejects(leveldbStorage({ path }).open(), {
      code: "STORE_UNAVAILABLE",
      message: `the data folder ${path} cannot be opened: permission denied`,
    });
  });

  it("is refused with the reason when its files are damaged", async () => {
    const path = await temporaryFolder();
    const storage = leveldbStorage({ path });
    await storage.open();
    await storage.migrate(library, "");
    await storage.close();
    for (const name of await readdir(path)) if (name.startsWith("MANIFEST")) await writeFile(join(path, name), "no manifest at all");
    await assert.rejects(leveldbStorage({ path }).open(), { code: "STORE_CORRUPT" });
  });
});
