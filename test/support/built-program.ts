// Programs that specs start in processes of their own, each bundled to one JavaScript file with its sources of this project. A start then loads
// one file, and compiles no source.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** Within the project, so that Node finds the packages and the project's own name from there. */
const folder = join(import.meta.dirname, "../.built");
const built = new Map<string, string>();

/** @returns the path of a JavaScript file that does what the TypeScript file `program` does */
export function builtProgram(program: URL): string {
  const source = fileURLToPath(program);
  const path = built.get(source) ?? build(source);
  built.set(source, path);
  return path;
}

function build(source: string): string {
  const [output] = buildSync({
    entryPoints: [source],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  }).outputFiles;
  if (output === undefined) throw new Error(`${source} is bundled to nothing.`);
  const { contents } = output;
  const path = join(folder, `${basename(source, ".ts")}-${createHash("sha256").update(contents).digest("hex").slice(0, 12)}.mjs`);
  if (!existsSync(path)) writeWhole(path, contents);
  return path;
}

/** Another worker may build the same program at the same moment. */
function writeWhole(path: string, contents: Uint8Array): void {
  mkdirSync(folder, { recursive: true });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, path);
}
