// Facts that only an owner of the project knows, such as an address of the repository, are absent until they are known. A placeholder would be published.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documents } from "./documents.ts";

const root = join(import.meta.dirname, "../..");
const placeholder = /\b(?:OWNER|YOUR[_-][A-Z]+|TODO|TBD|FIXME)\b|security@/;

const manifests = ["package.json", ...readdirSync(join(root, "examples")).map((name) => `examples/${name}/package.json`)];
const texts = new Map(documents.map(({ path, text }) => [path, text]));
for (const path of manifests) {
  const text = readOptional(path);
  if (text !== undefined) texts.set(path, text);
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

it("finds the manifest and the documents of the project", () => {
  expect([...texts.keys()]).toEqual(expect.arrayContaining(["package.json", "README.md", "SECURITY.md", "CHANGELOG.md"]));
});

it("leaves no placeholder in a document or a manifest", () => {
  const found = [...texts].flatMap(([path, text]) => text.split("\n").flatMap((line) => (placeholder.test(line) ? [`${path}: ${line}`] : [])));
  expect(found).toEqual([]);
});
