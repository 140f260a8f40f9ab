// TypeScript reports wrong configurations. The fixture marks where it must: a missing or an additional error fails the compilation.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const fixture = resolve(import.meta.dirname, "typed/wrong-configs.ts");
const compiler = resolve(project, "node_modules/typescript/bin/tsc");
const language = ["--target", "es2022", "--module", "nodenext", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck"];
const places = ["--allowImportingTsExtensions", "--types", "node", "--typeRoots", resolve(project, "node_modules/@types")];

/** What the compiler prints about the fixture, and about a copy whose wrong lines are not marked: one program, because compiling takes seconds. */
async function compiled(folder: string): Promise<string> {
  const unmarked = join(folder, "unmarked.ts");
  const text = await readFile(fixture, "utf8");
  await writeFile(unmarked, text.replaceAll("@ts-expect-error", "").replaceAll("../../../", `${project}/`));
  const args = [compiler, "--ignoreConfig", "--noEmit", ...language, ...places, fixture, unmarked];
  const run = promisify(execFile)(process.execPath, args, { cwd: project });
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

let errors: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "quern-typed-"));
  errors = await compiled(folder).finally(() => rm(folder, { recursive: true }));
});

it("TypeScript reports every wrong configuration and no valid one", () => {
  expect(errors).not.toContain("wrong-configs.ts");
});

it("TypeScript names the wrong option", () => {
  expect(errors).toContain("Property 'storage' is missing");
  expect(errors).toContain("'prot' does not exist in type 'QuernConfig'");
  expect(errors.match(/unmarked\.ts\(\d+,\d+\): error/g)).toHaveLength(11);
});
