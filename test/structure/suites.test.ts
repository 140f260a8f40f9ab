// What `npm test`, `npm run test:quick` and `npm run test:more` run, taken together, is everything, and what each one leaves out is intended.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allSpecs, sharedModules, specsOnEveryStorage, specsWithProcesses } from "../support/specs.ts";
import { aboveStorages, heavy, kills, models, slow, suites } from "../support/suites.ts";

const root = join(import.meta.dirname, "../..");
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The suites that a script of package.json runs. */
const suitesOf = (script: string) => [...(scripts[script] ?? "").matchAll(/--project (\S+)/g)].map(([, name = ""]) => name);
const filesOf = (...names: readonly string[]) => suites.filter(({ name }) => names.includes(name)).flatMap(({ files }) => files);

describe("the suites", () => {
  it("hold every spec file, and nothing else", () => {
    expect([...new Set(suites.flatMap(({ files }) => files))].sort()).toEqual(allSpecs());
  });

  it("hold each spec on LevelDB once, but for the models, which run with few examples and with all", () => {
    const onLevel = allSpecs().filter((spec) => !spec.startsWith("test/adapters/mongodb/"));
    expect([...filesOf("everyday"), ...filesOf("thorough").filter((spec) => !models.includes(spec))].toSorted()).toEqual(onLevel);
    expect(filesOf("thorough")).toEqual(expect.arrayContaining(models));
  });

  it("hold on MongoDB the specs that open a store by test/support, but for those above the storages, and those of the adapter", () => {
    const files = filesOf("mongodb");
    expect(new Set(files).size).toBe(files.length);
    const onLevelAlone = ["test/adapters/level/", ...aboveStorages];
    const everywhere = specsOnEveryStorage().filter((spec) => !onLevelAlone.some((each) => spec.startsWith(each)));
    expect(files).toEqual(expect.arrayContaining(everywhere));
    expect(files.filter((spec) => spec.startsWith("test/adapters/mongodb/"))).toHaveLength(
      allSpecs().filter((spec) => spec.startsWith("test/adapters/mongodb/")).length,
    );
  });

  it("name only files that are there", () => {
    expect(allSpecs()).toEqual(expect.arrayContaining([...models, ...kills, ...heavy, ...slow]));
    for (const each of aboveStorages) expect(allSpecs().filter((spec) => spec.startsWith(each))).not.toEqual([]);
  });
});

describe("the scripts of package.json", () => {
  it("leave out nothing: npm test and npm run test:more hold every spec", () => {
    expect([...new Set(filesOf(...suitesOf("test"), ...suitesOf("test:more")))].sort()).toEqual(allSpecs());
  });

  it("need no MongoDB for npm test, and neither processes nor models for npm run test:quick, which is a part of it", () => {
    expect(suitesOf("test")).toEqual(["everyday"]);
    expect(suitesOf("test:quick")).toEqual(["level"]);
    expect(filesOf("everyday")).toEqual(expect.arrayContaining(filesOf("level")));
    const left = [...specsWithProcesses(), ...models];
    expect(filesOf("level").filter((spec) => left.includes(spec))).toEqual([]);
  });
});

describe("modules that specs share", () => {
  // A worker loads them for the first file that needs them and keeps them for the next ones, where such a hook would not run.
  it("have no hooks of their own: they use whenFileEnds or onTestFinished", () => {
    const hook = /^(?:beforeAll|afterAll|beforeEach|afterEach|vi\.setConfig)\(/m;
    expect(sharedModules().filter((file) => hook.test(readFileSync(join(root, file), "utf8")))).toEqual(["test/support/spec-setup.ts"]);
  });
});
