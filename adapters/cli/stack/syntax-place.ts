// Where a module of the configuration has a syntax error, and the line itself.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import type { Location } from "../../../core/plugin.ts";
import { excerpt } from "../ground/failure.ts";
import { importedFiles } from "./imported-files.ts";

/** Each file is checked by a process of some 40 ms. */
const maxFiles = 50;

/** ` (boats.mjs:3)` and the line with a caret, for the first file of `module` and its imports that Node cannot parse; else empty. */
export async function syntaxPlace(module: string, folder: string): Promise<string> {
  // Node keeps the place out of the error that an import throws.
  for (const file of (await importedFiles(module)).slice(0, maxFiles)) {
    const place = await faultyPlace(file);
    if (place !== undefined) return ` (${relative(folder, file)}:${place.line})${await shownLine(file, { folder, place })}`;
  }
  return "";
}

function faultyPlace(file: string): Promise<Location | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--check", file], (_error, _out, shown) => {
      const [, line] = /^[^\n]*:(\d+)\n/.exec(shown) ?? [];
      const caret = shown.split("\n").find((text) => /^ *\^+ *$/.test(text));
      resolve(line === undefined ? undefined : { line: Number(line), column: (caret?.indexOf("^") ?? 0) + 1 });
    });
  });
}

/** What jiti says of a TypeScript file that it cannot parse: the reason, and the place in a line of its own, whose column counts from 0. */
const parseFailure = /^ParseError: (.*?)\s*\n\s*(.+):(\d+):(\d+)\s*$/s;

/** The reason with the line and a caret; undefined: this is no syntax error of a file. */
export async function parseFailureText(message: string, folder: string): Promise<string | undefined> {
  const [, reason, file, line, column] = parseFailure.exec(message) ?? [];
  if (reason === undefined || file === undefined) return undefined;
  const place = { line: Number(line), column: Number(column) + 1 };
  return `${reason} (${relative(folder, file)}:${place.line})${await shownLine(file, { folder, place })}`;
}

/** Empty if the file cannot be read any more. */
async function shownLine(file: string, { folder, place }: { readonly folder: string; readonly place: Location }): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? "" : `\n\n${excerpt({ name: relative(folder, file), text }, place)}`;
}
