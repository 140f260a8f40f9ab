// What npm installs for users: every dependency once, in the versions that the specs ran with, without help of `overrides`, which bind this repository alone.

import { exec } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const project = join(import.meta.dirname, "../..");

/** Longer than this the registry is as good as absent. */
const installTimeoutMs = 120_000;

interface Installed {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Installed>>;
}

async function npm(command: string, cwd: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return await promisify(exec)(`npm ${command}`, { cwd, timeout: installTimeoutMs, maxBuffer: 1 << 26 });
}

/** The versions of each package in a tree as `npm ls --json` prints it. */
function versionsIn({ dependencies = {} }: Installed, found = new Map<string, Set<string>>()): ReadonlyMap<string, ReadonlySet<string>> {
  for (const [name, each] of Object.entries(dependencies)) {
    if (each.version !== undefined) found.set(name, (found.get(name) ?? new Set()).add(each.version));
    versionsIn(each, found);
  }
  return found;
}

it("installs one version of every dependency in an empty project, and npm warns of nothing but install scripts", async (context) => {
  const place = mkdtempSync(join(tmpdir(), "quern-installed-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }));
  await npm(`pack --ignore-scripts --pack-destination "${place}"`, project);
  const installed = await npm("install ./quern-*.tgz graphql --no-audit --no-fund --prefer-offline", place).catch((thrown: unknown) => {
    console.info(`LEFT OUT: the packages cannot be installed. ${thrown instanceof Error ? thrown.message : ""}`);
    return context.skip();
  });
  const warnings = installed.stderr.split("\n").filter((line) => line.startsWith("npm warn") && !line.startsWith("npm warn install-scripts"));
  expect(warnings).toEqual([]);
  const versions = versionsIn(JSON.parse((await npm("ls --all --json", place)).stdout));
  expect(versions.get("quern")?.size).toBe(1);
  expect([...versions].filter(([, all]) => all.size > 1)).toEqual([]);
});
