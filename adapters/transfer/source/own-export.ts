// Opens an export of our own: one file of nodes for each type, and the schema.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isObject, QuernError } from "../../../core/plugin.ts";
import { codeOf } from "../files/write-failure.ts";
import { type DataFile, type ExportSource, exportFolder } from "./export-folder.ts";

const noteFile = "export.json";
const schemaFile = "schema.graphql";
const dataFile = /^(\w+)\.ndjson(?:\.gz)?$/;

/** Whether a folder holds an export of our own, by itself or as the one folder that a server has written there. */
export async function isOwnExport(path: string): Promise<boolean> {
  return (await textOf(join(await folderOf(path), noteFile))) !== undefined;
}

async function folderOf(path: string): Promise<string> {
  const names = await readdir(path).catch((): string[] => []);
  const inner = names.filter((name) => exportFolder.test(name));
  return names.includes(noteFile) || inner.length !== 1 ? path : join(path, ...inner);
}

/** Reads what an export says about itself; the nodes stay on the disk. */
export async function openOwnExport(path: string): Promise<ExportSource> {
  const folder = await folderOf(path);
  const named = filesIn(folder, (await textOf(join(folder, noteFile))) ?? "");
  const there = new Set(await readdir(folder));
  const missing = named.filter((name) => !there.has(name));
  if (missing.length > 0) throw new QuernError("CONFIG_INVALID", `${folder} is not whole: ${missing.join(", ")} is missing. Copy the export again.`);
  const data: DataFile[] = [];
  for (const name of named) {
    const type = dataFile.exec(name)?.[1];
    if (type !== undefined) data.push({ path: join(folder, name), format: "ndjson", type, bytes: (await stat(join(folder, name))).size });
  }
  const schema = (await textOf(join(folder, schemaFile))) ?? "";
  return { folder, data, schemas: new Map([[0, schema]]), storageSchema: { predicates: [], types: [] }, key: undefined };
}

function filesIn(folder: string, note: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(note);
    if (isObject(value) && value.format === "quern-ndjson" && Array.isArray(value.files)) return value.files.map(String);
  } catch {
    // The error below says what fits.
  }
  throw new QuernError("CONFIG_INVALID", `${join(folder, noteFile)} does not describe an export; copy the export again.`);
}

async function textOf(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw cause;
  });
}
