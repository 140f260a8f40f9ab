// Once per run, before specs that start the package as it is published: `dist` is built, unless it is newer than its sources.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const project = join(import.meta.dirname, "../..");
/** What `npm run build` compiles, and what says how. */
const sources = [
  "core",
  "plugins",
  "adapters",
  "test/conformance",
  ...pages(),
  "esbuild.config.mjs",
  "tsconfig.json",
  "tsconfig.build.json",
  "package.json",
];

export default function setUp(): void {
  const builtAt = changedAt(join(project, "dist/adapters/cli/main.js"));
  if (builtAt > Math.max(...sources.map((each) => newestIn(join(project, each))))) return;
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: project,
    encoding: "utf8",
    // The runner's own value makes pages for development, which name the files of this machine.
    env: { ...process.env, NODE_ENV: "production" },
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm run build failed:\n${stdout}${stderr}`);
  console.log("dist was older than its sources; it is built again.");
}

/** The folders of pages that examples serve. */
function pages(): readonly string[] {
  const names = readdirSync(join(project, "examples")).map((name) => `examples/${name}/page`);
  return names.filter((folder) => existsSync(join(project, folder)));
}

/** When a file changed, or anything in a folder. A folder changes when a file in it is removed. */
function newestIn(path: string): number {
  const nested = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  return Math.max(changedAt(path), ...nested.map((each) => changedAt(join(path, each))));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
