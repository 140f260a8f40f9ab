// The project as JavaScript, compiled once for a run: a child that is to be killed a hundred times must start quickly.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../..", import.meta.url));

export interface Built {
  /** Absolute, of a module of the project: `adapters/cli/main.ts`. */
  fileOf(module: string): string;
  remove(): void;
}

/** Below `node_modules`, where its libraries are found. */
export function build(): Built {
  const cache = join(project, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "quern-attack-"));
  const compiler = join(project, "node_modules", "typescript", "bin", "tsc");
  const args = [compiler, "-p", join(project, "tsconfig.build.json"), "--outDir", folder, "--declaration", "false", "--sourceMap", "false"];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the project does not compile:\n${stdout}`);
  copyFileSync(join(project, "package.json"), join(folder, "package.json"));
  return {
    fileOf: (module) => join(folder, module.replace(/\.ts$/, ".js")),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
