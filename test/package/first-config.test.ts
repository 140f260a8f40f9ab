// The configuration of quern init type-checks in a new project, against the declarations that the package ships.

import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstConfig } from "../../adapters/cli/first/first-config.ts";

const project = join(import.meta.dirname, "../..");
const compiler = join(project, "node_modules/typescript/bin/tsc");
// Inside node_modules, so that the dependencies of the package are found.
const cache = join(project, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "first-config-"));
const installed = join(folder, "node_modules/quern");

beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(project, "package.json"), join(installed, "package.json"));
  await tsc(project, "-p", "tsconfig.build.json", "--emitDeclarationOnly", "--declarationMap", "false", "--outDir", join(installed, "dist"));
  // As npm init writes it.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "mine", version: "1.0.0", type: "commonjs" }));
  writeFileSync(join(folder, "quern.config.mts"), firstConfig);
  await tsc(folder, "--init");
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("quern.config.mts in a CommonJS project", () => {
  it("compiles with the settings of tsc --init", async () => {
    expect(await tsc(folder, "-p", ".", "--noEmit")).toBe("");
  }, 120_000);

  it.each([
    ["node16", "node16"],
    ["nodenext", "nodenext"],
    ["preserve", "bundler"],
    ["esnext", "bundler"],
  ])(
    "fits module %s with module resolution %s",
    async (module, moduleResolution) => {
      const language = ["--target", "es2022", "--strict", "--skipLibCheck", "--module", module, "--moduleResolution", moduleResolution];
      expect(await tsc(folder, "--ignoreConfig", "--noEmit", ...language, "quern.config.mts")).toBe("");
    },
    120_000,
  );

  it("shows its type errors there", async () => {
    writeFileSync(join(folder, "wrong.mts"), firstConfig.replace("transports:", "transport:"));
    const errors = await tsc(folder, "--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "wrong.mts");
    expect(errors).toContain("'transport' does not exist in type 'QuernConfig'");
  }, 120_000);
});

/** What the compiler prints; it is empty when nothing is wrong. */
async function tsc(cwd: string, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [compiler, ...args], { cwd });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return args.includes("--init") ? "" : stdout;
}
