// What npm publishes: a link of a document in the package leads to a file of the package.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const project = join(import.meta.dirname, "../..");
const packed = packedFiles();

describe("the package", () => {
  it("contains the documents of the project, of its parts and of its examples", () => {
    expect(packed).toEqual(
      expect.arrayContaining(["README.md", "KNOWN_DIFFERENCES.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"]),
    );
    expect(packed).toEqual(
      expect.arrayContaining(["plugins/search/README.md", "adapters/storages.md", "core/README.md", "examples/slug-plugin/README.md"]),
    );
  });

  it("contains the sources that its declaration maps name", () => {
    expect(packed).toEqual(expect.arrayContaining(["core/index.ts", "adapters/cli/main.ts", "test/conformance/index.ts"]));
  });

  it("contains no specs, no data and no local files", () => {
    const wrong = packed.filter((file) =>
      /\.test\.ts$|(?:^|\/)(?:node_modules|\.ci|\.git)\/|^(?:examples\/[^/]+\/)?data\/|\.tgz$|(?:^|\/)\.env/.test(file),
    );
    expect(wrong).toEqual([]);
  });

  it.each(packed.filter((file) => file.endsWith(".md")))("%s links only to files of the package", (file) => {
    expect(linksOf(file).filter((target) => !isPacked(target))).toEqual([]);
  });
});

/** Paths from the package's root. Built files depend on the last build; they are no part of this. */
function packedFiles(): readonly string[] {
  const options = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  const answer: unknown = JSON.parse(execFileSync("npm", options, { cwd: project, encoding: "utf8", maxBuffer: 1 << 26 }));
  // npm 12 gives an object by package name in the place of a list.
  const [report] = Object.values(answer as Record<string, { readonly files: readonly { readonly path: string }[] }>);
  return (report?.files ?? []).map(({ path }) => path).filter((path) => !path.startsWith("dist/"));
}

/** Relative targets of Markdown links, as paths from the package's root. */
function linksOf(file: string): readonly string[] {
  const text = readFileSync(join(project, file), "utf8").replaceAll(/```[\s\S]*?```/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    const [path = ""] = target.split("#");
    return path === "" || /^[a-z]+:/i.test(path) ? [] : [normalize(join(dirname(file), path))];
  });
}

function isPacked(path: string): boolean {
  const folder = path.endsWith("/") ? path : `${path}/`;
  return packed.includes(path) || (existsSync(join(project, path)) && packed.some((file) => file.startsWith(folder)));
}
