// Who may import whom is a fact, not a wish: every import line of the project is read.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const importLine = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** TypeScript files below a folder, as paths from the project's root. */
function sources(folder: string): readonly string[] {
  const path = join(root, folder);
  const files = existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  return files.filter((file) => file.endsWith(".ts") && !file.includes("node_modules")).map((file) => join(folder, file));
}

/** Imports of our own files. */
function arrows(folder: string): readonly Arrow[] {
  return sources(folder).flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(importLine)].flatMap(([, target = ""]) =>
      target.startsWith(".") ? [{ from, to: normalize(join(dirname(from), target)) }] : [],
    ),
  );
}

function forbidden(folder: string, mayImport: (arrow: Arrow) => boolean): readonly string[] {
  return arrows(folder)
    .filter((arrow) => !mayImport(arrow))
    .map(({ from, to }) => `${from} -> ${to}`);
}

/** For each way back to where it began, the files on it. */
function circles(all: readonly Arrow[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to]);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push([...path.slice(at), file].join(" -> "));
    if (at >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

/** `plugins/search` of `plugins/search/kinds/term.ts`. */
const partOf = (path: string) => path.split("/").slice(0, 2).join("/");

describe("imports", () => {
  it("finds the files it judges", () => {
    expect(arrows("core").length).toBeGreaterThan(50);
  });

  it("keep the kernel to itself", () => {
    expect(forbidden("core", ({ to }) => to.startsWith("core/"))).toEqual([]);
  });

  it("let a plugin see the public kernel and its own folder", () => {
    expect(forbidden("plugins", ({ from, to }) => to === "core/index.ts" || partOf(from) === partOf(to))).toEqual([]);
  });

  it("let an adapter see the public kernel, the ordered toolkit and its own folder; the command line sees every index", () => {
    const allowed = ({ from, to }: Arrow) =>
      to === "core/index.ts" ||
      partOf(from) === partOf(to) ||
      to === "adapters/ordered/index.ts" ||
      (partOf(from) === "adapters/cli" && /^(?:plugins|adapters)\/[^/]+\/index\.ts$/.test(to));
    expect(forbidden("adapters", allowed)).toEqual([]);
  });

  it("let nobody see the command line", () => {
    const seen = ["core", "plugins", "adapters", "examples"]
      .flatMap(arrows)
      .filter(({ from, to }) => partOf(to) === "adapters/cli" && partOf(from) !== "adapters/cli");
    expect(seen).toEqual([]);
  });

  it("form no circle, those of types included", () => {
    const kernel = ["core", "plugins", "adapters", "examples", "test/conformance"].flatMap(arrows);
    expect(circles(kernel)).toEqual([]);
    expect(circles([...kernel, { from: "core/values/uid.ts", to: "core/index.ts" }])).not.toEqual([]);
  });

  it("let examples use the published package alone", () => {
    expect(forbidden("examples", ({ from, to }) => partOf(from) === partOf(to))).toEqual([]);
  });

  it("let a spec open a store through test/support, so that it runs on every storage, unless it is about one alone", () => {
    const ofOne = [
      "test/adapters/level/",
      "test/adapters/mongodb/",
      "test/attack/crash/",
      "test/attack/disk/",
      "test/config/typed/",
      "test/support/",
      "test/bench/",
    ];
    const opening = ({ from, to }: Arrow) => /^adapters\/(?:level|mongodb)\//.test(to) && !ofOne.some((folder) => from.startsWith(folder));
    expect(forbidden("test", (arrow) => !opening(arrow))).toEqual([]);
  });

  it("let conformance kits use the public kernel and themselves", () => {
    expect(forbidden("test/conformance", ({ to }) => to === "core/index.ts" || to.startsWith("test/conformance/"))).toEqual([]);
  });
});

describe("the kernel", () => {
  it("names no directive of a plugin outside its messages' directory", () => {
    const names = /["'`@](?:hasInverse|secret|dgraph|withSubscription|lambda|embedding)["'`(]/;
    const naming = sources("core").filter((file) => file !== "core/deploy/directory.ts" && withoutComments(file).some((line) => names.test(line)));
    expect(naming).toEqual([]);
  });
});

function withoutComments(file: string): readonly string[] {
  return readFileSync(join(root, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.replace(/\/\/.*$/, ""));
}
