// TypeScript reports wrong configurations. The fixture marks where it must: a missing or an additional error fails the compilation.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const fixture = resolve(import.meta.dirname, "typed/wrong-configs.ts");
const compiler = resolve(project, "node_modules/typescript/bin/tsc");
const language = ["--target", "es2022", "--module", "nodenext", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck"];
const places = ["--allowImportingTsExtensions", "--types", "node", "--typeRoots", resolve(project, "node_modules/@types")];

async function errorsIn(file: string): Promise<string> {
  const run = promisify(execFile)(process.execPath, [compiler, "--ignoreConfig", "--noEmit", ...language, ...places, file], { cwd: project });
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

it("TypeScript reports every wrong configuration and no valid one", async () => {
  expect(await errorsIn(fixture)).not.toContain("wrong-configs.ts");
}, 120_000);

it("TypeScript names the wrong option", async () => {
  const folder = await mkdtemp(join(tmpdir(), "quern-typed-"));
  const file = join(folder, "unmarked.ts");
  const text = await readFile(fixture, "utf8");
  await writeFile(file, text.replaceAll("@ts-expect-error", "").replaceAll("../../../", `${project}/`));
  const errors = await errorsIn(file).finally(() => rm(folder, { recursive: true }));
  expect(errors).toContain("Property 'storage' is missing");
  expect(errors).toContain("'prot' does not exist in type 'QuernConfig'");
  expect(errors.match(/unmarked\.ts\(\d+,\d+\): error/g)).toHaveLength(11);
}, 120_000);
