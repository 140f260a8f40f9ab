// The documents of the package, and the code in them: spans, and lines of blocks.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

export interface Document {
  /** From the project's root: `docs/start.md`. */
  readonly path: string;
  readonly text: string;
  /** Spans, and blocks as a whole, in order. Lines that a backslash continues are one. */
  readonly code: readonly string[];
}

/** What users read: the guides, and the READMEs of all parts. */
export const documents: readonly Document[] = [
  ...filesOf(".", false),
  ...["docs", "core", "plugins", "adapters", "examples"].flatMap((folder) => filesOf(folder, true)),
].map((path) => {
  const text = readFileSync(join(root, path), "utf8");
  return { path, text, code: codeOf(text) };
});

function filesOf(folder: string, recursive: boolean): readonly string[] {
  const found = readdirSync(join(root, folder), { recursive, encoding: "utf8" });
  return found.filter((file) => file.endsWith(".md") && !file.includes("node_modules")).map((file) => join(folder, file));
}

function codeOf(markdown: string): readonly string[] {
  const found = markdown.matchAll(/^```\w*\n([\s\S]*?)^```|`([^`\n]+)`|^ {4}(\S.*)$/gm);
  return [...found].map(([, block, span, line]) => (block ?? span ?? line ?? "").replace(/\\\n\s*/g, " "));
}

/** Source texts below a folder, by path from the project's root. */
export function sourcesOf(folder: string): ReadonlyMap<string, string> {
  const found = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const files = found.filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules")).map((file) => join(folder, file));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

/** The source texts of the part that a README describes. */
export function sourcesBeside({ path }: Document): string {
  return [...sourcesOf(dirname(path)).values()].join("\n");
}
