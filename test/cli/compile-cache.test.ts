// Commands keep the compiled code of the program, where Node can do that.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { whenFileEnds } from "../support/when-file-ends.ts";
import { main, temporaryFolder } from "./quern.ts";

const folder = temporaryFolder();
whenFileEnds(() => folder.remove());

function version(env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [main, "--version"], { env, encoding: "utf8" });
}

it("keeps the cache in the cache folder of the user", () => {
  const { status, stderr } = version({ ...process.env, XDG_CACHE_HOME: folder.path });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const kept = join(folder.path, "quern");
  expect(existsSync(kept) && readdirSync(kept).length > 0).toBe("enableCompileCache" in nodeModule);
});

it("keeps no cache where no such folder can be made, and runs the command", () => {
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  const { status, stdout, stderr } = version({ ...process.env, XDG_CACHE_HOME: file });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
});

it("keeps no cache for a user without a home", () => {
  const { status, stderr } = version({ PATH: process.env.PATH });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
