// quern init: writes a configuration, a first schema and a .gitignore. Overwrites nothing.

import { readFileSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { QuernError } from "../../../core/index.ts";
import { makeFolder } from "../../storage-kit/index.ts";
import { firstConfig } from "../first/first-config.ts";
import { firstGitignore } from "../first/first-gitignore.ts";
import { firstSchema } from "../first/first-schema.ts";
import { codeOf } from "../ground/read-file.ts";
import { configFile, isInstalled } from "../stack/load-config.ts";

export async function init(folder: string = "."): Promise<void> {
  await ensureFolder(folder);
  await put(folder, configFile(undefined, folder) ?? "quern.config.mts", firstConfig);
  await put(folder, "schema.graphql", firstSchema);
  await put(folder, ".gitignore", firstGitignore);
  console.log(`\nNext:\n${nextSteps(folder).join("\n")}`);
}

async function ensureFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === false) throw new QuernError("CONFIG_INVALID", `${folder} is a file; name a folder.`);
  try {
    await makeFolder(path);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

async function put(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  try {
    // The flag refuses to overwrite a file, even one that another process creates now.
    await writeFile(path, text, { flag: "wx" });
    console.log(`${path} is written.`);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw unwritable(path, error);
    console.log(`${path} exists and is left unchanged.`);
  }
}

function nextSteps(folder: string): readonly string[] {
  const here = relative(process.cwd(), folder);
  return [
    ...(here === "" ? [] : [`  cd ${/\s/.test(here) ? JSON.stringify(here) : here}`]),
    ...(isInstalled(folder) ? [] : ["  npm install quern graphql"]),
    "  npx quern dev        serves schema.graphql, and deploys it again each time you save it",
    ...ignoreData(folder),
  ];
}

/** An existing `.gitignore` may not list the data folder. */
function ignoreData(folder: string): readonly string[] {
  const lines = readFileSync(join(folder, ".gitignore"), "utf8").split(/\r?\n/);
  return lines.some((line) => /^\/?data\/?$/.test(line.trim())) ? [] : ["  add data/ to .gitignore: it contains the store"];
}

function unwritable(path: string, cause: unknown): QuernError {
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: "is a broken symbolic link; name another.",
    ENOENT: "cannot be created in its parent folder; name another.",
    ENOTDIR: "is inside a file; name a folder.",
    EPERM: "is not writable by this user; change its permissions or name another.",
    ENOSPC: "is on a full disk; free some space or name another.",
    EACCES: "is not writable by this user; change its permissions or name another.",
    EROFS: "is on a read-only disk; name another.",
  };
  const reason = reasons[codeOf(cause) ?? ""] ?? `cannot be written (${cause instanceof Error ? cause.message : String(cause)}).`;
  return new QuernError("CONFIG_INVALID", `${path} ${reason}`, { cause });
}
