// The scratch folder of an import belongs to one process at a time.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeScratch, removeUnfinishedScratch } from "../../../adapters/transfer/index.ts";
import { temporaryFolder } from "./small-exports.ts";

const owner = (pid: number, host = hostname()) => JSON.stringify({ host, pid });
/** Above all that a system gives. */
const noProcess = 2 ** 30;

it("refuses a scratch folder while another process imports there, and leaves it as it is", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "owner.json"), owner(process.ppid));
  await expect(makeScratch(folder, 0)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: `The process ${process.ppid} imports with the scratch folder ${folder}; let it finish first.`,
  });
  expect(readFileSync(join(folder, "owner.json"), "utf8")).toBe(owner(process.ppid));
});

it.each([
  ["has ended", owner(noProcess)],
  ["ran on another machine", owner(process.ppid, "elsewhere")],
  ["was killed as it began", ""],
])("takes a scratch folder over when its process %s", async (_, text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "owner.json"), text);
  await makeScratch(folder, 0);
  expect(readFileSync(join(folder, "owner.json"), "utf8")).toBe(owner(process.pid));
});

it("removes a scratch folder after a failure, unless it holds a finished analysis", async () => {
  const [unfinished, finished] = [join(temporaryFolder(), "scratch"), join(temporaryFolder(), "scratch")];
  for (const folder of [unfinished, finished]) await makeScratch(folder, 0);
  writeFileSync(join(finished, "analysis.json"), "{}");
  for (const folder of [unfinished, finished]) await removeUnfinishedScratch(folder);
  expect([unfinished, finished].map((folder) => existsSync(folder))).toEqual([false, true]);
});
