// The dependencies of the package, as its lock file has them: what users get differs from it where `overrides` are needed, because these bind this
// repository alone.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const project = join(import.meta.dirname, "../..");

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifest: Package & { readonly overrides: Readonly<Record<string, unknown>> } = json("package.json");
const { packages }: { readonly packages: Readonly<Record<string, Package>> } = json("package-lock.json");

function json<T>(file: string): T {
  return JSON.parse(readFileSync(join(project, file), "utf8"));
}

/** Where the lock file has `name` for a package at `place`, as Node looks for it. */
function placeOf(name: string, place: string): string | undefined {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("node_modules/") - 1, 0))) {
    const found = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[found] !== undefined) return found;
    if (folder === "") return undefined;
  }
}

/** Places of all that the package brings. */
function reached(place = "", found = new Set<string>()): ReadonlySet<string> {
  const { dependencies, optionalDependencies } = packages[place] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const next = placeOf(name, place);
    if (next === undefined || found.has(next)) continue;
    found.add(next);
    reached(next, found);
  }
  return found;
}

const brought = [...reached()].map((place) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length));

it("none of them is held by overrides", () => {
  expect(brought).toEqual(expect.arrayContaining(["level", "classic-level", "msgpackr", "msgpackr-extract"]));
  expect(brought.filter((name) => name in manifest.overrides)).toEqual([]);
});

it("each of them has one version", () => {
  expect(brought.filter((name, i) => brought.indexOf(name) !== i)).toEqual([]);
});
