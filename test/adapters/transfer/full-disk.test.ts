// A full disk: one clear sentence, nothing in part, nothing lost. The disk is a small file system in memory.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeBackup, makeScratch, readManifest, restoreBackup, writeExport } from "../../../adapters/transfer/index.ts";
import { temporaryKernel } from "../../support/kernel.ts";
import { noMount, smallDisk } from "../../support/small-disk.ts";
import { ask, temporaryFolder } from "./small-exports.ts";

const diskBytes = 512 * 1024;

const full = expect.objectContaining({ code: "STORE_UNAVAILABLE", message: expect.stringMatching(/ cannot be written: the disk is full\.$/) });

it("leaves no export, no backup and no store in part, and the backups before stay", async (context) => {
  const disk = smallDisk(diskBytes);
  if (disk === undefined) return context.skip(noMount);
  const stack = await temporaryKernel();
  onTestFinished(() => stack.remove());
  const { kernel } = stack;
  await kernel.deploy("type Note { text: String }");
  const add = (count: number) =>
    ask(stack, `mutation { addNote(input: [${Array.from({ length: count }, (_, n) => `{ text: "${n} ${random(800)}" }`).join(", ")}]) { numUids } }`);
  await add(10);
  const { storage, deployment } = kernel;
  if (deployment === undefined) throw new Error("no schema");

  const backups = join(disk, "backups");
  const first = await makeBackup({ storage, deployment, folder: backups, full: false });
  await add(1_500);
  await expect(makeBackup({ storage, deployment, folder: backups, full: true })).rejects.toEqual(full);
  expect(await readManifest(backups)).toEqual([first]);
  expect(readdirSync(backups).sort()).toEqual([first.path, "manifest.json"]);

  for (const format of ["ndjson", "rdf", "json"] as const) {
    for (const gzip of [false, true]) {
      await expect(writeExport({ storage, deployment, folder: join(disk, "out"), format, gzip }), `${format} ${gzip}`).rejects.toEqual(full);
      expect(readdirSync(disk)).toEqual(["backups"]);
    }
  }

  const elsewhere = join(temporaryFolder(), "backups");
  const whole = await makeBackup({ storage, deployment, folder: elsewhere, full: false });
  await expect(restoreBackup({ folder: elsewhere, backup: whole, target: join(disk, "restored") })).rejects.toEqual(full);
  expect(readdirSync(disk)).toEqual(["backups"]);

  await expect(makeScratch(join(disk, "scratch"), diskBytes)).rejects.toThrow(/The import needs up to 1 MB in .* and its disk has [01] MB left\./);
  expect(readdirSync(disk)).toEqual(["backups"]);
  expect(await ask(stack, "{ aggregateNote { count } }")).toEqual({ aggregateNote: { count: 1_510 } });
});

it("takes the export again as soon as there is room", async (context) => {
  const disk = smallDisk(diskBytes);
  if (disk === undefined) return context.skip(noMount);
  const stack = await temporaryKernel();
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy("type Note { text: String }");
  await ask(stack, `mutation { addNote(input: [{ text: "${random(20_000)}" }]) { numUids } }`);
  const { storage, deployment } = stack.kernel;
  if (deployment === undefined) throw new Error("no schema");
  const request = { storage, deployment, folder: join(disk, "out"), format: "ndjson", gzip: false } as const;
  const ballast = join(disk, "ballast");
  await mkdir(ballast);
  writeFileSync(join(ballast, "file"), Buffer.alloc(diskBytes - 16 * 1024));
  await expect(writeExport(request)).rejects.toEqual(full);
  execFileSync("rm", ["-r", ballast]);
  expect((await writeExport(request)).nodes).toEqual({ Note: 1 });
});

/** Text that compression makes a half as long. */
function random(length: number): string {
  return randomBytes(length / 2).toString("hex");
}
