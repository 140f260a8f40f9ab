// Where a JavaScript module has a syntax error. Node keeps the place out of the error that an import throws.

import { execFile } from "node:child_process";
import { relative } from "node:path";
import { importedFiles } from "./imported-files.ts";

/** Each file is checked by a process of some 40 ms. */
const maxFiles = 50;

/** ` (boats.mjs:3)` for the first file of `module` and its imports that Node cannot parse; else empty. */
export async function syntaxPlace(module: string, folder: string): Promise<string> {
  for (const file of (await importedFiles(module)).slice(0, maxFiles)) {
    const line = await faultyLine(file);
    if (line !== undefined) return ` (${relative(folder, file)}:${line})`;
  }
  return "";
}

function faultyLine(file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--check", file], (_error, _out, shown) => resolve(/^[^\n]*:(\d+)\n/.exec(shown)?.[1]));
  });
}
