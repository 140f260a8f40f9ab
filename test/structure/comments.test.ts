// Every name that an entry of the package exports has a comment: it is what an editor shows to users of the name.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

function indexesOf(folder: string): readonly string[] {
  const found = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return found.filter((file) => /^[^/]+\/index\.ts$/.test(file) && !file.startsWith("console/")).map((file) => `${folder}/${file}`);
}

const entries = [
  "core/index.ts",
  "plugins/index.ts",
  "core/server.ts",
  "core/storage.ts",
  "core/transport.ts",
  "test/conformance/index.ts",
  ...indexesOf("plugins"),
  ...indexesOf("adapters"),
];

interface Declared {
  readonly file: string;
  readonly name: string;
  readonly isCommented: boolean;
}

const reExport = /^export (?:type )?(?:\*|\{([^}]*)\}) from "(\.[^"]+)";/gm;
const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|const|function|class) (\w+)/gm;

/** What `file` exports, with what it passes on from other files. */
function exportsOf(file: string): readonly Declared[] {
  const text = readFileSync(join(root, file), "utf8");
  const own = [...text.matchAll(declaration)].map(({ 1: name = "", index }) => ({
    file,
    name,
    isCommented: isCommented(text.slice(0, index), name),
  }));
  const passedOn = [...text.matchAll(reExport)].flatMap(([, list, target = ""]) => {
    const all = exportsOf(normalize(join(dirname(file), target)));
    const names = list?.split(",").map(
      (part) =>
        part
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0],
    );
    return names === undefined ? all : all.filter(({ name }) => names.includes(name));
  });
  return [...own, ...passedOn];
}

/** A second signature of a function needs no comment of its own. */
function isCommented(before: string, name: string): boolean {
  return before.endsWith("*/\n") || new RegExp(`function ${name}\\b[^\\n]*\\n$`).test(before);
}

it("finds the names", () => {
  const names = entries.flatMap(exportsOf).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["createKernel", "DirectivePlugin", "Storage", "Transport", "searchPlugin", "storageConformance"]));
  expect(new Set(names).size).toBeGreaterThan(400);
});

it("leaves no exported name without a comment", () => {
  const bare = entries.flatMap(exportsOf).filter((each) => !each.isCommented);
  expect([...new Set(bare.map(({ file, name }) => `${file}: ${name}`))]).toEqual([]);
});
