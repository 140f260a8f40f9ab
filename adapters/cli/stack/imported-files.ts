// The files that a configuration is made of: itself and, transitively, what it imports by a relative path. Packages are left out.

import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** A configuration that imports more is watched in part. */
const maxFiles = 500;

const imports = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g;
const extensions = ["", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js", "/index.mjs"];
/** What TypeScript may call by the name of its output. */
const sources: ReadonlyMap<string, string> = new Map([
  [".js", ".ts"],
  [".mjs", ".mts"],
  [".cjs", ".cts"],
]);

/**
 * @param file a path
 * @returns `file` first, then the others in the order of the imports; paths relative to the working folder
 */
export async function importedFiles(file: string): Promise<readonly string[]> {
  const found = new Set([file]);
  for (const each of found) {
    for (const imported of await importsOf(each)) if (found.size < maxFiles) found.add(imported);
  }
  return [...found];
}

async function importsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const named = [...text.matchAll(imports)].map(([, specifier = ""]) => resolved(join(dirname(file), specifier)));
  return (await Promise.all(named)).filter((path) => path !== undefined).map((path) => relative("", path) || path);
}

async function resolved(path: string): Promise<string | undefined> {
  const [, end = ""] = /(\.[cm]?js)$/.exec(path) ?? [];
  const source = sources.get(end);
  const candidates = [
    ...extensions.map((extension) => `${path}${extension}`),
    ...(source === undefined ? [] : [`${path.slice(0, -end.length)}${source}`]),
  ];
  for (const candidate of candidates) if (await isFile(candidate)) return candidate;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
